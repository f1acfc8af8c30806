//! Finds the commits that contain the work on a task: its implement steps, those that wrote its tests before, and the
//! commits that their runners made before them.

use crate::error::Result;
use crate::git::Git;
use crate::history::{Repository, StepValidity, TaskStep, TreeComparison};
use crate::record::{CommitId, adopted_base};

/// The commit of one implement step, or of one that wrote tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImplementCommit {
    /// The step's commit.
    pub(super) commit: CommitId,
    /// The head of the branch before the runner began, if it made commits of its own; otherwise the parent of the
    /// commit.
    pub(super) base: Option<CommitId>,
}

/// The commits of the steps of a task that change files, newest first.
#[must_use]
pub(super) fn implement_commits(git: &Git, steps: &[TaskStep]) -> Vec<ImplementCommit> {
    let implements = steps
        .iter()
        .filter(|step| step.validity == StepValidity::Counts && step.step.record.step.changes_files());
    implements
        .map(|step| {
            let commit = step.step.id;
            // Only an ancestor can have been the head before. After a rebase, the recorded commit is no longer an
            // ancestor.
            let base = match adopted_base(&step.message) {
                Some(base) if git.is_ancestor(&base, &commit).unwrap_or(false) => Some(base),
                _ => None,
            };
            ImplementCommit { commit, base }
        })
        .collect()
}

/// The commits for [`changed_paths`](crate::history::changed_paths). Each comes with the commit to compare it with if that is
/// not its parent.
#[must_use]
pub(super) fn comparisons(commits: &[ImplementCommit]) -> Vec<TreeComparison> {
    commits.iter().map(|commits| TreeComparison { commit: commits.commit, base: commits.base }).collect()
}

impl ImplementCommit {
    /// The head of the branch before; `None` for the first commit of a history.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(super) fn before(&self, repository: &Repository) -> Result<Option<CommitId>> {
        self.base.map_or_else(|| repository.first_parent(&self.commit), |base| Ok(Some(base)))
    }
}
