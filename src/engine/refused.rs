//! Commits for which a run stops although they are on the branch, so that those who read history can say so.

use super::interrupted::is_committed;
use super::journal::Journal;
use super::plan_commits::PlanCommit;
use crate::error::Result;
use crate::git::{Git, WorkTree};
use crate::history::Repository;
use crate::record::CommitId;
use crate::worktree::guard::{forged_since, taken_off_by};
use crate::worktree::snapshot::SnapshotSource;

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
    let mut journal = Journal::read(&work_tree.git_dir);
    let Some(head) = repository.head()? else { return Ok(Vec::new()) };
    if journal
        .unit
        .as_ref()
        .is_some_and(|stored| stored.snapshot.is_some() && stored.unit.head.commit != head)
        && journal.unsettled_plan.is_none()
    {
        journal.note_unsettled_plan(repository);
    }
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
    let source = SnapshotSource { git, work_tree, repository };
    if let Some(PlanCommit { commit, files, .. }) = journal.commit_with_plan(source)? {
        found.push(RefusedCommit {
            commit,
            what: format!(
                "the commit {} changes {files} and was made during a step of a run; no run continues until you accept \
                 it or take it back",
                commit.short()
            ),
            help: "`git arborist gardener` says how".to_owned(),
        });
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

/// Refuses to begin while the branch has a plan that was changed in a commit during a step and that the user has not
/// accepted. The plan itself need not be there or readable.
///
/// # Errors
/// [`Kind::Repository`], naming the commit.
pub fn check_plan_is_decided(git: &Git, repository: &Repository, work_tree: &WorkTree) -> Result<()> {
    let journal = Journal::read(&work_tree.git_dir);
    journal.unsettled_plan.map_or(Ok(()), |plan| plan.check_decided(git, repository))
}
