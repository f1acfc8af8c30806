//! Runs whose branch nobody may push to: what is merged is collected on a branch of its own, from which a pull request is opened. As soon
//! as the remote repository has this branch, all workers take it for the branch of the run, until the request is merged.

use super::board::Board;
use super::messages;
use super::remote_worker::RemoteWorker;
use crate::error::Result;
use crate::git::{Git, RefUpdate, RemoteTips};
use crate::record::CommitId;
use crate::run::MERGED_BRANCH;
use crate::scheduler::claim::PushAnswer;
use crate::session::Session;

/// The branch of the remote repository to which merges are pushed.
#[derive(Clone, Debug)]
pub(super) struct MergeTarget {
    /// Its name.
    pub(super) branch: String,
    /// What it names.
    pub(super) tip: CommitId,
    /// Whether it has something that the branch of the run does not have.
    pub(super) is_ahead: bool,
}

/// What is collected on a branch of its own.
#[derive(Clone, Copy)]
pub(crate) struct Collected<'a> {
    /// The clone, in which both branches are.
    pub(crate) session: &'a Session,
    /// The branch that collects.
    pub(crate) branch: &'a str,
    /// The branch of the run.
    pub(crate) base: &'a str,
    /// The name of the remote repository in the clone.
    pub(crate) remote: &'a str,
}

/// Opens or updates the request for what is collected.
pub(crate) type Deliver<'d> = &'d dyn Fn(Collected<'_>) -> Result<()>;

impl MergeTarget {
    /// The branch of the run itself, which has this tip.
    pub(super) fn run(branch: &str, tip: CommitId) -> Self {
        Self { branch: branch.to_owned(), tip, is_ahead: false }
    }

    /// The branch that collects what is merged, if there is one among those of the remote repository; otherwise, this one.
    pub(super) fn or_collecting(self, git: &Git, folder: &str, tips: &RemoteTips) -> Result<Self> {
        let branch = format!("{folder}/{MERGED_BRANCH}");
        Ok(match tips.get(&branch).copied() {
            Some(tip) => Self { branch, tip, is_ahead: !git.is_ancestor(&tip, &self.tip)? },
            None => self,
        })
    }
}

impl Board {
    /// The branch that collects what is merged, if the branch of the run is moved only by pull requests.
    fn collecting_branch(&self) -> String {
        format!("{}/{MERGED_BRANCH}", self.folder())
    }
}

impl RemoteWorker<'_> {
    /// Lets all workers collect what is merged on a branch of its own from now on.
    ///
    /// # Errors
    /// If the remote repository does not accept it.
    pub(super) fn begin_to_collect(&mut self) -> Result<()> {
        self.look_patiently()?;
        let board = self.board()?;
        let (branch, head) = (board.collecting_branch(), board.head);
        if board.tips.contains_key(&branch) {
            return Ok(());
        }
        let update = RefUpdate { branch: branch.clone(), from: None, to: Some(head) };
        match self.push_all(&[update])? {
            PushAnswer::Refused => Err(messages::refused(&branch, &self.said)),
            // If it was not pushed, the next look shows it.
            PushAnswer::Moved | PushAnswer::Rejected | PushAnswer::Unclear => Ok(()),
        }
    }

    /// Opens or updates the request, if anything is collected for it.
    ///
    /// # Errors
    /// If that is not possible.
    pub(super) fn deliver(&mut self, deliver: Deliver<'_>) -> Result<()> {
        self.look_patiently()?;
        let Board { session, target, .. } = self.board()?;
        if !target.is_ahead {
            return Ok(());
        }
        deliver(Collected {
            session,
            branch: &target.branch,
            base: &self.clone.branch,
            remote: super::source::ORIGIN,
        })
    }
}
