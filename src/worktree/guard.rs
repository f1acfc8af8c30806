//! Watches the branch while other programs work: their commits are adopted or refused, but never overlooked.

use std::collections::HashSet;

use crate::error::{Error, Kind, Result};
use crate::git::{Git, Head};
use crate::history::{Commit, Range, Repository, pick_steps};
use crate::record::{CommitId, Landing, NamedCommit, RevertClaim, Role, Step, Subject, carries_step};
use crate::text::shell_word;

/// How the branch changed while a runner or a test was at work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct BranchChange {
    /// The head of the branch now.
    pub head: Head,
    /// Commits that were made meanwhile and are kept, oldest first.
    pub adopted: Vec<CommitId>,
}

/// Compares the branch with its state before a step.
///
/// # Errors
/// [`Kind::Unsafe`] if the branch was switched, rewritten, or has commits that claim to be steps of ours, and after a
/// test or review if it has any new commit.
pub(crate) fn check_branch(
    git: &Git,
    repository: &Repository,
    before: &Head,
    step: Step,
) -> Result<BranchChange> {
    let who = who(step);
    let now = repository.branch().map_err(|error| {
        Error::new(
            Kind::Unsafe,
            format!(
                "the branch {} cannot be found after {who} was at work: {}",
                before.branch_name(),
                error.what()
            ),
            go_back(before),
        )
    })?;
    if now.branch != before.branch {
        return Err(Error::new(
            Kind::Unsafe,
            format!(
                "something switched the branch from {} to {} while {who} was at work",
                before.branch_name(),
                now.branch_name()
            ),
            go_back(before),
        ));
    }
    if now.commit == before.commit {
        return Ok(BranchChange { head: now, adopted: Vec::new() });
    }
    if !git.is_ancestor(&before.commit, &now.commit)? {
        git.keep(&before.commit, "rewritten")?;
        return Err(Error::new(
            Kind::Unsafe,
            format!(
                "something rewrote the branch {} while {who} was at work: {} is gone from it",
                before.branch_name(),
                before.commit.short()
            ),
            format!(
                "Nothing is lost: the old tip is kept under refs/arborist/rescue/. Go back to it with {}.",
                taken_off_by(&before.commit.to_string())
            ),
        ));
    }
    let mut adopted = git.commits_between(&before.commit, &now.commit)?;
    adopted.reverse();
    for commit in &adopted {
        refuse_forged(repository, commit, who, before)?;
    }
    if !step.changes_files() {
        return Err(Error::new(
            Kind::Unsafe,
            format!("{} made while {who} was at work, without being tested", commits(adopted.len())),
            format!(
                "Look at them with `git log {}..`, take them off the branch with {}, and run the same command again.",
                before.commit.short(),
                taken_off_by(&before.commit.short())
            ),
        ));
    }
    Ok(BranchChange { head: now, adopted })
}

/// Refuses a commit that claims to be a step or reverts one: only our own steps may change the state of a task.
fn refuse_forged(repository: &Repository, commit: &CommitId, who: &str, before: &Head) -> Result<()> {
    let Some(claim) = claim_of(repository, commit)? else { return Ok(()) };
    let what = format!("the commit {}, {claim}, was made while {who} was at work", commit.short());
    Err(Error::new(Kind::Unsafe, what, take_it_off(commit, &before.commit)))
}

fn claim_of(repository: &Repository, commit: &CommitId) -> Result<Option<&'static str>> {
    let message = repository.commit(commit)?.message;
    Ok(if Subject::of(&message) != Subject::Other || carries_step(&message) {
        Some("which claims to be a step")
    } else if !Landing::all_in(&message).is_empty() {
        Some("which claims that tasks are complete")
    } else if reverts_a_step(repository, &message)? {
        Some("which reverts a step")
    } else {
        None
    })
}

fn take_it_off(commit: &CommitId, before: &CommitId) -> String {
    format!(
        "Look at it with `git show {}`, take it off the branch with {}, and run the same command again.",
        commit.short(),
        taken_off_by(&before.short())
    )
}

