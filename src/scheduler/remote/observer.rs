//! Looks at a run on a remote repository without working on it: a clone learns what the workers have pushed.

use std::time::{Duration, Instant};

use super::nonces::Nonces;
use super::private_clone::{CloneFrom, PrivateClone, Waiting};
use super::remote_state::{Look, Looked};
use super::waiting::{RemoteAnswer, WorkerPatience};
use crate::error::Result;
use crate::git::DiscoveryStart;
use crate::process::Cancel;
use crate::record::CommitId;
use crate::report;
use crate::session::{Call, Session, StopWish};

/// How long the remote repository is left alone between two looks.
const REST: Duration = Duration::from_secs(5);

/// Looks at a run on a remote repository. The clone is removed in the end.
pub(crate) struct RunWatcher<'a> {
    call: &'a Call,
    remote: String,
    clone: PrivateClone,
    folder: Option<String>,
    head: Option<CommitId>,
    looked: Instant,
    /// Why nothing could be learned with the last look.
    pub(crate) trouble: Option<String>,
}

impl<'a> RunWatcher<'a> {
    /// Looks for the first time.
    ///
    /// # Errors
    /// If the remote repository does not answer, or has no such run.
    pub(crate) fn open(call: &'a Call, remote: &str, branch: Option<&str>) -> Result<Self> {
        // Any signal ends a program that only looks.
        let mut patience = WorkerPatience::new(&StopWish::Cancel(Cancel::new()))?;
        let say = |text: &str| report::eprint(text);
        let from = CloneFrom { remote, branch, folder: None };
        let waiting = Waiting { patience: &mut patience, say: &say };
        let clone = PrivateClone::make(call, &from, waiting, &Nonces::new().of_process())?;
        let mut observer = Self {
            call,
            remote: without_login(remote),
            clone,
            folder: None,
            head: None,
            looked: Instant::now(),
            trouble: None,
        };
        patience.ask_first(remote, &say, || observer.look())?;
        Ok(observer)
    }

    /// The remote repository, as the user names it, without a login.
    pub(crate) fn remote(&self) -> String {
        self.remote.clone()
    }

    /// The clone, as it was when the remote repository answered last.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub(crate) fn session(&self) -> Result<Session> {
        Session::open_at(DiscoveryStart::Folder(self.clone.folder.clone()), self.call, Vec::new())
    }

    /// Looks again, if the last look was long ago.
    pub(crate) fn look_again(&mut self) {
        if self.looked.elapsed() >= REST {
            self.trouble = match self.look() {
                Ok(RemoteAnswer::Given(())) => None,
                Ok(RemoteAnswer::Silent(said)) => {
                    Some(format!("the remote repository does not answer: {said}"))
                }
                Err(error) => Some(error.what().to_owned()),
            };
        }
    }

    fn look(&mut self) -> Result<RemoteAnswer<()>> {
        self.looked = Instant::now();
        let overrides = Vec::new;
        let (call, clone) = (self.call, &self.clone);
        let look =
            Look { call, clone, overrides: &overrides, spared: None, last_head: self.head, only_looks: true };
        match look.take(self.folder.as_deref())? {
            Looked::Silent(said) => Ok(RemoteAnswer::Silent(said)),
            Looked::RemoteState(remote_state) => {
                (self.folder, self.head) = (Some(remote_state.folder()), Some(remote_state.head));
                Ok(RemoteAnswer::Given(()))
            }
        }
    }
}

/// An address without the user and the password in it.
fn without_login(address: &str) -> String {
    address.rsplit('@').next().unwrap_or(address).to_owned()
}

impl Drop for RunWatcher<'_> {
    fn drop(&mut self) {
        self.clone.remove();
    }
}
