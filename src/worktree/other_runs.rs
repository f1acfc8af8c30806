//! Runs in the other work trees of a repository, which share its references.

use std::path::{Path, PathBuf};

use super::lock::holder_of;
use crate::error::{Error, Kind, Result};
use crate::git::WorkTree;

/// Refuses to go on while a run is active in another work tree of the repository. A run makes sure that the references to
/// saved work are there after every step, for an agent may have deleted them, and would take them for lost.
///
/// # Errors
/// [`Kind::Busy`], naming the run.
pub fn refuse_other_runs(work_tree: &WorkTree) -> Result<()> {
    let entries = std::fs::read_dir(work_tree.common_dir.join("worktrees")).into_iter().flatten().flatten();
    let linked = entries.map(|entry| entry.path());
    let git_dirs: Vec<PathBuf> = std::iter::once(work_tree.common_dir.clone()).chain(linked).collect();
    for git_dir in git_dirs.into_iter().filter(|git_dir| !is_same(git_dir, &work_tree.git_dir)) {
        let other = WorkTree { git_dir, ..work_tree.clone() };
        if let Some(holder) = holder_of(&other) {
            let named = if holder.is_empty() { holder } else { format!(": {holder}") };
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

fn is_same(one: &Path, other: &Path) -> bool {
    one == other
        || one.canonicalize().ok().is_some_and(|one| other.canonicalize().is_ok_and(|other| one == other))
}
