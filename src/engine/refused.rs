//! Commits for which a run stops although they are on the branch, so that those who read history can say so.

use super::interrupted::is_committed;
use super::journal::Journal;
use crate::error::Result;
use crate::git::{Git, WorkTree};
use crate::history::Repository;
use crate::record::CommitId;
use crate::worktree::guard::{forged_since, taken_off_by};

/// A commit on the branch for which the next run in this work tree stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedCommit {
    /// The commit.
    pub commit: CommitId,
    /// The problem, as a clause.
    pub what: String,
    /// The advice, as a clause.
    pub help: String,
}

/// The commits on the branch that the journal of this work tree knows to be refused, and those which claim to be steps and
/// were made during a step that has not come to its end.
///
/// # Errors
/// If history cannot be read.
pub fn refused_commits(
    git: &Git,
    repository: &Repository,
    work_tree: &WorkTree,
) -> Result<Vec<RefusedCommit>> {
    let journal = Journal::read(&work_tree.git_dir);
    let Some(head) = repository.head()? else { return Ok(Vec::new()) };
    let mut ids = journal.refused();
    if let Some(stored) = &journal.unit
        && stored.snapshot.is_some()
        && stored.unit.head.commit != head
        && !is_committed(repository, &stored.unit)?
    {
        // A branch that was rewritten is not compared here: the next run does that.
        let forged = forged_since(git, repository, &stored.unit.head).unwrap_or_default();
        ids.extend(forged.into_iter().filter(|id| !journal.refused().contains(id)));
    }
    let mut found = Vec::new();
    // What is gone altogether is on no branch.
    ids.retain(|id| git.is_ancestor(id, &head).unwrap_or(false));
    if let Some(first) = ids.first() {
        let before = repository.first_parent(first)?.unwrap_or(*first);
        let help = |commit: &CommitId| {
            format!(
                "look at it with `git show {}` and take it off the branch with {}",
                commit.short(),
                taken_off_by(&before.short())
            )
        };
        found.extend(ids.iter().map(|commit| RefusedCommit {
            commit: *commit,
            what: format!(
                "the commit {} was made by a program that a run had started; it counts here, and no run continues until it is \
                 taken off the branch",
                commit.short()
            ),
            help: help(commit),
        }));
    }
    if let Some(wrong) = &journal.wrong
        && let Some(commit) = CommitId::from_hex(wrong.commit.as_bytes())
        && git.is_ancestor(&commit, &head).unwrap_or(false)
    {
        let what = format!(
            "the commit {} {}; it counts here, and no run continues until it is taken back",
            commit.short(),
            wrong.what
        );
        found.push(RefusedCommit {
            commit,
            what,
            help: "`git arborist gardener` says how to take it back".to_owned(),
        });
    }
    Ok(found)
}
