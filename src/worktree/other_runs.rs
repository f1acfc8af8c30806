//! Finds runs in the other work trees of a repository, which share its references.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::holder::{HolderEntry, holder_of};
use super::scratch::slots_left;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::WorkTree;

/// Refuses to continue while a run is active in another work tree of the repository. After every step, a run checks
/// that all references to saved work still exist, because an agent may have deleted them. It would stop if one was
/// deleted here.
///
/// # Errors
/// [`Kind::Busy`], naming the run.
pub fn refuse_other_runs(work_tree: &WorkTree) -> Result<()> {
    for git_dir in other_git_dirs(work_tree) {
        let other = WorkTree { git_dir, ..work_tree.clone() };
        if let Some(HolderEntry { shown, .. }) = holder_of(&other) {
            let named = if shown.is_empty() { shown } else { format!(": {shown}") };
            return Err(Error::new(
                Kind::Busy,
                format!(
                    "a run is active in another work tree, with the git directory {}{named}",
                    other.git_dir.display()
                ),
                "Nothing was deleted. Saved work belongs to all work trees of a repository, and a run stops if some of it \
                 disappears. Wait until that run has ended, or stop it, then run the same command again.",
            ));
        }
    }
    Ok(())
}

/// A command that is at work in a work tree of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActiveRun {
    /// The git directory of its work tree.
    pub git_dir: PathBuf,
    /// The top of its work tree, as far as it is known.
    pub top: Option<PathBuf>,
    /// The number of the slot that this work tree is.
    pub slot: Option<u32>,
    /// The command, its process and the time since when it is active, for messages; empty if that is not written yet.
    pub shown: String,
    /// Whether it was killed, and something that it started still runs.
    pub was_killed: bool,
    /// The name of the machine on which it runs, if that is written.
    pub host: Option<String>,
}

/// The commands that are at work in this work tree, which comes first, and in the others of its repository. Slots
/// come last, in the order of their numbers.
#[must_use]
pub fn active_runs(work_tree: &WorkTree) -> Vec<ActiveRun> {
    let here = (work_tree.git_dir.clone(), Some(work_tree.top.clone()));
    let others = other_git_dirs(work_tree).into_iter().map(|git_dir| {
        let top = top_of(&git_dir);
        (git_dir, top)
    });
    let slots = slots_left(work_tree);
    let active = |(git_dir, top): (PathBuf, Option<PathBuf>)| {
        let slot = slots.iter().find(|slot| top.as_ref().is_some_and(|top| is_same(top, &slot.folder)));
        let holder = holder_of(&WorkTree { git_dir: git_dir.clone(), ..work_tree.clone() })?;
        let was_killed = holder.is_provably_gone();
        let HolderEntry { shown, host, .. } = holder;
        let slot = slot.map(|slot| slot.number);
        Some(ActiveRun { git_dir, top, slot, shown, was_killed, host })
    };
    let mut runs: Vec<ActiveRun> = std::iter::once(here).chain(others).filter_map(active).collect();
    runs.sort_by_key(|run| (!is_same(&run.git_dir, &work_tree.git_dir), run.slot));
    runs
}

/// The git directories of the other work trees of the repository.
fn other_git_dirs(work_tree: &WorkTree) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(work_tree.common_dir.join("worktrees")).into_iter().flatten().flatten();
    let linked = entries.map(|entry| entry.path());
    std::iter::once(work_tree.common_dir.clone())
        .chain(linked)
        .filter(|git_dir| !is_same(git_dir, &work_tree.git_dir))
        .collect()
}

/// The top of a work tree. The git directory of a linked one names it, and the main one is usually the parent of its
/// git directory.
fn top_of(git_dir: &Path) -> Option<PathBuf> {
    if let Ok(link) = files::read(&git_dir.join("gitdir"), files::LARGE) {
        return Some(git_dir.join(OsStr::from_bytes(link.trim_ascii_end())).parent()?.to_owned());
    }
    git_dir.ends_with(".git").then(|| git_dir.parent().map(Path::to_owned)).flatten()
}

fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || one.canonicalize().ok().is_some_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
