//! Sorts the files that an interrupted step left on disk: those that can be saved, those that must make room for HEAD's
//! files, and those that must stay.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::Permissions;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use rustix::fs::{Access, access};

use super::path_kind::{PathKind, joined};
use crate::git::{Change, ChangeKind, CommittableKind, FoundPath};
use crate::text::show_path;

/// A changed path, and whether HEAD's version should be restored there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LeftPath<'a> {
    pub(crate) change: &'a Change,
    pub(crate) is_put_back: bool,
}

/// The files that an interrupted step left on disk.
#[derive(Debug, Default)]
pub(crate) struct Remains {
    found: BTreeMap<Vec<u8>, CommittableKind>,
    in_the_way: BTreeSet<Vec<u8>>,
    stays: BTreeMap<Vec<u8>, String>,
    unusual: BTreeMap<Vec<u8>, &'static str>,
}

impl Remains {
    /// Looks at the paths that the step left. Those in `stays` must stay, for the reasons given there. A file of ours
    /// without read permission is made readable, because it could not be saved otherwise.
    pub(crate) fn of(top: &Path, left: &[LeftPath<'_>], stays: BTreeMap<Vec<u8>, String>) -> Self {
        let mut remains = Self { stays, ..Self::default() };
        for left in left {
            if !remains.has_to_stay(&left.change.path) {
                remains.take(top, left);
            }
        }
        // A repository may have been found where a file of HEAD belongs.
        let stays = std::mem::take(&mut remains.stays);
        remains.found.retain(|path, _| !is_touched_by(&stays, path));
        remains.in_the_way.retain(|path| !is_touched_by(&stays, path));
        remains.unusual.retain(|path, _| !is_touched_by(&stays, path));
        Self { stays, ..remains }
    }

    /// The paths that can be saved.
    pub(crate) fn found(&self) -> Vec<FoundPath> {
        self.found.iter().map(|(path, what)| FoundPath { path: path.clone(), what: *what }).collect()
    }

    /// The paths that must be removed before HEAD's files can be restored. They can be saved, or have no content.
    pub(crate) fn in_the_way(&self) -> impl Iterator<Item = &[u8]> {
        self.in_the_way.iter().map(Vec::as_slice)
    }

    /// Whether a path must not be touched.
    pub(crate) fn has_to_stay(&self, path: &[u8]) -> bool {
        is_touched_by(&self.stays, path)
    }

    /// The paths that must stay, each with its reason, for messages.
    pub(crate) fn reasons_to_stay(&self) -> Vec<String> {
        self.stays.values().cloned().collect()
    }

    /// The paths without any content to save, for messages.
    pub(crate) fn without_content(&self) -> Vec<String> {
        self.unusual.iter().map(|(path, what)| format!("{} ({what})", show_path(path))).collect()
    }

    fn take(&mut self, top: &Path, left: &LeftPath<'_>) {
        let path = &left.change.path;
        let seen = PathKind::at(top, path);
        self.note(top, path, &seen);
        if !left.is_put_back {
            return;
        }
        match seen {
            PathKind::Folder if left.change.kind != ChangeKind::Untracked => self.clear_folder(top, path),
            PathKind::Behind(part) => {
                let seen = PathKind::at(top, &part);
                self.note(top, &part, &seen);
                self.in_the_way.insert(part);
            }
            PathKind::Other(_) => {
                self.in_the_way.insert(path.clone());
            }
            _ => {}
        }
    }

    /// Notes everything in a folder where HEAD has a file, including ignored files: all of it is in the way.
    fn clear_folder(&mut self, top: &Path, folder: &[u8]) {
        let place = joined(top, folder);
        let entries = std::fs::read_dir(&place)
            .or_else(|_| add_permissions(&place, 0o700).and_then(|()| std::fs::read_dir(&place)))
            .and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
        let Ok(entries) = entries else {
            self.stay(folder, "cannot be read");
            return;
        };
        if entries.iter().any(|entry| entry.file_name() == ".git") {
            self.stay(folder, "is a repository of its own");
            return;
        }
        for entry in entries {
            let path = [folder, b"/", &entry.file_name().into_vec()].concat();
            match PathKind::at(top, &path) {
                PathKind::Folder => self.clear_folder(top, &path),
                seen => {
                    self.note(top, &path, &seen);
                    self.in_the_way.insert(path);
                }
            }
        }
    }

    fn note(&mut self, top: &Path, path: &[u8], seen: &PathKind) {
        let kind = match seen {
            PathKind::Nothing | PathKind::Folder | PathKind::Behind(_) => CommittableKind::Nothing,
            PathKind::Link => CommittableKind::Link,
            PathKind::File { executable } => {
                let place = joined(top, path);
                let readable = || access(&place, Access::READ_OK).is_ok();
                if !readable() && (add_permissions(&place, 0o600).is_err() || !readable()) {
                    self.stay(path, "cannot be read");
                    return;
                }
                CommittableKind::File { executable: *executable }
            }
            PathKind::Other(what) => {
                self.unusual.insert(path.to_vec(), what);
                CommittableKind::Nothing
            }
        };
        self.found.insert(path.to_vec(), kind);
    }

    fn stay(&mut self, path: &[u8], why: &str) {
        self.stays.insert(path.to_vec(), format!("{} {why}", show_path(path)));
    }
}

/// Gives the owner of a file these permissions in addition to the current ones.
pub(crate) fn add_permissions(place: &Path, rights: u32) -> std::io::Result<()> {
    let mode = place.symlink_metadata()?.permissions().mode();
    std::fs::set_permissions(place, Permissions::from_mode(mode | rights))
}

/// Whether a path is one of these, is inside one, or is a parent of one.
fn is_touched_by(stays: &BTreeMap<Vec<u8>, String>, path: &[u8]) -> bool {
    let is_in = |inner: &[u8], outer: &[u8]| {
        inner.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
    };
    let path = path.strip_suffix(b"/").unwrap_or(path);
    stays.keys().any(|stay| is_in(stay, path) || is_in(path, stay))
}
