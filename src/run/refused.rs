//! Finds the commits on the branch because of which no run continues, so that commands that only read history can name
//! them.

use super::undecided::plan_commits::PlanCommit;
use crate::error::Result;
use crate::git::{Git, WorkTree};
use crate::history::Repository;
use crate::record::{CommitId, NotedCommit};
use crate::run::journal::{JournalView, StepInProgress, UnitInProgress};
use crate::run::undecided::WrongCommit;
use crate::text::advice;
use crate::worktree::branch_watch::{forged_since, taken_off_by};
use crate::worktree::snapshot::SnapshotSource;

/// The commits on the branch that the journal of this work tree records as refused, and those that claim to be steps
/// and were made during a step that has not ended.
///
/// # Errors
/// If history cannot be read.
pub fn refused_commits(git: &Git, repository: &Repository, work_tree: &WorkTree) -> Result<Vec<NotedCommit>> {
    let mut journal = JournalView::read(&work_tree.git_dir);
    let Some(head) = repository.head()? else { return Ok(Vec::new()) };
    // The step may have made commits that no run has looked at.
    let open = journal.unit.filter(|step| step.is_open() && step.unit.begun.head.commit != head);
    if let Some(before) = open.as_ref().and_then(StepInProgress::plan)
        && !journal.undecided.has_plan()
    {
        journal.undecided.note_plan(before.clone(), head);
    }
    let mut forged = journal.undecided.forged();
    if let Some(StepInProgress { unit: UnitInProgress { begun, .. }, .. }) = &open
        && !begun.is_committed(repository)?
    {
        // A branch that was rewritten is not compared here: the next run does that.
        let more = forged_since(git, repository, &begun.head).unwrap_or_default();
        forged.extend(more.into_iter().filter(|id| !journal.undecided.forged().contains(id)));
    }
    // A commit that no longer exists is on no branch.
    let is_there = |id: &CommitId| git.is_ancestor(id, &head).unwrap_or(false);
    forged.retain(is_there);
    let mut found = forged_commits(repository, &forged)?;
    if let Some(changed) =
        journal.undecided.commit_with_plan(SnapshotSource { git, work_tree, repository })?
    {
        found.push(changed_plan(&changed));
    }
    if let Some(wrong) = &journal.undecided.wrong
        && let Some(commit) = CommitId::from_hex(wrong.commit.as_bytes()).filter(is_there)
    {
        found.push(wrong_commit(commit, wrong));
    }
    Ok(found)
}

/// Commits that claim to be steps, oldest first.
fn forged_commits(repository: &Repository, commits: &[CommitId]) -> Result<Vec<NotedCommit>> {
    let Some(first) = commits.first() else { return Ok(Vec::new()) };
    let before = repository.first_parent(first)?.unwrap_or(*first);
    let refused = |commit: &CommitId| NotedCommit {
        commit: *commit,
        what: format!(
            "the commit {} was made by a program that a run had started; it is counted as a step here, but no run continues until \
             it is taken off the branch",
            commit.short()
        ),
        help: format!(
            "look at it with `git show {}` and take it off the branch with {}",
            commit.short(),
            taken_off_by(&before.short())
        ),
    };
    Ok(commits.iter().map(refused).collect())
}

fn changed_plan(PlanCommit { commit, files, .. }: &PlanCommit) -> NotedCommit {
    NotedCommit {
        commit: *commit,
        what: format!(
            "the commit {} changes {files} and was made during a step of a run; no run continues until you accept it or \
             take it back",
            commit.short()
        ),
        help: format!("{} says how", advice::gardener()),
    }
}

fn wrong_commit(commit: CommitId, wrong: &WrongCommit) -> NotedCommit {
    NotedCommit {
        commit,
        what: format!(
            "the commit {} {}; it counts as part of the history here, but no run continues until it is taken back",
            commit.short(),
            wrong.what
        ),
        help: format!("{} says how to take it back", advice::gardener()),
    }
}

/// Refuses to begin while the branch has a plan that was changed in a commit during a step and that the user has not
/// accepted. The plan itself need not be there or readable.
///
/// # Errors
/// [`Kind::Repository`], naming the commit.
pub fn check_plan_is_decided(git: &Git, repository: &Repository, work_tree: &WorkTree) -> Result<()> {
    let journal = JournalView::read(&work_tree.git_dir);
    journal.undecided.check_plan(git, repository)
}
