//! Reads a merge commit back: it must be on the branch, have the two parents that it should have, and claim nothing.

use crate::error::{Error, Kind, Result};
use crate::git::{Git, Head};
use crate::history::Repository;
use crate::record::{CommitId, carries_step};
use crate::text::shell_word;

/// A merge commit that git has made.
pub(super) struct MergeCommit<'a> {
    /// git.
    pub(super) git: &'a Git,
    /// The history.
    pub(super) repository: &'a Repository,
    /// The branch before the merge.
    pub(super) before: &'a Head,
    /// The tip of the branch that was merged.
    pub(super) tip: CommitId,
}

impl MergeCommit<'_> {
    /// The merge commit.
    ///
    /// # Errors
    /// [`Kind::Unsafe`] if it is not on the branch, or has other parents. [`Kind::Repository`] if it claims to be a step.
    pub(super) fn read_back(&self) -> Result<CommitId> {
        let Self { git, repository, before, tip } = *self;
        let now = repository.branch()?;
        let made = repository.commit(&now.commit)?;
        if now.branch != before.branch || made.parents != [before.commit, tip] {
            let holds = now.branch == before.branch && git.is_ancestor(&tip, &now.commit)?;
            if holds && git.is_ancestor(&before.commit, &now.commit)? {
                // A hook has committed on top, or somebody else has.
                return Ok(now.commit);
            }
            return Err(Error::new(
                Kind::Unsafe,
                format!(
                    "the merge of {} did not become the newest commit of {}: something changed branches at the same moment",
                    tip.short(),
                    before.branch_name()
                ),
                format!(
                    "Look at `git log --graph --all`, go back with `git switch {}`, and run the same command \
                     again.",
                    shell_word(before.branch_name())
                ),
            ));
        }
        if carries_step(&made.message) {
            return Err(Error::new(
                Kind::Repository,
                format!(
                    "a hook has turned the message of the merge {} into that of a step",
                    now.commit.short()
                ),
                "Correct the hook (prepare-commit-msg, commit-msg). Then take the merge back with `git reset --keep HEAD~1`, and \
                 run the same command again.",
            ));
        }
        Ok(now.commit)
    }
}
