//! Gives a landed branch its name: makes the branch, or moves one that an earlier landing has made.

use super::BuiltBranch;
use super::survey::LandInputs;
use crate::error::{Error, Kind, Result};
use crate::record::CommitId;
use crate::text::shell_word;

/// The branch that will be made or moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LandTarget {
    /// Its name, without `refs/heads/`.
    pub name: String,
    /// Its tip, if it exists already.
    pub tip: Option<CommitId>,
}

/// What became of the branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LandedBranchChange {
    /// It was made.
    Made,
    /// It existed and now has more commits.
    Advanced,
    /// It had these commits already.
    Unchanged,
}

impl LandTarget {
    /// Looks the branch up.
    ///
    /// # Errors
    /// [`Kind::Input`] if no branch can have this name.
    pub fn find(inputs: &LandInputs<'_>, name: &str) -> Result<Self> {
        let name = inputs.git.branch_meant(name)?.ok_or_else(|| {
            Error::new(
                Kind::Input,
                format!("`{name}` is not a name that a branch can have"),
                "Choose another one with `--branch NAME`.",
            )
        })?;
        Ok(Self { tip: inputs.repository.tip_of(&name)?, name })
    }

    /// Refuses a branch that holds anything else than an earlier part of what was built.
    ///
    /// # Errors
    /// [`Kind::Repository`] if it does.
    pub fn check(&self, built: &BuiltBranch) -> Result<()> {
        let Some(tip) = self.tip else { return Ok(()) };
        let is_part = tip == built.base || built.commits.iter().any(|commit| commit.id == tip);
        if is_part {
            return Ok(());
        }
        Err(Error::new(
            Kind::Repository,
            format!("the branch {} exists and holds other commits", self.name),
            format!(
                "Nothing was changed. Choose another name with `--branch NAME`, or delete it with `git branch -D {}` if you do \
                 not need it.",
                shell_word(&self.name)
            ),
        ))
    }

    /// Makes the branch, or moves it ahead.
    ///
    /// # Errors
    /// If git refuses, or the branch is checked out in a work tree.
    pub fn set(&self, inputs: &LandInputs<'_>, built: &BuiltBranch) -> Result<LandedBranchChange> {
        self.check(built)?;
        inputs.git.require_connected(&built.base, &built.tip)?;
        let Some(tip) = self.tip else {
            inputs.git.new_branch(&self.name, &built.tip)?;
            return Ok(LandedBranchChange::Made);
        };
        if tip == built.tip {
            return Ok(LandedBranchChange::Unchanged);
        }
        if let Some(folder) = inputs.git.work_tree_of_branch(&self.name)? {
            return Err(Error::new(
                Kind::Repository,
                format!(
                    "the branch {} is checked out in {}, so it cannot be moved",
                    self.name,
                    folder.display()
                ),
                "Nothing was changed. Switch that work tree to another branch, or choose another name with `--branch NAME`.",
            ));
        }
        inputs.git.advance_branch(&self.name, &tip, &built.tip)?;
        Ok(LandedBranchChange::Advanced)
    }
}
