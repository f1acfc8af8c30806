//! What a scratch work tree needs that is switched from one state of its files to the next.

use super::linked::UNDISTURBED;
use super::{Git, Pathspecs};
use crate::error::Result;
use crate::record::CommitId;

/// The names in a list of git, which ends each with a NUL.
fn names(output: &[u8]) -> Vec<Vec<u8>> {
    output.split(|byte| *byte == 0).filter(|name| !name.is_empty()).map(<[u8]>::to_vec).collect()
}

impl Git {
    /// The tracked files of the work tree that differ from the index, or are gone.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub fn changed_since_index(&self) -> Result<Vec<Vec<u8>>> {
        // Without this, files with another time would count as changed. It ends with 1 if some really are.
        self.call(["update-index", "-q", "--refresh"])?;
        let args = ["diff-files", "-z", "--name-only", "--ignore-submodules=all"];
        Ok(names(&self.demand(args)?))
    }

    /// The files and folders of the work tree that are not tracked, ignored ones too. A folder without tracked files is one
    /// entry that ends with `/`.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub fn untracked_and_ignored(&self) -> Result<Vec<Vec<u8>>> {
        Ok(names(&self.demand(["ls-files", "-z", "--others", "--directory"])?))
    }

    /// The paths that differ between two commits.
    ///
    /// # Errors
    /// If an object is missing.
    pub fn paths_between(&self, from: &CommitId, to: &CommitId) -> Result<Vec<Vec<u8>>> {
        let (from, to) = (from.to_string(), to.to_string());
        Ok(names(&self.demand(["diff-tree", "-r", "-z", "--name-only", "--no-renames", &from, &to])?))
    }

    /// Gives a linked work tree the files of another commit. Files that are the same are not written.
    ///
    /// # Errors
    /// If git fails: the disk is full, a filter fails, an object is missing.
    pub fn move_linked_tree(&self, commit: &CommitId) -> Result<()> {
        let commit = commit.to_string();
        let args = ["reset", "--hard", "--quiet", "--no-recurse-submodules", &commit];
        let args: Vec<&str> = UNDISTURBED.into_iter().chain(args).collect();
        let output = self.call_with(Pathspecs::AsUserHasThem, args, Vec::new())?;
        if output.status.success() { Ok(()) } else { Err(output.into_error("git reset")) }
    }
}
