//! Keeps what git knows about a scratch work tree (the index, HEAD, settings), and puts it back after tests have run there. Tests
//! can write all of it. A file that they add to the index would count as one of the commit, and another HEAD or another setting would
//! lead our next call of git elsewhere.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::io::{Result as IoResult, Write as _};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use crate::error::{Error, Kind, Result};
use crate::files::{self, Folder};
use crate::git::WorkTree;

/// Folders of git that are large, and that decide nothing.
const LEFT_OUT: [&str; 2] = ["objects", "logs"];

/// The files that git keeps for one work tree, and for its submodules.
#[derive(Debug, Default)]
pub(super) struct GitFiles {
    git_dir: PathBuf,
    files: BTreeMap<PathBuf, Kept>,
    folders: BTreeSet<PathBuf>,
}

#[derive(Debug)]
struct Kept {
    content: Vec<u8>,
    permissions: Permissions,
    /// git compares the time of the index with those of the files.
    modified: SystemTime,
}

impl GitFiles {
    /// Reads them as they are now. The folders of submodules are given from the top.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub(super) fn read(work_tree: &WorkTree, submodules: &[PathBuf]) -> Result<Self> {
        let WorkTree { top, git_dir, .. } = work_tree;
        let mut files = Self { git_dir: git_dir.clone(), ..Self::default() };
        let links = submodules.iter().map(|path| top.join(path)).chain([top.clone()]);
        let read = files.read_folder(git_dir.clone()).and_then(|()| {
            links.map(|folder| folder.join(".git")).try_for_each(|link| files.read_file(link))
        });
        read.map_err(|error| {
            let what = format!("the clean checkout {} could not be read: {error}", top.display());
            Error::new(Kind::Environment, what, "Run the same command again.")
        })?;
        Ok(files)
    }

    fn read_folder(&mut self, folder: PathBuf) -> IoResult<()> {
        let mut open = vec![folder];
        while let Some(folder) = open.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let entry = entry?;
                let kind = entry.file_type()?;
                if kind.is_file() {
                    self.read_file(entry.path())?;
                } else if kind.is_dir() && !is_left_out(&entry.path()) {
                    open.push(entry.path());
                }
            }
            self.folders.insert(folder);
        }
        Ok(())
    }

    fn read_file(&mut self, path: PathBuf) -> IoResult<()> {
        let (content, meta) = (files::read(&path, files::LARGE)?, path.symlink_metadata()?);
        let kept = Kept { content, permissions: meta.permissions(), modified: meta.modified()? };
        self.files.insert(path, kept);
        Ok(())
    }

    /// The index as it is now, if it differs from the one that was read.
    pub(super) fn other_index(&self) -> Option<Vec<u8>> {
        let path = self.git_dir.join("index");
        // An index that is gone has no entries, and differs.
        let now = files::read(&path, files::LARGE).unwrap_or_default();
        self.files.get(&path).is_none_or(|kept| kept.content != now).then_some(now)
    }

    /// Writes back what differs, and removes what was added: locks too, which programs that were ended have left.
    ///
    /// # Errors
    /// If something cannot be written or removed.
    pub(super) fn put_back(&self) -> Result<()> {
        let put_back = || {
            self.remove_added()?;
            self.files.iter().try_for_each(|(path, kept)| kept.put_back(path))
        };
        put_back().map_err(|error| Error::not_written(self.git_dir.display(), &error))
    }

    fn remove_added(&self) -> IoResult<()> {
        for folder in &self.folders {
            let is_folder = folder.symlink_metadata().is_ok_and(|meta| meta.is_dir());
            let entries = is_folder.then(|| std::fs::read_dir(folder)).transpose()?.into_iter().flatten();
            for path in entries.flatten().map(|entry| entry.path()) {
                let Ok(meta) = path.symlink_metadata() else { continue };
                let is_known = if meta.is_dir() {
                    self.folders.contains(&path) || is_left_out(&path)
                } else {
                    self.files.contains_key(&path)
                };
                if !is_known {
                    let (folder, name) = Folder::around(&path)?;
                    folder.remove_all(name)?;
                }
            }
        }
        Ok(())
    }
}

impl Kept {
    fn put_back(&self, path: &Path) -> IoResult<()> {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder)?;
        }
        let (folder, name) = Folder::around(path)?;
        if let Ok(meta) = path.symlink_metadata() {
            let is_same = meta.is_file() && meta.modified().ok() == Some(self.modified);
            if is_same && files::read(path, files::LARGE).is_ok_and(|content| content == self.content) {
                return Ok(());
            }
            folder.remove_all(name)?;
        }
        let mut file = folder.create_new(name, 0o600)?;
        file.write_all(&self.content)?;
        file.set_permissions(self.permissions.clone())?;
        file.set_modified(self.modified)
    }
}

fn is_left_out(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| LEFT_OUT.iter().any(|known| name == *known))
}