/// How commits are taken off the branch, for people. `git reset --keep` takes their files along, and refuses where one of
/// these was changed again since; what remains without `--keep` is saved by the next run.
pub(crate) fn taken_off_by(before: &str) -> String {
    format!(
        "`git reset --keep {before}` (where git refuses that because files were changed since: `git reset {before}`, which \
         leaves all files as they are)"
    )
}

/// The commits since `before` for which [`check_branch`] refuses the branch, oldest first.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn forged_since(git: &Git, repository: &Repository, before: &Head) -> Result<Vec<CommitId>> {
    let mut forged = Vec::new();
    for commit in git.commits_between(&before.commit, &repository.branch()?.commit)?.into_iter().rev() {
        if claim_of(repository, &commit)?.is_some() {
            forged.push(commit);
        }
    }
    Ok(forged)
}

/// Refuses to begin as long as a commit that an earlier run refused is still on the branch, because it would count.
///
/// # Errors
/// [`Kind::Unsafe`], naming the first.
pub(crate) fn check_taken_off(git: &Git, repository: &Repository, refused: &[CommitId]) -> Result<()> {
    let Some(first) = refused.first() else { return Ok(()) };
    let head = repository.branch()?.commit;
    for commit in refused {
        // A commit that no longer exists is not on any branch.
        if git.is_ancestor(commit, &head).unwrap_or(false) {
            let before = repository.first_parent(first)?.unwrap_or(*first);
            return Err(Error::new(
                Kind::Unsafe,
                format!(
                    "the commit {}, which a program of an earlier run made, is still there",
                    commit.short()
                ),
                take_it_off(commit, &before),
            ));
        }
    }
    Ok(())
}

/// Whether a message says that it reverts a step or a merge that brought steps in, or that it brings one back by
/// reverting a revert. What the commit really changes does not matter: a program of a run must not say anything about
/// steps.
fn reverts_a_step(repository: &Repository, message: &[u8]) -> Result<bool> {
    let mut asked = HashSet::new();
    let mut open = RevertClaim::all_in(message);
    while let Some(claim) = open.pop() {
        if claim.subject() != Subject::Other {
            return Ok(true);
        }
        let Some(named) = claim.named else { continue };
        let Some(id) = repository.find(&named.id)? else { continue };
        // A commit that cannot be read here is not ours.
        let Ok(commit) = repository.commit(&id) else { continue };
        if carries_step(&commit.message) || !Landing::all_in(&commit.message).is_empty() {
            return Ok(true);
        }
        if let Some(mainline) = mainline_of(&commit, &named)
            && !pick_steps(repository, &Range::behind(mainline, id), |_, _| Some(()))?.is_empty()
        {
            return Ok(true);
        }
        if asked.insert(id) {
            open.extend(RevertClaim::all_in(&commit.message));
        }
    }
    Ok(false)
}

/// The parent to which the revert of a merge goes back; `None` for a commit that is not a merge.
fn mainline_of(commit: &Commit, named: &NamedCommit) -> Option<CommitId> {
    let [first, _, ..] = commit.parents[..] else { return None };
    let is_named = |parent: &CommitId| named.mainline.as_ref().is_some_and(|mainline| mainline.fits(parent));
    Some(commit.parents.iter().copied().find(is_named).unwrap_or(first))
}

fn commits(count: usize) -> String {
    if count == 1 { "1 commit was".to_owned() } else { format!("{count} commits were") }
}

/// The worker in a step, for messages.
pub(crate) fn who(step: Step) -> &'static str {
    match step.role() {
        Some(Role::Implementer | Role::TestWriter) => "the runner",
        Some(Role::Reviewer) => "the reviewer",
        None => "a test command",
    }
}

fn go_back(before: &Head) -> String {
    format!(
        "The step was not committed, and nothing is lost. Go back with `git switch {}` and run the same command again.",
        shell_word(before.branch_name())
    )
}
