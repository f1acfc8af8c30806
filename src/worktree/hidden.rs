//! Finds work that is in no commit: new files that git ignores, and changes that git was told to overlook.
//!
//! Tests run in the work tree, so they can pass because of work that the commits of the task do not contain. Such work
//! is named, shown to the reviewer and recorded as a finding. Files that tools generate (builds, caches, packages) do
//! not count as work.

pub(crate) mod before;
mod generated;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use self::generated::{is_generated, is_generated_folder};
use super::path_states::Fingerprint;
use crate::error::Result;
use crate::git::Git;
use crate::record::{Check, CommitId, NamedFiles};
use crate::text::one_line;
use crate::worktree::ignored_before::IgnoredBefore;
use crate::worktree::path_kind::{PathKind, joined};
use crate::worktree::path_states::{as_path, as_text};

/// The largest number of ignored files that are compared, and of overlooked files that are searched for changes.
const MAX_FILES: usize = 20_000;

/// The files that `git status` does not show, as they were at one moment. Paths are written as in the journal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Hidden {
    /// The files that git ignores and those in the folder of a submodule that is not checked out, except for those that
    /// tools generate.
    ignored: BTreeSet<String>,
    /// The tracked files in which git was told to overlook changes, with their state on disk.
    overlooked: BTreeMap<String, Fingerprint>,
}

impl Hidden {
    /// Reads the hidden files of the work tree `top`. `ignored_paths` are the paths that git ignores there.
    ///
    /// # Errors
    /// If git cannot list its files.
    pub(crate) fn read(git: &Git, top: &Path, ignored_paths: &[Vec<u8>]) -> Result<Self> {
        let mut ignored = BTreeSet::new();
        for path in ignored_paths {
            take_ignored(top, path, &mut ignored);
        }
        // git does not look into the folder of a submodule that is not checked out.
        for path in git.submodule_paths()? {
            let is_checked_out = joined(top, &path).join(".git").symlink_metadata().is_ok();
            if PathKind::at(top, &path) == PathKind::Folder && !is_checked_out {
                take_folder(top, [path.as_slice(), b"/"].concat(), &mut ignored);
            }
        }
        Ok(Self { ignored, ..Self::overlooked(git, top)? })
    }

    /// All of them, in order.
    pub(crate) fn paths(&self) -> impl Iterator<Item = Vec<u8>> {
        self.ignored.iter().chain(self.overlooked.keys()).map(|path| as_path(path))
    }

    /// Reads only the tracked files in which git was told to overlook changes, and leaves out ignored files.
    ///
    /// # Errors
    /// If git cannot list its files.
    pub(crate) fn overlooked(git: &Git, top: &Path) -> Result<Self> {
        let overlooked = git.overlooked_paths()?;
        let state = |(number, path): (usize, &Vec<u8>)| {
            let found =
                if number < MAX_FILES { Fingerprint::of(&joined(top, path)) } else { Fingerprint::Missing };
            (as_text(path), found)
        };
        let overlooked = overlooked.iter().enumerate().map(state).collect();
        Ok(Self { ignored: BTreeSet::new(), overlooked })
    }

    /// The tracked files in the work tree `top` that were changed since `before` and in which git overlooks the change.
    /// A file counts only if it differs from the index, or if git already overlooked changes to it.
    ///
    /// # Errors
    /// If git fails, or a file cannot be read.
    pub(crate) fn changed_since(&self, before: &Self, git: &Git, top: &Path) -> Result<Vec<Vec<u8>>> {
        let touched = self.overlooked.iter().filter(|(path, now)| before.overlooked.get(*path) != Some(now));
        let (known, new): (Vec<_>, Vec<_>) =
            touched.partition(|(path, _)| before.overlooked.contains_key(*path));
        let new: Vec<Vec<u8>> = new.into_iter().map(|(path, _)| as_path(path)).collect();
        let among: HashSet<&[u8]> = new.iter().map(Vec::as_slice).collect();
        let mut changed = git.overlooked_changes(top, &among)?;
        changed.extend(known.into_iter().map(|(path, _)| as_path(path)));
        changed.extend(new.into_iter().filter(|path| joined(top, path).symlink_metadata().is_err()));
        changed.sort();
        Ok(changed)
    }

