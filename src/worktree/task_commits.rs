//! Finds commits that say something about tasks: whether they are steps, complete, or reverted.

use std::collections::HashSet;

use crate::error::Result;
use crate::git::Git;
use crate::history::{Commit, Range, Repository, pick_steps};
use crate::record::{CommitId, Landing, NamedCommit, RevertClaim, Subject, carries_step};

/// A commit that claims something about tasks, which only commits of ours may do.
#[derive(Clone, Debug)]
pub(crate) struct ClaimingCommit {
    /// The commit.
    pub(crate) commit: CommitId,
    /// What it claims, as a clause.
    pub(crate) what: &'static str,
}

/// The first of these commits that claims to be a step or reverts one: only our own steps may change the state of a task.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn first_claim(repository: &Repository, commits: &[CommitId]) -> Result<Option<ClaimingCommit>> {
    for commit in commits {
        if let Some(what) = claim_of(repository, commit)? {
            return Ok(Some(ClaimingCommit { commit: *commit, what }));
        }
    }
    Ok(None)
}

/// Whether a commit is on top of another one, and nothing between them claims anything about tasks. If something cannot be read, the answer is no.
pub(crate) fn is_on_top_without_claims(
    git: &Git,
    repository: &Repository,
    base: &CommitId,
    commit: &CommitId,
) -> bool {
    git.is_ancestor(base, commit).unwrap_or(false)
        && git
            .commits_between(base, commit)
            .is_ok_and(|new| matches!(first_claim(repository, &new), Ok(None)))
}

/// What a commit claims, if it claims anything.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn claim_of(repository: &Repository, commit: &CommitId) -> Result<Option<&'static str>> {
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
