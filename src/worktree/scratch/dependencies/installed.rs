//! What is installed in a scratch work tree, file by file: a test must leave nothing there for the next run. No file is read.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::folders::dependency_folders;
use super::listing::{Entry, Holds};
use crate::error::Result;
use crate::git::Git;

/// Files that installers write at the end: one in a folder, whose name ends with this.
const INSTALLERS: [(&str, &str); 6] = [
    (".dist-info", "RECORD"),
    ("node_modules", ".package-lock.json"),
    ("node_modules", ".modules.yaml"),
    ("node_modules", ".yarn-integrity"),
    ("node_modules", ".yarn-state.yml"),
    ("composer", "installed.json"),
];

/// Folders with the sources of packages, in which builds write beside them.
const BUILT_IN_PLACE: [&str; 1] = ["deps"];

/// Empty files that installers lock while they work.
const LOCK: &str = ".lock";

/// The packages and copied files of a scratch work tree as they were prepared.
#[derive(Debug, Default)]
pub(in crate::worktree::scratch) struct Installed {
    /// The folders with packages.
    pub(in crate::worktree::scratch) folders: Vec<PathBuf>,
    entries: HashMap<PathBuf, Entry>,
    /// Other files that were copied.
    copied: BTreeSet<PathBuf>,
}

/// What a changed path is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::worktree::scratch) enum Part {
    /// A package or a part of one.
    Package,
    /// Something that is built or generated where packages are.
    Generated,
    /// Something that tools can do without.
    Cache,
    /// A file that was copied from the user's work tree, outside of packages.
    Copied,
}

/// What programs have changed among what is installed, from the top. Of a folder that is new, only the folder is named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::worktree::scratch) struct InstalledChanges(
    pub(in crate::worktree::scratch) Vec<(PathBuf, Part)>,
);

/// What programs have changed in installed packages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangedPackages {
    /// The files and folders, from the top.
    pub paths: Vec<PathBuf>,
    /// Whether they have run an installer, as `uv run` does: it notes what it has done. Others change packages on the quiet.
    pub is_installer: bool,
}

impl Installed {
    /// Lists what is installed in the work tree at `top`, and these files that were copied into it.
    ///
    /// # Errors
    /// If git cannot read the work tree.
    pub(in crate::worktree::scratch) fn list(git: &Git, top: &Path, copied: Vec<PathBuf>) -> Result<Self> {
        let folders = dependency_folders(git, top, &git.ignored_paths()?)?;
        let is_package = |path: &PathBuf| folders.iter().any(|folder| path.starts_with(folder));
        let copied: BTreeSet<PathBuf> = copied.into_iter().filter(|path| !is_package(path)).collect();
        let mut installed = Self { folders, copied, entries: HashMap::new() };
        installed.entries = installed.read(top);
        Ok(installed)
    }

    fn read(&self, top: &Path) -> HashMap<PathBuf, Entry> {
        let mut entries = HashMap::with_capacity(self.entries.len());
        let mut open: Vec<PathBuf> = Vec::new();
        for path in self.folders.iter().chain(&self.copied) {
            let Some(entry) = Entry::of(&top.join(path)) else { continue };
            open.extend((entry == Entry::Folder).then(|| path.clone()));
            entries.insert(path.clone(), entry);
        }
        while let Some(folder) = open.pop() {
            for inner in std::fs::read_dir(top.join(&folder)).into_iter().flatten().flatten() {
                let path = folder.join(inner.file_name());
                // This asks for less than the whole path would.
                let Some(entry) = inner.metadata().ok().and_then(|meta| Entry::with(&meta, &inner.path()))
                else {
                    continue;
                };
                open.extend((entry == Entry::Folder).then(|| path.clone()));
                entries.insert(path, entry);
            }
        }
        entries
    }

    /// What has changed since.
    pub(in crate::worktree::scratch) fn changes(&self, top: &Path) -> InstalledChanges {
        let now = self.read(top);
        let is_new = |(path, entry): &(&PathBuf, &Entry)| {
            self.entries.get(*path).is_none_or(|before| !before.still_is(entry))
        };
        let mut changed: BTreeSet<&PathBuf> = now.iter().filter(is_new).map(|(path, _)| path).collect();
        changed.extend(self.entries.keys().filter(|path| !now.contains_key(*path)));
        let mut changes: Vec<(PathBuf, Part)> = Vec::new();
        for path in changed {
            if !changes.last().is_some_and(|(outer, _)| path.starts_with(outer)) {
                let entry = now.get(path).or_else(|| self.entries.get(path));
                changes.push((path.clone(), self.part(path, entry == Some(&Entry::Folder))));
            }
        }
        InstalledChanges(changes)
    }

    fn part(&self, path: &Path, is_folder: bool) -> Part {
        let Some(folder) = self.folders.iter().find(|folder| path.starts_with(folder)) else {
            return Part::Copied;
        };
        if path.file_name() == Some(OsStr::new(LOCK))
            || folder.file_name().is_some_and(|name| BUILT_IN_PLACE.iter().any(|known| name == *known))
        {
            return Part::Generated;
        }
        let folders = path.ancestors().skip(usize::from(!is_folder)).take_while(|inner| inner != folder);
        let mut part = Part::Package;
        for inner in folders {
            let parent = inner.parent().unwrap_or(Path::new(""));
            match Holds::of(parent, inner.file_name().unwrap_or_default()) {
                Holds::Cache => return Part::Cache,
                Holds::Generated => part = Part::Generated,
                Holds::Packages => {}
            }
        }
        part
    }
}

impl InstalledChanges {
    /// The packages and parts of packages among them.
    pub(in crate::worktree::scratch) fn packages(&self) -> impl Iterator<Item = &PathBuf> {
        self.0.iter().filter(|(_, part)| *part == Part::Package).map(|(path, _)| path)
    }

    /// What is said about the packages among them.
    pub(in crate::worktree::scratch) fn of_packages(&self, top: &Path) -> ChangedPackages {
        ChangedPackages {
            paths: self.packages().cloned().collect(),
            is_installer: self.are_by_installer(top),
        }
    }

    /// Whether an installer made them: it has written its own notes, too.
    fn are_by_installer(&self, top: &Path) -> bool {
        self.packages().any(|path| {
            INSTALLERS.iter().any(|(folder, file)| {
                let is_note = |path: &Path| {
                    let parent = path.parent().and_then(Path::file_name).unwrap_or_default();
                    path.file_name() == Some(OsStr::new(file)) && parent.to_string_lossy().ends_with(folder)
                };
                is_note(path) || is_note(&path.join(file)) && top.join(path).join(file).is_file()
            })
        })
    }
}
