//! A listing of installed packages, by which is told later whether they have changed. It reads no file.

use std::collections::{BTreeMap, VecDeque};
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
/// The hidden folders of `node_modules` that hold packages. All others are caches of tools.
const HIDDEN_PACKAGES: [&str; 3] = [".bin", ".pnpm", ".store"];

/// A listing of the packages that are installed in a work tree, made at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencyListing {
    folders: Vec<PathBuf>,
    entries: BTreeMap<PathBuf, Entry>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Entry {
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
    /// Lists the packages in a work tree as they are now.
    ///
    /// # Errors
    /// If git cannot read the work tree.
    pub fn take(git: &Git, work_tree: &WorkTree) -> Result<Self> {
        let folders = dependency_folders(git, &work_tree.top)?;
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
    fn of(path: &Path) -> Option<Self> {
        let meta = path.symlink_metadata().ok()?;
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
}

/// What is in a folder, without caches, in a fixed order.
fn inner(top: &Path, folder: &Path) -> Vec<PathBuf> {
    let is_node = folder.ends_with("node_modules");
    let entries = std::fs::read_dir(top.join(folder)).into_iter().flatten().flatten();
    let counts = |entry: &std::fs::DirEntry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            return !name.ends_with(".pyc");
        }
        let is_hidden_cache = is_node && name.starts_with('.') && !HIDDEN_PACKAGES.contains(&name.as_ref());
        !CACHES.contains(&name.as_ref()) && !is_hidden_cache
    };
    let mut paths: Vec<PathBuf> =
        entries.filter(counts).map(|entry| folder.join(entry.file_name())).collect();
    paths.sort();
    paths
}
