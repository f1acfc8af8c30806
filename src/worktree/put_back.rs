//! Restores paths to the version of a commit, after their present content has been saved.

use std::collections::BTreeSet;
use std::path::Path;

use super::path_kind::{PathKind, joined};
use super::remains::add_permissions;
use super::unlink;
use crate::error::{Error, Kind, Result};
use crate::git::{Change, ChangeKind, Git, PathEntry, Staged};
use crate::record::CommitId;

/// The paths to put back.
pub(crate) struct PutBack<'a> {
    /// The commit whose version is restored.
    pub(crate) head: &'a CommitId,
    /// The paths that differ from it.
    pub(crate) changes: Vec<&'a Change>,
    /// Other files in the place of its files.
    pub(crate) in_the_way: Vec<&'a [u8]>,
}

/// Puts index and work tree back: paths in the commit are restored, and other paths are removed.
///
/// # Errors
/// If git or the file system refuses. Nothing is lost: removed content was saved before, and missing content is in the
/// commit.
pub(crate) fn put_back(git: &Git, top: &Path, put_back: &PutBack<'_>) -> Result<()> {
    let PutBack { head, changes, in_the_way } = put_back;
    let is_tracked = |change: &&&Change| change.kind != ChangeKind::Untracked;
    let tracked: Vec<Vec<u8>> = changes.iter().filter(is_tracked).map(|change| change.path.clone()).collect();
    let known = git.entries(head, &tracked)?;
    let is_known = |change: &Change| known.contains_key(&change.path);
    let entry =
        |change: &&Change| PathEntry { path: change.path.clone(), entry: known.get(&change.path).cloned() };
    // A path added with `--intent-to-add` is in the index but does not count as staged.
    let differs = |change: &&&Change| {
        let staged = !matches!(change.kind, ChangeKind::Tracked { staged: Staged::No, .. });
        is_tracked(change) && (staged || !is_known(change))
    };
    git.set_index(&changes.iter().filter(differs).map(entry).collect::<Vec<_>>())?;

    let unknown = changes.iter().filter(|change| !is_known(change)).map(|change| change.path.as_slice());
    let remove: BTreeSet<&[u8]> = unknown.chain(in_the_way.iter().copied()).collect();
    let write: Vec<Vec<u8>> = tracked.into_iter().filter(|path| known.contains_key(path)).collect();
    open_folders(top, remove.iter().copied().chain(write.iter().map(Vec::as_slice)));
    for path in remove {
        if !matches!(PathKind::at(top, path), PathKind::Nothing | PathKind::Folder | PathKind::Behind(_)) {
            unlink(top, path)?;
        }
    }
    make_room(top, &write)?;
    git.check_out_index(&write)
}

/// Makes the folders of these paths writable, as far as they belong to us.
fn open_folders<'a>(top: &Path, paths: impl Iterator<Item = &'a [u8]>) {
    let mut seen = BTreeSet::new();
    for path in paths {
        for (end, _) in path.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            let folder = &path[..end];
            if seen.insert(folder) && PathKind::at(top, folder) == PathKind::Folder {
                let place = joined(top, folder);
                let all =
                    rustix::fs::Access::READ_OK | rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
                if rustix::fs::access(&place, all).is_err() {
                    // If this fails, the removal that needs it reports the error.
                    let _ = add_permissions(&place, 0o700);
                }
            }
        }
    }
}

/// Removes empty folders in the place of files. git would remove such folders with everything in them.
fn make_room(top: &Path, paths: &[Vec<u8>]) -> Result<()> {
    for path in paths.iter().filter(|path| PathKind::at(top, path) == PathKind::Folder) {
        let place = joined(top, path);
        remove_empty(&place);
        // A submodule belongs there as a folder.
        if place.is_dir() && !place.join(".git").exists() {
            return Err(Error::new(
                Kind::Busy,
                format!("{} is a folder, and something is writing in it", place.display()),
                "What was there is saved. Run the same command again.",
            ));
        }
    }
    Ok(())
}

/// Removes a folder if it contains nothing but folders. Otherwise it stays.
pub(crate) fn remove_empty(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            remove_empty(&entry.path());
        }
    }
    let _ = std::fs::remove_dir(folder);
}
