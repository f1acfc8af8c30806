//! Makes the branches that a run needs on the remote repository besides claims: the one that collects what is merged, and those of tasks that
//! somebody has removed from the branch of the run.

use super::collected::{Collected, Deliver, collecting_branch};
use super::messages;
use super::remote_state::RemoteState;
use super::remote_worker::RemoteWorker;
use super::source::ORIGIN;
use crate::error::Result;
use crate::git::RefUpdate;
use crate::scheduler::claim::PushAnswer;

impl RemoteWorker<'_> {
    /// Lets all workers collect what is merged on a branch of its own from now on.
    ///
    /// # Errors
    /// If the remote repository does not accept it.
    pub(super) fn begin_to_collect(&mut self) -> Result<()> {
        self.look_patiently()?;
        let remote_state = self.remote_state()?;
        let (branch, head) = (collecting_branch(&remote_state.folder()), remote_state.head);
        if remote_state.tips.contains_key(&branch) {
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
        let RemoteState { session, target, .. } = self.remote_state()?;
        if !target.is_ahead {
            return Ok(());
        }
        let (git, base) = (&self.clone.git, &self.clone.branch);
        deliver(Collected { session, git, branch: &target.branch, base, remote: ORIGIN })
    }

    /// Gives the tasks that were removed from the branch of the run their branches back, so that they are merged again. The worker
    /// that does it first wins: all push the same.
    ///
    /// # Errors
    /// If the clone cannot be used.
    pub(super) fn bring_back_removed(&mut self) -> Result<()> {
        let removed = self.remote_state()?.removed.clone();
        for (branch, tip) in removed {
            let update = RefUpdate { branch: branch.clone(), from: None, to: Some(tip) };
            if self.push_all(&[update])? == PushAnswer::Moved {
                self.say(&messages::brought_back(&self.clone.branch, &branch));
            }
        }
        Ok(())
    }
}
