//! A listing of installed packages, by which is told later whether they have changed. It reads no file.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::ffi::OsStr;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::folders::dependency_folders;
use crate::error::Result;
use crate::git::{Git, WorkTree};

/// How many entries are listed at most. What is nearest to the top comes first, so manifests of packages are always among
/// them.
const MOST: usize = 50_000;

/// Folders that programs fill while they run, wherever they are.
const CACHES: [&str; 3] = ["__pycache__", ".pytest_cache", ".mypy_cache"];
/// The hidden folders of `node_modules` that hold packages, and those that hold generated code. All others are caches of tools.
const HIDDEN_PACKAGES: [&str; 5] = [".bin", ".bun", ".deno", ".pnpm", ".store"];
const GENERATED: [&str; 1] = [".prisma"];

/// A listing of the packages that are installed in a work tree, made at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencyListing {
    folders: Vec<PathBuf>,
    entries: BTreeMap<PathBuf, Entry>,
}

/// One of the entries of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    Folder,
    Link(PathBuf),
    File {
        size: u64,
        modified: [i64; 2],
        /// When it was changed in any way, which programs cannot set. Unknown for a file with several names: a new name, in
        /// another project, changes it.
        changed: Option<[i64; 2]>,
    },
}

impl DependencyListing {
    /// Lists the packages in a work tree as they are now. `ignored` are the paths that git ignores there.
    ///
    /// # Errors
    /// If git cannot read the work tree.
    pub fn take(git: &Git, work_tree: &WorkTree, ignored: &[Vec<u8>]) -> Result<Self> {
        let folders = dependency_folders(git, &work_tree.top, ignored)?;
        let mut listing = Self { folders, entries: BTreeMap::new() };
        let mut open: VecDeque<PathBuf> = listing.folders.iter().cloned().collect();
        while let Some(path) = open.pop_front().filter(|_| listing.entries.len() < MOST) {
            // What is gone again was no package.
            let Some(entry) = Entry::of(&work_tree.top.join(&path)) else { continue };
            if entry == Entry::Folder {
                open.extend(inner(&work_tree.top, &path));
            }
            listing.entries.insert(path, entry);
        }
        Ok(listing)
    }

    /// The folders with packages, from the top.
    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// Whether these paths are or contain all files and links that are listed in a folder.
    pub(super) fn is_all_of(&self, folder: &Path, paths: &HashSet<PathBuf>) -> bool {
        let inside = self.entries.range(folder.to_owned()..).take_while(|(path, _)| path.starts_with(folder));
        let mut files = inside.filter(|(_, entry)| **entry != Entry::Folder).map(|(path, _)| path);
        files.all(|path| path.ancestors().any(|path| paths.contains(path)))
    }

    /// What differs between two listings: files, links and folders, from the top.
    #[must_use]
    pub fn changed_since(&self, other: &Self) -> Vec<PathBuf> {
        let of = |one: &Self, other: &Self| -> Vec<PathBuf> {
            let differs = |(path, entry): &(&PathBuf, &Entry)| other.entries.get(*path) != Some(*entry);
            one.entries.iter().filter(differs).map(|(path, _)| path.clone()).collect()
        };
        let mut changed = of(self, other);
        changed.extend(of(other, self));
        changed.sort();
        changed.dedup();
        changed
    }
}

impl Entry {
    /// What is at a path; `None` if there is nothing.
    pub(super) fn of(path: &Path) -> Option<Self> {
        Self::with(&path.symlink_metadata().ok()?, path)
    }

    /// The same, with what is known about it.
    pub(super) fn with(meta: &Metadata, path: &Path) -> Option<Self> {
        Some(if meta.is_dir() {
            Self::Folder
        } else if meta.is_symlink() {
            Self::Link(std::fs::read_link(path).ok()?)
        } else {
            Self::File {
                size: meta.size(),
                modified: [meta.mtime(), meta.mtime_nsec()],
                changed: (meta.nlink() == 1).then(|| [meta.ctime(), meta.ctime_nsec()]),
            }
        })
    }

    /// Whether it still is the same now. A file of which another project has a link may get more links and lose some.
    pub(super) fn still_is(&self, now: &Self) -> bool {
        match (self, now) {
            (
                Self::File { size, modified, changed: None },
                Self::File { size: size_now, modified: modified_now, .. },
            ) => size == size_now && modified == modified_now,
            _ => self == now,
        }
    }
}

/// What is in a folder, without caches and what was generated, in a fixed order.
fn inner(top: &Path, folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(top.join(folder)).into_iter().flatten().flatten();
    let counts = |entry: &std::fs::DirEntry| {
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        !is_folder || Holds::of(folder, &entry.file_name()) == Holds::Packages
    };
    let mut paths: Vec<PathBuf> =
        entries.filter(counts).map(|entry| folder.join(entry.file_name())).collect();
    paths.sort();
    paths
}

/// What a folder inside of a folder with packages holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::worktree::scratch) enum Holds {
    /// Packages, or parts of one.
    Packages,
    /// Code that a tool makes from files of the repository, and that programs load.
    Generated,
    /// What tools can do without.
    Cache,
}

impl Holds {
    /// What the folder with this name in another one holds.
    pub(in crate::worktree::scratch) fn of(folder: &Path, name: &OsStr) -> Self {
        let name = name.to_string_lossy();
        let is_hidden = folder.ends_with("node_modules") && name.starts_with('.');
        if GENERATED.contains(&name.as_ref()) && is_hidden {
            Self::Generated
        } else if CACHES.contains(&name.as_ref()) || (is_hidden && !HIDDEN_PACKAGES.contains(&name.as_ref()))
        {
            Self::Cache
        } else {
            Self::Packages
        }
    }
}
