//! Finds the base branch again: the one from which the branch of a phase was made and into which it is merged.
//!
//! git knows it, because the base branch is the upstream of the branch. If that is gone, as in a fresh clone, it is what the
//! user names. Otherwise it is the only local branch that contains the commit at which the branch of the phase began,
//! and what was merged into it since; if there is none or more than one, the user has to name it.

use std::collections::BTreeSet;

use super::names::is_of_a_run;
use crate::error::Result;
use crate::history::{Repository, Run};
use crate::record::{CommitId, CommitKind, commit_kind};
use crate::run::plan::Plan;

/// The base branch of the branch of a phase.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum BaseOf {
    /// This one, without `refs/heads/`.
    Known(String),
    /// It is not certain. These could be it.
    Unknown(Vec<String>),
}

/// The base branch of a branch.
///
/// # Errors
/// If branches, the configuration or commits cannot be read.
pub(crate) fn find_base(repository: &Repository, plan: &Plan, run: &Run, branch: &str) -> Result<BaseOf> {
    if let Some(named) = &plan.branch_rule().base {
        return Ok(BaseOf::Known(named.clone()));
    }
    if let Some(upstream) = repository.upstream(branch)? {
        return Ok(BaseOf::Known(upstream));
    }
    let references = repository.references()?;
    let branches: Vec<(&str, CommitId)> =
        references.iter().filter_map(|(name, tip)| Some((name.strip_prefix("refs/heads/")?, *tip))).collect();
    let Some((_, tip)) = branches.iter().find(|(name, _)| *name == branch) else {
        return Ok(BaseOf::Unknown(Vec::new()));
    };
    let of_base: Vec<CommitId> = commits_of_base(repository, run, *tip)?.into_iter().collect();
    let mut found = Vec::new();
    for (name, tip) in branches {
        if !is_of_a_run(name) && repository.reached_from(tip, &of_base)?.len() == of_base.len() {
            found.push(name.to_owned());
        }
    }
    Ok(match <[String; 1]>::try_from(found) {
        Ok([only]) => BaseOf::Known(only),
        Err(several) => BaseOf::Unknown(several),
    })
}

/// The commits that a branch has from the one into which it is merged: the commit at which it began, and what its steps have merged
/// since. It began at the newest commit on its first line of descent that is not a step. If a person has committed there, that is
/// this commit, and then no other branch contains it.
fn commits_of_base(repository: &Repository, run: &Run, tip: CommitId) -> Result<BTreeSet<CommitId>> {
    let (mut at, mut commits) = (tip, BTreeSet::new());
    while Some(at) != run.range.anchor() {
        let commit = repository.commit(&at)?;
        let is_step = commit_kind(&commit.message) != CommitKind::Other;
        match commit.parents.split_first() {
            Some((parent, merged)) if is_step => {
                commits.extend(merged);
                at = *parent;
            }
            _ => break,
        }
    }
    commits.insert(at);
    Ok(commits)
}
