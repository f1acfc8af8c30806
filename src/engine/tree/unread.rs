//! A step commit that a run has asked git for. If the run is killed after git has made the commit and before it is read
//! back, the next run does that.

use serde::{Deserialize, Serialize};

use super::pending::Pending;
use crate::engine::commit::{Branch, CommitFailure, check_step};
use crate::error::Result;
use crate::git::{CommitRequest, Head, Selection, Staging};
use crate::record::{CommitId, CommitKind, StepMessage, commit_kind};
use crate::worktree::changes::WorktreeChanges;
use crate::worktree::snapshot::SnapshotSource;

/// A step commit that may not have been read back.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct UnreadCommit {
    /// The step, as it is kept if its commit is not right. Its files are those that belong in the commit.
    pub(crate) step: Pending,
    /// The head of the branch, on top of which the commit is made.
    pub(crate) head: Head,
    /// The message of the commit.
    pub(crate) meant: StepMessage,
    /// Whether other changes were staged at that time.
    pub(crate) staging: Staging,
    /// The second parent of the commit, if it is a merge.
    pub(crate) merges: Option<CommitId>,
}

impl UnreadCommit {
    /// The commit, if git has made it and it is on the branch.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn find(&self, source: SnapshotSource<'_>) -> Result<Option<CommitId>> {
        let now = source.repository.branch()?;
        if now.branch != self.head.branch || !source.git.is_ancestor(&self.head.commit, &now.commit)? {
            return Ok(None);
        }
        for id in source.git.commits_between(&self.head.commit, &now.commit)? {
            let commit = source.repository.commit(&id)?;
            let parents: Vec<CommitId> = std::iter::once(self.head.commit).chain(self.merges).collect();
            if commit.parents == parents
                && let CommitKind::Task(task, record) | CommitKind::Phase(task, record) =
                    commit_kind(&commit.message)
                && (task, record.step) == (self.step.draft.task.clone(), self.step.draft.step)
            {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    /// Reads the commit back, as the run would have done.
    ///
    /// # Errors
    /// If it is not as intended.
    pub(crate) fn check(
        &self,
        source: SnapshotSource<'_>,
        id: CommitId,
    ) -> std::result::Result<(), CommitFailure> {
        let SnapshotSource { git, work_tree, repository } = source;
        let branch = Branch { git, work_tree, repository, head: &self.head };
        let request = CommitRequest {
            selection: &self.selection(),
            message: &self.meant.text,
            staging: self.staging,
            merges: self.merges.as_ref(),
        };
        check_step(branch, &request, &self.meant, id)
    }

    /// The step in the form in which it is kept, with the present state of its files.
    ///
    /// # Errors
    /// If the work tree cannot be read.
    pub(crate) fn kept(&self, source: SnapshotSource<'_>) -> Result<Pending> {
        let top = &source.work_tree.top;
        let (now, _) = WorktreeChanges::read(source.git, top)?;
        Ok(Pending { files: now.path_states_of(&self.selection(), top), ..self.step.clone() })
    }

    /// The files that belong in the commit.
    fn selection(&self) -> Selection {
        Selection { there: self.step.files.paths().collect(), gone: Vec::new() }
    }
}
