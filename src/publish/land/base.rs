//! The branch into which a run will be merged, and where the run left it. Landed commits name that place, so it must still be an
//! ancestor after a squash or a rebase has replaced all commits of the run's branch.

use crate::error::{Error, Kind, Result};
use crate::git::{Git, WorkTree};
use crate::history::Repository;
use crate::record::CommitId;
use crate::run::DefaultBranch;
use crate::text::one_line;

/// The branch into which a run will be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LandBase {
    /// Its name, or the revision that was named.
    pub name: String,
    /// Its newest commit that is known here.
    pub tip: CommitId,
}

impl LandBase {
    /// The branch with this name, or the revision. If none is named, it is the branch that the one which is checked out tracks,
    /// otherwise the default branch; `None` if that is not known, or is checked out itself. Of a branch and its copy of the remote
    /// repository, the one that is ahead counts.
    ///
    /// # Errors
    /// [`Kind::Input`] if there is no such branch or commit.
    pub fn find(
        git: &Git,
        work_tree: &WorkTree,
        repository: &Repository,
        named: Option<&str>,
        remote: Option<&str>,
    ) -> Result<Option<Self>> {
        let current = repository.branch().ok().map(|head| head.branch_name().to_owned());
        let upstream = match &current {
            Some(current) => repository.upstream(current)?,
            None => None,
        };
        let name = match (named, upstream) {
            (Some(name), _) => name.to_owned(),
            (None, Some(upstream)) => upstream,
            (None, None) => match DefaultBranch::find(git, work_tree, repository)? {
                Some(default) => default.name,
                None => return Ok(None),
            },
        };
        if current.as_ref() == Some(&name) {
            return Ok(None);
        }
        let fetched = match remote {
            Some(remote) => git.commit_named(&format!("refs/remotes/{remote}/{name}"))?,
            None => None,
        };
        let here = git.commit_named(&name)?;
        let has_run = match (here, repository.branch()) {
            (Some(here), Ok(head)) => git.is_ancestor(&head.commit, &here)?,
            _ => false,
        };
        // A run on the base itself, from which another branch was made afterwards, is not where requests go yet.
        let here = here.filter(|_| !has_run || remote.is_none() || named.is_some());
        let tip = match (here, fetched) {
            (Some(here), Some(fetched)) if !git.is_ancestor(&fetched, &here)? => fetched,
            (Some(tip), _) | (None, Some(tip)) => tip,
            (None, None) if named.is_none() => return Ok(None),
            (None, None) => {
                return Err(Error::new(
                    Kind::Input,
                    format!("there is no branch or commit `{}`", one_line(&name)),
                    "Name the branch into which the run will be merged with `--base`.",
                ));
            }
        };
        Ok(Some(Self { name, tip }))
    }
}

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
