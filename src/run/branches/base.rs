//! Finds the base branch again: the one from which the branch of a phase was made and into which it is merged; and the default branch
//! of the repository, on which many people do not want steps.
//!
//! git knows the base branch, because it is the upstream of the branch. If that is gone, as in a fresh clone, it is what the
//! user names. Otherwise it is the only local branch that contains the commit at which the branch of the phase began,
//! and what was merged into it since; if there is none or more than one, the user has to name it.

use std::collections::BTreeSet;

use super::names::is_of_a_run;
use crate::error::Result;
use crate::git::{Git, WorkTree};
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

/// The default branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DefaultBranch {
    /// Its name, without `refs/heads/`.
    pub name: String,
    /// Whether the remote repository says so, so that it is certain.
    pub is_certain: bool,
}

impl DefaultBranch {
    /// The branch that the remote repository `origin` has as its default branch; `None` if that is not known.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn of_origin(git: &Git, work_tree: &WorkTree) -> Result<Option<Self>> {
        // In a repository with references in files, this saves a call of git.
        let has_files = !work_tree.common_dir.join("reftable").exists();
        if has_files && !work_tree.common_dir.join("refs/remotes/origin/HEAD").exists() {
            return Ok(None);
        }
        let name = git.default_branch_of("origin")?;
        Ok(name.map(|name| Self { name, is_certain: true }))
    }

    /// The same or, if that is not known, the existing branch that git would make in a new repository or, if there is none,
    /// whichever of `main` and `master` exists, unless both do.
    ///
    /// # Errors
    /// If git cannot be called.
    pub fn find(git: &Git, work_tree: &WorkTree, repository: &Repository) -> Result<Option<Self>> {
        if let Some(certain) = Self::of_origin(git, work_tree)? {
            return Ok(Some(certain));
        }
        let guess = |name: String| Self { name, is_certain: false };
        if let Some(name) = git.initial_branch()?
            && repository.tip_of(&name)?.is_some()
        {
            return Ok(Some(guess(name)));
        }
        let there = |name: &str| -> Result<bool> { Ok(repository.tip_of(name)?.is_some()) };
        Ok(match (there("main")?, there("master")?) {
            (true, false) => Some(guess("main".to_owned())),
            (false, true) => Some(guess("master".to_owned())),
            _ => None,
        })
    }
}
