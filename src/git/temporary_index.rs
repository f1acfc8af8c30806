//! A temporary index, so that the index of the work tree stays as it is.

use super::Variable;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::files::Folder;

/// An index file that no other program uses, removed when it is dropped.
pub(super) struct TemporaryIndex {
    file: PathBuf,
}

impl TemporaryIndex {
    /// An index without a file yet, so that git begins with an empty one.
    ///
    /// # Errors
    /// If its folder cannot be created.
    pub(super) fn empty(git_dir: &Path) -> Result<Self> {
        let own = Folder::make_own(git_dir, "");
        let own = own.map_err(|error| Error::not_written(git_dir.display(), &error))?;
        let index = Self { file: own.path().join(format!("index-{}", std::process::id())) };
        index.clear();
        Ok(index)
    }

    /// A copy of the work tree's index, so that git need not read every file again.
    ///
    /// # Errors
    /// If it cannot be copied.
    pub(super) fn copy(git_dir: &Path) -> Result<Self> {
        let index = Self::empty(git_dir)?;
        match std::fs::copy(git_dir.join("index"), &index.file) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                Err(Error::not_written(index.file.display(), &error))
            }
            _ => Ok(index),
        }
    }

    /// The variable that makes git use it.
    pub(super) fn variable(&self) -> Variable {
        Variable { name: "GIT_INDEX_FILE", value: self.file.clone().into() }
    }

    fn clear(&self) {
        // Otherwise git would add to a file that is left over from a process with the same id. There is no way to
        // report an error here.
        let _ = std::fs::remove_file(&self.file);
        let _ = std::fs::remove_file(self.file.with_extension("lock"));
    }
}

impl Drop for TemporaryIndex {
    fn drop(&mut self) {
        self.clear();
    }
}
