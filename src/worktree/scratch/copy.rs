//! Copies ignored files of the user's work tree into a scratch work tree, for example `.env` or `node_modules`.
//!
//! They are copied and not linked: a test could write through a link into the user's files, and programs that follow it
//! (as Node does for packages of a workspace) would use the user's sources and not those of the commit. Where the file
//! system shares the content of copies, they cost little.

use std::io::{ErrorKind, Result};
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use super::dependencies::Holds;
use crate::files::Folder;
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
    /// Copies a file, a link, or a folder with everything in it but caches, given by its path from the top. What the commit
    /// already has in that place is kept. What is removed while it is copied is left out: programs that work in the user's
    /// work tree may rewrite their files there at any moment.
    ///
    /// # Errors
    /// If something cannot be read or written.
    pub(super) fn copy(&self, path: &Path) -> Result<()> {
        let mut open = vec![path.to_owned()];
        while let Some(path) = open.pop() {
            if self.cancel.level() != CancelLevel::None {
                return Ok(());
            }
            match self.copy_entry(&path) {
                Ok(inner) => open.extend(inner),
                // The folders above its copy were just made, so it is the original that is gone.
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Copies a file or link, or makes a folder. Returns what has to be copied into the folder.
    fn copy_entry(&self, path: &Path) -> Result<Vec<PathBuf>> {
        let (from, to) = (self.from.join(path), self.to.join(path));
        let kind = from.symlink_metadata()?.file_type();
        let folder = if kind.is_dir() { path } else { path.parent().unwrap_or(Path::new("")) };
        // A link of the commit may lead to files of the user. Nothing runs in the copy that could put one there in this moment.
        match Folder::open(self.to)?.make(folder, 0o777) {
            Err(error) if error.kind() == ErrorKind::NotADirectory => return Ok(Vec::new()),
            made => drop(made?),
        }
        let mut inner = Vec::new();
        if kind.is_dir() {
            for entry in std::fs::read_dir(&from)? {
                let entry = entry?;
                let name = entry.file_name();
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                if !is_folder || Holds::of(path, &name) != Holds::Cache {
                    inner.push(path.join(name));
                }
            }
        } else if to.symlink_metadata().is_err() {
            if kind.is_symlink() {
                symlink(self.moved(path, &std::fs::read_link(&from)?), &to)?;
            } else if kind.is_file() {
                copy_file(&from, &to)?;
            }
        }
        Ok(inner)
    }

    /// The target of the link at `path`. One that leads into the user's work tree by its full path leads to the same place
    /// here, and one that leads out of it by a relative path keeps leading there. Relative links inside stay as they are.
    fn moved(&self, path: &Path, target: &Path) -> PathBuf {
        let folder = self.from.join(path.parent().unwrap_or(Path::new("")));
        let full = plain(&folder.join(target));
        match full.strip_prefix(self.from) {
            Ok(inner) if target.is_absolute() => self.to.join(inner),
            Ok(_) => target.to_owned(),
            Err(_) if target.is_absolute() => target.to_owned(),
            Err(_) => full,
        }
    }
}

/// A full path without `.` and `..`, as its words say.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => {
                plain.pop();
            }
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Copies a file with its permissions and its time, by which build tools know what is up to date.
fn copy_file(from: &Path, to: &Path) -> Result<()> {
    std::fs::copy(from, to)?;
    let modified = from.metadata()?.modified()?;
    // A read-only file keeps the time of its copy.
    if let Ok(copy) = crate::files::open_own(to) {
        // With another time, a build tool does some work again.
        let _ = copy.set_modified(modified);
    }
    Ok(())
}
