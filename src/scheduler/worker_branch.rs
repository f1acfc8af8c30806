//! Tells whether the branch of a task has only steps that its worker has reported.

use crate::engine::tree::tips::RunTips;
use crate::error::Result;
use crate::git::Git;
use crate::history::Repository;
use crate::record::CommitId;
use crate::worktree::task_commits::first_claim;

/// The branch of a task whose worker has ended.
#[derive(Clone, Copy)]
pub(crate) struct WorkerBranch<'a> {
    /// git, in a repository that has the branch.
    pub(crate) git: &'a Git,
    /// The history.
    pub(crate) repository: &'a Repository,
    /// What the branches of the run named when the worker began, and the commits that it has reported.
    pub(crate) tips: &'a RunTips,
    /// The full name of the branch.
    pub(crate) name: &'a str,
}

/// Where the branch is, or must be put back to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WorkerBranchEnd {
    /// Everything on it is believed, up to this commit, which it names.
    Sound(CommitId),
    /// Something else has moved it: only this commit is believed.
    Moved(CommitId),
}

impl WorkerBranch<'_> {
    /// Looks at a branch that names `now`. `known` is the last commit that its worker has reported or, if there is none, the commit
    /// on which it began.
    ///
    /// # Errors
    /// If the history cannot be read.
    pub(crate) fn end(self, known: CommitId, now: Option<CommitId>) -> Result<WorkerBranchEnd> {
        // A worker that began on commits that another program had forged reports steps on top of them.
        if self.has_forged(known)? {
            return Ok(WorkerBranchEnd::Moved(self.tips.begun(self.name).unwrap_or(known)));
        }
        match now {
            // The agent may have made commits of its own in a step that was not finished: these claim nothing.
            Some(now) if self.git.is_ancestor(&known, &now)? && !self.has_forged(now)? => {
                Ok(WorkerBranchEnd::Sound(now))
            }
            _ => Ok(WorkerBranchEnd::Moved(known)),
        }
    }

    /// Whether the branch has, up to `tip`, a commit that claims to be a step and that no worker has reported.
    fn has_forged(self, tip: CommitId) -> Result<bool> {
        let mut unknown = self.git.commits_beside(&tip, &self.tips.before_worker(self.name))?;
        unknown.retain(|commit| !self.tips.is_reported(commit));
        Ok(first_claim(self.repository, &unknown)?.is_some())
    }
}