    /// The files that are hidden now but were not in `before`, and those that an earlier step named and that are still
    /// hidden.
    ///
    /// # Errors
    /// If git fails.
    pub(crate) fn since(&self, before: &Self, comparison: &Comparison<'_>) -> Result<NamedFiles> {
        let named = |finding| comparison.named.of(finding).iter().collect::<HashSet<_>>();
        let (named_ignored, named_overlooked) = (named(Check::IgnoredFiles), named(Check::OverlookedChanges));
        let ignored = self
            .ignored
            .iter()
            .filter(|path| !before.ignored.contains(*path) || named_ignored.contains(&shown(path)));
        let changed = self.overlooked.iter().filter(|(path, now)| {
            before.overlooked.get(*path) != Some(now) || named_overlooked.contains(&shown(path))
        });
        let (there, gone): (Vec<_>, Vec<_>) = changed.partition(|(_, now)| **now != Fingerprint::Missing);
        let gone = gone.into_iter().map(|(path, _)| path);
        let gone = comparison.known(gone.filter(|path| !before.overlooked.contains_key(*path)))?;
        let mut overlooked: Vec<String> = there.iter().map(|(path, _)| shown(path)).collect();
        overlooked.extend(gone.into_iter().map(shown));
        overlooked.sort();
        let mut found = NamedFiles::default();
        found.add(Check::IgnoredFiles, ignored.map(|path| shown(path)));
        found.add(Check::OverlookedChanges, overlooked);
        Ok(found)
    }
}

/// The state before an implement step, to be compared with the state after it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StateBefore {
    pub(crate) hidden: Hidden,
    /// The files that git ignored.
    // Journals of older versions do not contain this field.
    #[serde(default)]
    pub(crate) ignored: IgnoredBefore,
}

/// What a comparison needs in addition to the two states.
pub(crate) struct Comparison<'a> {
    pub(crate) git: &'a Git,
    /// The commit on top of which the step was made.
    pub(crate) base: CommitId,
    /// The files that earlier implement steps have named.
    pub(crate) named: &'a NamedFiles,
}

impl Comparison<'_> {
    /// The files in `gone`, which are not on disk, that the base commit contains. The others came with a merge into a
    /// sparse checkout.
    fn known<'p>(&self, gone: impl Iterator<Item = &'p String>) -> Result<Vec<&'p str>> {
        // git reads one name per line.
        let gone: Vec<&str> = gone.map(String::as_str).filter(|path| !path.contains('\n')).collect();
        if gone.is_empty() {
            return Ok(gone);
        }
        let names: Vec<String> = gone.iter().map(|path| format!("{}:{}", self.base, lossy(path))).collect();
        let blobs = self.git.blob_ids(&names)?;
        Ok(gone.into_iter().zip(blobs).filter(|(_, blob)| blob.is_some()).map(|(path, _)| path).collect())
    }
}

/// Adds a file that git ignores, or all files of a folder, except for those that tools generate.
fn take_ignored(top: &Path, path: &[u8], into: &mut BTreeSet<String>) {
    if is_generated(&String::from_utf8_lossy(path)) {
        return;
    }
    if !path.ends_with(b"/") {
        into.insert(as_text(path));
        return;
    }
    take_folder(top, path.to_vec(), into);
}

/// Adds all files of a folder, except for those that tools generate.
fn take_folder(top: &Path, folder: Vec<u8>, into: &mut BTreeSet<String>) {
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(joined(top, &folder)).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let path = [folder.as_slice(), name.as_bytes()].concat();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            let made = if is_folder { is_generated_folder } else { is_generated };
            if into.len() >= MAX_FILES || made(&name.to_string_lossy()) {
                continue;
            }
            if is_folder {
                folders.push([path.as_slice(), b"/"].concat());
            } else {
                into.insert(as_text(&path));
            }
        }
    }
}

/// A path for messages.
fn shown(path: &str) -> String {
    one_line(&lossy(path))
}

fn lossy(path: &str) -> String {
    String::from_utf8_lossy(&as_path(path)).into_owned()
}
