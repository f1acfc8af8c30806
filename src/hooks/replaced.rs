//! Keeps the hooks that ours replaced. They are in their own folder beside the hooks folder, under their own names,
//! because many hooks look at their name (`basename "$0"`) to know what to do.
//!
//! This folder is at the same depth as the hooks folder, and has links to everything else in that one. So paths that
//! begin at a hook (`$(dirname "$0")/husky.sh`, `$(dirname "$0")/../..`) and relative links lead to the same places as
//! before.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io::{ErrorKind, Result};
use std::os::unix::fs::symlink;
use std::path::{Component, Path, PathBuf};

use super::Hook;
use crate::git::replaced_hooks_dir;

/// The folder of the hooks that ours replaced.
#[derive(Debug)]
pub(super) struct ReplacedHooks {
    hooks_dir: PathBuf,
    folder: PathBuf,
}

impl ReplacedHooks {
    /// The folder for hooks from `hooks_dir`.
    pub(super) fn of(hooks_dir: &Path) -> Self {
        Self { hooks_dir: hooks_dir.to_owned(), folder: replaced_hooks_dir(hooks_dir) }
    }

    /// The path of the hook that was there before ours; `None` if there was none.
    pub(super) fn find(&self, hook: Hook) -> Option<PathBuf> {
        let path = self.folder.join(hook.name());
        (path.symlink_metadata().is_ok() && !self.is_our_link(&path)).then_some(path)
    }

    /// Moves the hook at `from` here.
    pub(super) fn take(&self, from: &Path, hook: Hook) -> Result<()> {
        let to = self.folder.join(hook.name());
        if from == to {
            return Ok(());
        }
        fs::create_dir_all(&self.folder)?;
        fs::rename(from, to)
    }

    /// Creates the links to everything else in the hooks folder, or removes them and this folder if no hook needs them
    /// any more.
    pub(super) fn update_links(&self, is_ours: impl Fn(&Path) -> bool) -> Result<()> {
        let (links, kept): (Vec<PathBuf>, Vec<PathBuf>) =
            entries(&self.folder)?.into_iter().partition(|path| self.is_our_link(path));
        let wanted = if kept.is_empty() { BTreeSet::new() } else { self.wanted_links(&kept, is_ours)? };
        for link in links.iter().filter(|link| link.file_name().is_none_or(|name| !wanted.contains(name))) {
            fs::remove_file(link)?;
        }
        for name in wanted {
            match symlink(self.link_target(&name), self.folder.join(name)) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        match kept.is_empty().then(|| fs::remove_dir(&self.folder)) {
            Some(Err(error)) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => Ok(()),
        }
    }

    /// The names of files beside the hooks in `kept` that these may need.
    fn wanted_links(&self, kept: &[PathBuf], is_ours: impl Fn(&Path) -> bool) -> Result<BTreeSet<OsString>> {
        let is_sample = |path: &Path| path.extension().is_some_and(|ending| ending == "sample");
        let beside = entries(&self.hooks_dir)?.into_iter().filter(|path| !is_sample(path) && !is_ours(path));
        let mut wanted: BTreeSet<OsString> =
            beside.filter_map(|path| path.file_name().map(OsStr::to_owned)).collect();
        // A hook may be a link to a script that exists only on another branch.
        for target in kept.iter().filter_map(|path| fs::read_link(path).ok()) {
            if let Some(Component::Normal(name)) = target.components().next() {
                wanted.insert(name.to_owned());
            }
        }
        Ok(wanted)
    }

    fn is_our_link(&self, path: &Path) -> bool {
        let Some(name) = path.file_name() else { return false };
        fs::read_link(path).is_ok_and(|target| target == self.link_target(name))
    }

    /// The target of a link to the entry `name` of the hooks folder.
    fn link_target(&self, name: &OsStr) -> PathBuf {
        let folder = self.folder.with_extension("");
        Path::new("..").join(folder.file_name().expect("the folder has a name before its ending")).join(name)
    }
}

/// The paths of the entries of a folder; empty if there is no such folder.
fn entries(folder: &Path) -> Result<Vec<PathBuf>> {
    match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect(),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}
