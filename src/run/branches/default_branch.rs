//! Finds the default branch of a repository, on which many people do not want steps.

use crate::error::Result;
use crate::git::{Git, WorkTree};
use crate::history::Repository;

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
