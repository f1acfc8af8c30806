//! Restores saved files in the work tree, byte for byte.

use std::collections::{BTreeMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::io::{BufWriter, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::Path;

use super::path_kind::{PathKind, joined};
use super::put_back::remove_empty;
use super::unlink;
use crate::error::{Error, Kind, Result};
use crate::files::Folder;
use crate::git::{CatFile, Change, Entry, EntryKind, Git, PathEntry, Rescued, WorkTree};
use crate::text::show_path;

/// Writes saved files back into the work tree, byte for byte and without filters, and returns their paths. The index
/// stays as it is.
///
/// # Errors
/// [`Kind::Repository`] if something in their place would be lost. Then nothing is touched.
pub fn give_back(git: &Git, work_tree: &WorkTree, rescued: &Rescued) -> Result<Vec<Vec<u8>>> {
    let saved = git.changed_entries(&rescued.commit)?;
    let top = &work_tree.top;
    refuse_changed(&git.status()?, &saved)?;
    refuse_overlooked(git, top, &saved)?;
    refuse_hidden(git, top, &saved)?;
    for entry in saved.iter().filter(|entry| entry.entry.is_none()) {
        if matches!(PathKind::at(top, &entry.path), PathKind::File { .. } | PathKind::Link) {
            unlink(top, &entry.path)?;
        }
    }
    let mut objects = git.cat_file()?;
    for PathEntry { path, entry } in &saved {
        if let Some(entry) = entry {
            let not_written = |error| Error::not_written(show_path(path), &error);
            let path = Path::new(OsStr::from_bytes(path));
            let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else { continue };
            let folder = Folder::open(top).and_then(|top| top.make(folder, 0o777)).map_err(not_written)?;
            let next = format!(".arborist-{}", std::process::id());
            PendingWrite { folder, name, next, entry }.write(&mut objects)?;
        }
    }
    Ok(saved.into_iter().map(|entry| entry.path).collect())
}

fn refuse_changed(changes: &[Change], saved: &[PathEntry]) -> Result<()> {
    let paths: HashSet<&[u8]> = saved.iter().map(|entry| entry.path.as_slice()).collect();
    let dirty: Vec<String> =
        changes.iter().filter(|change| paths.contains(change.path.as_slice())).map(Change::shown).collect();
    refuse("these files have been changed since", &dirty)
}

/// Refuses to overwrite files in which git is told to overlook changes, because these are in no commit.
fn refuse_overlooked(git: &Git, top: &Path, saved: &[PathEntry]) -> Result<()> {
    let paths: HashSet<&[u8]> = saved.iter().map(|entry| entry.path.as_slice()).collect();
    let mut overlooked = git.overlooked_files(top)?;
    overlooked.retain(|path| paths.contains(path.as_slice()));
    let shown: Vec<String> = overlooked.iter().map(|path| show_path(path)).collect();
    refuse("git is told to overlook changes to these files", &shown)
}

/// Refuses to overwrite anything that `git status` does not show: an ignored file, a pipe, another folder.
fn refuse_hidden(git: &Git, top: &Path, saved: &[PathEntry]) -> Result<()> {
    let there = there(top, saved);
    if there.is_empty() {
        return Ok(());
    }
    let ours: HashSet<&[u8]> = saved.iter().map(|entry| entry.path.as_slice()).collect();
    let known = git.known_files()?;
    let may_go = |path: &[u8], seen: &PathKind| {
        matches!(seen, PathKind::File { .. } | PathKind::Link) && ours.contains(path) && known.contains(path)
    };
    let hidden = there.iter().filter(|(path, seen)| !may_go(path, seen));
    let hidden: Vec<String> = hidden.map(|(path, _)| show_path(path)).collect();
    refuse("something else is in the place of these files now", &hidden)
}

/// What is in the place of a file to be written.
fn there(top: &Path, saved: &[PathEntry]) -> BTreeMap<Vec<u8>, PathKind> {
    let mut there = BTreeMap::new();
    let mut open: Vec<Vec<u8>> =
        saved.iter().filter(|entry| entry.entry.is_some()).map(|entry| entry.path.clone()).collect();
    while let Some(path) = open.pop() {
        match PathKind::at(top, &path) {
            PathKind::Nothing => {}
            PathKind::Behind(part) => open.push(part),
            PathKind::Folder => {
                let entries = std::fs::read_dir(joined(top, &path)).into_iter().flatten().flatten();
                open.extend(entries.map(|entry| [&path, &b"/"[..], &entry.file_name().into_vec()].concat()));
            }
            seen => {
                there.insert(path, seen);
            }
        }
    }
    there
}

fn refuse(what: &str, paths: &[String]) -> Result<()> {
    if paths.is_empty() {
        return Ok(());
    }
    Err(Error::new(
        Kind::Repository,
        format!("{what}: {}", paths.join(", ")),
        "Nothing was touched. Commit or remove them, then run the same command again.",
    ))
}

/// A file or link to be written.
struct PendingWrite<'a> {
    /// The folder and the name where it belongs.
    folder: Folder,
    name: &'a OsStr,
    /// The temporary name under which it is written first.
    next: String,
    entry: &'a Entry,
}

impl PendingWrite<'_> {
    /// Moves it into place, replacing what is there, completely or not at all.
    fn write(&self, objects: &mut CatFile) -> Result<()> {
        let written = match self.entry.kind {
            // Only the id of its commit is known, which is in another repository.
            EntryKind::Submodule => return Ok(()),
            EntryKind::Link => self.link(objects),
            EntryKind::File => self.file(objects, 0o666),
            EntryKind::Executable => self.file(objects, 0o777),
        };
        let place = self.folder.path().join(self.name);
        remove_empty(&place);
        written.and_then(|()| self.folder.take(self.name, &self.folder, &self.next)).map_err(|error| {
            // The rest of the file is useless, and only the first error matters.
            let _ = self.folder.remove_file(&self.next);
            Error::not_written(place.display(), &error)
        })
    }

    fn file(&self, objects: &mut CatFile, mode: u32) -> std::io::Result<()> {
        let mut writer = BufWriter::new(self.folder.create_new(&self.next, mode)?);
        objects.copy(&self.entry.id, &mut writer).map_err(std::io::Error::other)?;
        writer.flush()
    }

    fn link(&self, objects: &mut CatFile) -> std::io::Result<()> {
        let mut target = Vec::new();
        objects.copy(&self.entry.id, &mut target).map_err(std::io::Error::other)?;
        self.folder.link(&self.next, &OsString::from_vec(target))
    }
}
