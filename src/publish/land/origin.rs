//! Finds the commit at which a run left the branch that it will be merged into. Landed commits name it, so it must still be
//! an ancestor after a squash or a rebase has replaced all commits of the run's branch.

use crate::error::Result;
use crate::git::{Git, WorkTree};
use crate::history::Repository;
use crate::record::CommitId;
use crate::run::DefaultBranch;

/// The commit at which the branch of `start` left the default branch, or the branch that the one which is checked out tracks;
/// `start` itself, the commit before the first step, if that is not known. Of several such commits, it is the oldest.
///
/// # Errors
/// If branches or commits cannot be read.
pub fn run_origin(
    git: &Git,
    work_tree: &WorkTree,
    repository: &Repository,
    start: CommitId,
) -> Result<CommitId> {
    let mut targets = Vec::new();
    if let Some(default) = DefaultBranch::find(git, work_tree, repository)? {
        targets.extend(git.commit_named(&format!("refs/remotes/origin/{}", default.name))?);
        targets.extend(repository.tip_of(&default.name)?);
    }
    if let Ok(head) = repository.branch()
        && let Some(upstream) = repository.upstream(head.branch_name())?
    {
        targets.extend(repository.tip_of(&upstream)?);
    }
    let mut origin = start;
    for target in targets {
        if let Some(left) = git.merge_base(&target, &start)?
            && git.is_ancestor(&left, &origin)?
        {
            origin = left;
        }
    }
    Ok(origin)
}
