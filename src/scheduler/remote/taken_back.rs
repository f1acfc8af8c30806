//! Takes back what programs of a task have done to the branches of the clone: only steps of which the worker has told are
//! pushed.

use std::collections::BTreeMap;

use super::remote_worker::RemoteWorker;
use crate::engine::tree::tips::RunTips;
use crate::error::{Error, Result};
use crate::record::CommitId;
use crate::scheduler::worker_branch::{WorkerBranch, WorkerBranchEnd};
use crate::worktree::moved_ref::refused;

/// What the worker of a task has said of its branch.
pub(super) struct ToldSteps<'b> {
    pub(super) branch: &'b str,
    /// What it named when the worker began.
    pub(super) began: CommitId,
    /// The commits of the steps of which the worker has told, oldest first.
    pub(super) steps: Vec<CommitId>,
}

impl RemoteWorker<'_> {
    /// Makes the branches of the clone name what they must name after the work on a task has ended. Returns what was wrong.
    ///
    /// # Errors
    /// If the clone cannot be read.
    pub(super) fn take_back(&self, told: &ToldSteps<'_>) -> Result<Option<Error>> {
        let remote_state = self.remote_state()?;
        let (git, repository) = (&remote_state.session.git, &remote_state.session.repository);
        let full = |name: &str| format!("refs/heads/{name}");
        // The claim of the integration comes and goes.
        let claim = remote_state.integration_branch();
        let mut found: BTreeMap<String, CommitId> = repository.branches_in(&remote_state.folder())?;
        found.remove(&claim);
        found.extend(repository.tip_of(&self.clone.branch)?.map(|tip| (self.clone.branch.clone(), tip)));
        let found: BTreeMap<String, CommitId> =
            found.into_iter().map(|(name, tip)| (full(&name), tip)).collect();
        let others = remote_state.tips.iter().filter(|(name, _)| **name != claim && *name != told.branch);
        let own = [(full(&self.clone.branch), remote_state.head), (full(told.branch), told.began)];
        // Branches that were made here again may not have been pushed.
        let others = remote_state.removed.iter().chain(others).map(|(name, tip)| (full(name), *tip));
        let known = others.chain(own).collect();
        let mut tips = RunTips::new(full(&self.clone.branch), remote_state.head, known);
        let name = full(told.branch);
        tips.begin(&name);
        told.steps.iter().for_each(|step| tips.report(*step));
        let last = told.steps.last().copied().unwrap_or(told.began);
        let branch = WorkerBranch { git, repository, tips: &tips, name: &name };
        let (WorkerBranchEnd::Sound(tip) | WorkerBranchEnd::Moved(tip)) =
            branch.end(last, found.get(&name).copied())?;
        tips.end(&name, tip);
        let strange = tips.strange(&found);
        Ok((!strange.is_empty()).then(|| refused(git, strange, "a program of the task")))
    }
}
