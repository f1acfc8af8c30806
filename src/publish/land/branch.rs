//! Gives a landed branch its name: makes the branch, or moves one that an earlier landing has made.

use super::survey::LandInputs;
use crate::error::{Error, Kind, Result};
use crate::record::CommitId;
use crate::text::{one_line, shell_word};

/// The branch that will be made or moved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LandTarget {
    /// Its name, without `refs/heads/`.
    pub name: String,
    /// Its newest commit, here or in the remote repository, if it exists already.
    pub tip: Option<CommitId>,
    /// Its newest commit here.
    here: Option<CommitId>,
    /// Its newest commit in the remote repository, if that was fetched.
    pub there: Option<CommitId>,
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
        let tip = inputs.repository.tip_of(&name)?;
        Ok(Self { name, tip, here: tip, there: None })
    }

    /// Takes into account what the branch has in the remote repository with this name. `known` are the commits at which it
    /// was there before, as far as that is known here.
    ///
    /// # Errors
    /// [`Kind::Repository`] if it was rewritten there, or if each of the two has commits that the other does not have.
    pub fn fetched(
        &mut self,
        inputs: &LandInputs<'_>,
        remote: &str,
        known: &[CommitId],
        there: CommitId,
    ) -> Result<()> {
        let git = inputs.git;
        self.there = Some(there);
        let Some(here) = self.here.filter(|here| *here != there) else {
            self.tip = Some(there);
            return Ok(());
        };
        if git.is_ancestor(&there, &here)? {
            return Ok(());
        }
        if git.is_ancestor(&here, &there)? {
            self.tip = Some(there);
            return Ok(());
        }
        let (name, remote) = (one_line(&self.name), one_line(remote));
        // A fetch has moved what is known of it, but git remembers what was pushed.
        let mut is_rewritten = false;
        for known in known {
            is_rewritten |= git.has_object(known)?
                && git.is_ancestor(known, &here)?
                && !git.is_ancestor(known, &there)?;
        }
        let (here, there) = (here.short(), there.short());
        Err(if is_rewritten {
            Error::new(
                Kind::Repository,
                format!(
                    "the branch {name} of {remote} was rewritten: it is at {there}, which does not have {here} any more"
                ),
                format!(
                    "Nothing was changed. `git log {here}..{there}` shows what is new there. `--branch NAME` lands the run on another \
                     branch."
                ),
            )
        } else {
            Error::new(
                Kind::Repository,
                format!(
                    "the branch {name} has commits here that were not pushed, and others in {remote}: {here} and {there}"
                ),
                format!(
                    "Nothing was changed. `git log {there}..{here}` shows those that are only here. If they are only landed commits, \
                     `git branch -f {name} {there}` drops them, and the same command makes them again on top of the others.",
                    name = shell_word(&self.name)
                ),
            )
        })
    }

    /// Makes the branch, or moves it ahead. It begins at `base`.
    ///
    /// # Errors
    /// If git refuses, or the branch is checked out in a work tree.
    pub fn set(
        &self,
        inputs: &LandInputs<'_>,
        base: &CommitId,
        new: &CommitId,
    ) -> Result<LandedBranchChange> {
        inputs.git.require_connected(base, new)?;
        let Some(tip) = self.here else {
            inputs.git.new_branch(&self.name, new)?;
            return Ok(LandedBranchChange::Made);
        };
        if tip == *new {
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
        inputs.git.advance_branch(&self.name, &tip, new)?;
        Ok(LandedBranchChange::Advanced)
    }
}
