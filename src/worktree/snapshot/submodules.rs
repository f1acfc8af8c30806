//! Finds the configuration of submodules. When git looks for changes in a work tree, it also looks into the submodules, and
//! runs the programs that their settings name.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::error::Result;
use crate::files;
use crate::git::{Git, WorkTree};

/// The largest number of repositories that are looked at, with those of submodules in submodules.
const MOST: usize = 1_000;

/// The files with the settings of all submodules that have a repository here.
///
/// # Errors
/// If git cannot read the index.
pub(super) fn submodule_configs(git: &Git, work_tree: &WorkTree) -> Result<Vec<PathBuf>> {
    let folders = git.submodule_paths()?;
    let mut open: Vec<PathBuf> =
        folders.iter().filter_map(|folder| git_dir(&work_tree.top.join(OsStr::from_bytes(folder)))).collect();
    let (mut found, mut looked_at) = (Vec::new(), 0);
    while let Some(git_dir) = open.pop().filter(|_| looked_at < MOST) {
        looked_at += 1;
        found.extend(["config", "config.worktree"].map(|name| git_dir.join(name)));
        open.extend(repositories_in(&git_dir.join("modules")));
    }
    Ok(found)
}

/// The git directory of a submodule that is checked out in a folder: `.git` there, or the folder that this file names.
fn git_dir(folder: &Path) -> Option<PathBuf> {
    let link = folder.join(".git");
    if link.is_dir() {
        return Some(link);
    }
    let text = files::read(&link, files::SMALL).ok()?;
    let named = text.strip_prefix(b"gitdir:")?.trim_ascii();
    Some(folder.join(OsStr::from_bytes(named)))
}

/// The repositories below a folder of git directories. The name of a submodule may contain slashes.
fn repositories_in(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut open) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = open.pop().filter(|_| found.len() < MOST) {
        let Ok(entries) = std::fs::read_dir(folder) else { continue };
        for entry in entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())) {
            let path = entry.path();
            if path.join("HEAD").is_file() { found.push(path) } else { open.push(path) }
        }
    }
    found
}
