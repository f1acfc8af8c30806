//! Checks, before any work is done, whether git can write everything that a commit needs.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, AtFlags, CWD, accessat};
use rustix::io::Errno;

use super::WorkTree;
use crate::error::{Error, Kind, Result};

impl WorkTree {
    /// Refuses a repository in which a commit on this branch, given by its full name, could not be made. Nothing is
    /// written.
    ///
    /// # Errors
    /// [`Kind::Environment`], naming the file or folder.
    pub fn check_writable(&self, branch: &str) -> Result<()> {
        let common = |name: &str| self.common_dir.join(name);
        let folders = [
            self.git_dir.clone(),
            common("objects"),
            common("refs"),
            common("refs/heads"),
            common("reftable"),
            folder_of(&common(branch)),
            folder_of(&common("logs").join(branch)),
        ];
        let files = [self.git_dir.join("logs/HEAD"), common("logs").join(branch)];
        // In a repository with reftables, `refs/heads` is a file that nothing is written to.
        let folders = folders
            .iter()
            .filter(|folder| folder.is_dir())
            .map(|folder| (folder, Access::WRITE_OK | Access::EXEC_OK));
        for (path, access) in folders.chain(files.iter().map(|file| (file, Access::WRITE_OK))) {
            // A missing path is created later, or not used in this kind of repository.
            if let Err(error @ (Errno::ACCESS | Errno::ROFS | Errno::PERM)) =
                accessat(CWD, path, access, AtFlags::EACCESS)
            {
                return Err(unwritable(path, error));
            }
        }
        Ok(())
    }
}

/// The folder in which a file would be created: the nearest existing folder above it.
fn folder_of(file: &Path) -> PathBuf {
    file.ancestors().skip(1).find(|folder| folder.is_dir()).unwrap_or(file).to_owned()
}

fn unwritable(path: &Path, error: Errno) -> Error {
    Error::new(
        Kind::Environment,
        format!(
            "{} is not writable, so nothing can be committed: {}",
            path.display(),
            std::io::Error::from(error)
        ),
        "No agent was started. Make it writable for you, then run the same command again.",
    )
}
