//! What git does not track in a scratch work tree: what the preparation has made there, and what tests have left.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use crate::error::{Error, Result};
use crate::files::Folder;
use crate::git::FilledSubmodule;

/// The folder in which cargo keeps what it can tell to be up to date by itself, and what is beside it.
const BUILD: [&str; 2] = ["target/", "Cargo.toml"];

/// What stays when everything is removed that git does not track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Keep {
    /// What the preparation has made.
    Prepared,
    /// That, and what cargo has built.
    Builds,
}

/// The untracked files of a work tree.
pub(super) struct Untracked<'a> {
    /// The paths that its index has, and whether each is the folder of a submodule.
    pub(super) tracked: &'a HashMap<Vec<u8>, bool>,
    /// Its folder.
    pub(super) top: &'a Path,
    /// Its submodules.
    pub(super) submodules: &'a [FilledSubmodule],
    /// The entries that the preparation has made.
    pub(super) prepared: &'a HashSet<Vec<u8>>,
}

impl Untracked<'_> {
    /// The files and folders, from the top; folders end with `/`.
    ///
    /// # Errors
    /// If an index cannot be read.
    pub(super) fn list(&self) -> Result<Vec<Vec<u8>>> {
        let mut untracked = untracked_in(self.top, self.tracked);
        for inner in self.submodules {
            let folder = [inner.path.as_os_str().as_bytes(), b"/"].concat();
            let names = untracked_in(&self.top.join(&inner.path), &inner.git.tracked_paths()?).into_iter();
            untracked.extend(names.map(|name| [folder.as_slice(), &name].concat()));
        }
        Ok(untracked)
    }

    /// Removes what is not to be kept.
    ///
    /// # Errors
    /// If something cannot be removed.
    pub(super) fn remove(&self, keep: Keep) -> Result<()> {
        let untracked = self.list()?;
        let is_build = |entry: &[u8]| {
            let folder = entry.strip_suffix(BUILD[0].as_bytes());
            let folder = folder.filter(|folder| folder.is_empty() || folder.ends_with(b"/"));
            let beside = folder.map(|folder| [folder, BUILD[1].as_bytes()].concat());
            // A manifest that tests have written makes no build.
            beside.is_some_and(|file| {
                self.top.join(OsStr::from_bytes(&file)).is_file() && !untracked.contains(&file)
            })
        };
        for entry in &untracked {
            if keep == Keep::Prepared || !is_build(entry) {
                self.remove_unprepared(entry)?;
            }
        }
        Ok(())
    }

    /// Removes an entry, apart from what the preparation has made in it.
    fn remove_unprepared(&self, entry: &[u8]) -> Result<()> {
        let is_outer = |end: usize| entry[end] == b'/' && self.prepared.contains(&entry[..=end]);
        if self.prepared.contains(entry) || (0..entry.len()).any(is_outer) {
            return Ok(());
        }
        let name = entry.strip_suffix(b"/").unwrap_or(entry);
        let path = self.top.join(OsStr::from_bytes(name));
        let not_removed = |error: std::io::Error| Error::not_written(path.display(), &error);
        let is_folder = path.symlink_metadata().is_ok_and(|meta| meta.is_dir());
        // git names one folder where it tracks nothing in it, also if that was otherwise when it was prepared.
        let folder = [name, b"/"].concat();
        if !is_folder || !self.prepared.iter().any(|inner| inner.starts_with(&folder)) {
            let top = Folder::open(self.top).map_err(not_removed)?;
            return top.remove_below(Path::new(OsStr::from_bytes(name))).map_err(not_removed);
        }
        for inner in std::fs::read_dir(&path).map_err(not_removed)? {
            let inner = inner.map_err(not_removed)?;
            let is_folder = inner.file_type().map_err(not_removed)?.is_dir();
            let end: &[u8] = if is_folder { b"/" } else { b"" };
            self.remove_unprepared(&[&folder, inner.file_name().as_bytes(), end].concat())?;
        }
        Ok(())
    }
}

/// The files and folders below `top` that are not tracked, ignored ones too, as `git ls-files --others --directory` lists
/// them: a folder without tracked files is one entry that ends with `/`. `tracked` says of each tracked path whether it is
/// the folder of a submodule.
///
/// This is asked several times in each proof, and the index is ours, so no git is started for it each time.
fn untracked_in(top: &Path, tracked: &HashMap<Vec<u8>, bool>) -> Vec<Vec<u8>> {
    let ends = |path: &'_ Vec<u8>| -> Vec<usize> {
        path.iter().enumerate().filter(|(_, byte)| **byte == b'/').map(|(end, _)| end + 1).collect()
    };
    let folders: HashSet<&[u8]> =
        tracked.keys().flat_map(|path| ends(path).into_iter().map(move |end| &path[..end])).collect();
    let (mut found, mut open) = (Vec::new(), vec![Vec::new()]);
    while let Some(folder) = open.pop() {
        // What cannot be read has nothing that could be removed.
        let entries = std::fs::read_dir(top.join(OsStr::from_bytes(&folder))).into_iter().flatten().flatten();
        for entry in entries.filter(|entry| entry.file_name() != ".git") {
            let mut path = [folder.as_slice(), entry.file_name().as_bytes()].concat();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            match tracked.get(&path) {
                Some(true) => {}
                Some(false) if !is_folder => {}
                _ if is_folder => {
                    path.push(b'/');
                    if folders.contains(path.as_slice()) { open.push(path) } else { found.push(path) }
                }
                _ => found.push(path),
            }
        }
    }
    found.sort();
    found
}
