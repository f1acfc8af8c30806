//! Finds the commits that contain the work on a task: its implement steps, those that wrote its tests before, and the
//! commits that their runners made before them.

use crate::error::{Error, Kind, Result};
use crate::git::{Conflicted, Git, MergedTree, NewCommit};
use crate::history::{TaskStep, TreeComparison};
use crate::record::{CommitId, Step, StepFacts};

/// The commits of the steps of a task that change files, newest first: its implement steps, and those that wrote its tests. One whose
/// runner made commits of its own is compared with the head of the branch before these.
#[must_use]
pub(crate) fn implement_commits(git: &Git, steps: &[TaskStep]) -> Vec<TreeComparison> {
    let implements = steps
        .iter()
        .filter(|step| step.counts())
        .filter(|step| step.record().step.changes_files() || has_left_commits(step));
    implements
        .map(|step| {
            let (commit, facts) = (step.step.id, StepFacts::of(&step.message));
            // A failed attempt does not merge anything.
            let merges =
                |onto: &CommitId| git.commit_named(&format!("{commit}^2")).ok().flatten() == Some(*onto);
            if let Some(onto) = facts.merges.filter(merges) {
                // Without the merge, or with a git that cannot make it, everything that differs from the first parent counts.
                return TreeComparison { commit, base: automatic_merge(git, &commit, &onto).ok() };
            }
            // Only an ancestor can have been the head before. After a rebase, the recorded commit is no longer an
            // ancestor.
            let base = match facts.adopted_base() {
                Some(base) if git.is_ancestor(&base, &commit).unwrap_or(false) => Some(base),
                _ => None,
            };
            TreeComparison { commit, base }
        })
        .collect()
}

/// Whether an agent has asked a question after it had made commits, which are part of the work.
pub(crate) fn has_left_commits(step: &TaskStep) -> bool {
    step.record().step == Step::BLOCK && StepFacts::of(&step.message).adopted_base().is_some()
}

/// The commit that git alone makes of the first parent of a merge and the commit that it merges, with conflict markers in its
/// files if there are conflicts. What the step has done is the difference from that. It is always the same object, and no
/// reference leads to it.
///
/// # Errors
/// If git cannot merge trees, or an object is missing.
pub(crate) fn automatic_merge(git: &Git, merge: &CommitId, onto: &CommitId) -> Result<CommitId> {
    let missing = || Error::new(Kind::Repository, format!("{} has no parent", merge.short()), "");
    let first = git.commit_named(&format!("{merge}^1"))?.ok_or_else(missing)?;
    automatic_merge_of(git, first, *onto)
}

/// The same for two commits that are to be merged.
///
/// # Errors
/// As for [`automatic_merge`].
pub(crate) fn automatic_merge_of(git: &Git, ours: CommitId, theirs: CommitId) -> Result<CommitId> {
    let tree = match git.merge_of(&ours, &theirs)? {
        MergedTree::Clean(tree) | MergedTree::Conflicts(Conflicted { tree, .. }) => tree,
    };
    git.new_commit(&NewCommit {
        tree,
        parents: vec![ours, theirs],
        message: b"The merge as git alone makes it\n".to_vec(),
        author: None,
        date: Some("0 +0000".to_owned()),
        signed: false,
    })
}
