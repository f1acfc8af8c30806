//! Takes commits off the branch that another program made while a step was committed, if they claim anything about tasks.

use super::{Branch, CommitFailure, is_meant};
use crate::error::Result;
use crate::record::{CommitId, StepMessage};
use crate::worktree::branch_watch::{During, check_branch};
use crate::worktree::task_commits::first_claim;

/// What has gone wrong with the commit of a step. If that is because another program has put its own step on the branch,
/// the branch is put back, and the step can be committed by the next run: nothing that is forged counts.
pub(crate) fn without_strangers(
    branch: Branch<'_>,
    merged: Option<&CommitId>,
    meant: &StepMessage,
    failure: CommitFailure,
) -> CommitFailure {
    let Branch { git, repository, head, .. } = branch;
    // What cannot be read is told by the failure itself.
    if !has_claims_of_others(branch, merged, meant).unwrap_or(false) {
        return failure;
    }
    match check_branch(git, repository, head, During::run(&[])) {
        Ok(_) => failure,
        Err(error) => CommitFailure::not_made(error),
    }
}

fn has_claims_of_others(
    Branch { git, repository, head, .. }: Branch<'_>,
    merged: Option<&CommitId>,
    meant: &StepMessage,
) -> Result<bool> {
    let Some(tip) = git.commit_named(&head.branch)?.filter(|tip| *tip != head.commit) else {
        return Ok(false);
    };
    let known = merged.into_iter().chain([&head.commit]);
    let mut others = Vec::new();
    for commit in git.commits_beside(&tip, known)? {
        if !is_meant(&repository.commit(&commit)?.message, meant) {
            others.push(commit);
        }
    }
    Ok(first_claim(repository, &others)?.is_some())
}
