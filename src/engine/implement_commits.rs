//! Which commits contain the code of a task: its implement steps, and the commits that their runners made before them.

use crate::error::Result;
use crate::git::{Comparison, Git};
use crate::history::{Repository, StepValidity, TaskStep};
use crate::record::{CommitId, Goal, adopted_base};

/// The commit of one implement step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ImplementCommit {
    /// The step's commit.
    pub(super) commit: CommitId,
    /// Where the branch stood before the runner began, if it made commits of its own; else it is the commit's parent.
    pub(super) base: Option<CommitId>,
}

/// The commits of the implement steps of a task, newest first.
#[must_use]
pub(super) fn implement_commits(git: &Git, steps: &[TaskStep]) -> Vec<ImplementCommit> {
    let implements = steps.iter().filter(|step| {
        step.validity == StepValidity::Counts && step.step.record.step.row().goal == Goal::Change
    });
    implements
        .map(|step| {
            let commit = step.step.id;
            // Only an ancestor can have been there before; after a rebase the old one is none any more.
            let base = match adopted_base(&step.message) {
                Some(base) if git.is_ancestor(&base, &commit).unwrap_or(false) => Some(base),
                _ => None,
            };
            ImplementCommit { commit, base }
        })
        .collect()
}

/// The commits, each with what its difference is taken from if that is not its parent, as [`Git::changed_paths`] wants them.
#[must_use]
pub(super) fn comparisons(commits: &[ImplementCommit]) -> Vec<Comparison> {
    commits.iter().map(|commits| Comparison { commit: commits.commit, base: commits.base }).collect()
}

impl ImplementCommit {
    /// Where the branch stood before; `None` for the first commit of a history.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(super) fn before(&self, repository: &Repository) -> Result<Option<CommitId>> {
        self.base.map_or_else(|| repository.first_parent(&self.commit), |base| Ok(Some(base)))
    }
}
