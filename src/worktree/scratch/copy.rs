//! Copies ignored files of the user's work tree into a scratch work tree, for example `.env` or `node_modules`.
//!
//! They are copied and not linked: a test could write through a link into the user's files, and programs that follow it
//! (as Node does for packages of a workspace) would use the user's sources and not those of the commit. Where the file
//! system shares the content of copies, they cost little.

use std::io::Result;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::process::{Cancel, CancelLevel};

/// A copy from one work tree to another.
pub(super) struct Copying<'a> {
    /// The top of the work tree from which files are taken.
    pub(super) from: &'a Path,
    /// The top of the work tree that gets them.
    pub(super) to: &'a Path,
    /// Ends the copy.
    pub(super) cancel: &'a Cancel,
}

impl Copying<'_> {
    /// Copies a file, a link, or a folder with everything in it, given by its path from the top. What the commit already
    /// has in that place is kept.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub(super) fn copy(&self, path: &Path) -> Result<()> {
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop() {
            if self.cancel.level() != CancelLevel::None {
                return Ok(());
            }
            let (from, to) = (self.from.join(&path), self.to.join(&path));
            let kind = from.symlink_metadata()?.file_type();
            if kind.is_dir() {
                for entry in std::fs::read_dir(&from)? {
                    open.push(path.join(entry?.file_name()));
                }
                std::fs::create_dir_all(&to)?;
            } else if to.symlink_metadata().is_err() {
                if let Some(folder) = to.parent() {
                    std::fs::create_dir_all(folder)?;
                }
                if kind.is_symlink() {
                    symlink(self.moved(&std::fs::read_link(&from)?), &to)?;
                } else if kind.is_file() {
                    copy_file(&from, &to)?;
                }
            }
        }
        Ok(())
    }

    /// The target of a link: one that leads into the user's work tree by its full path leads to the same place here.
    fn moved(&self, target: &Path) -> PathBuf {
        target.strip_prefix(self.from).map_or_else(|_| target.to_owned(), |inner| self.to.join(inner))
    }
}

/// Copies a file with its permissions and its time, by which build tools know what is up to date.
fn copy_file(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to)?;
    let modified = from.metadata()?.modified()?;
    // A file that nobody may write keeps the time of its copy.
    if let Ok(copy) = crate::files::open_own(to) {
        let _ = copy.set_modified(modified);
    }
    Ok(())
}
