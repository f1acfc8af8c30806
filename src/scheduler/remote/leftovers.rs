//! Removes the clones that killed workers have left on this machine.

use std::path::Path;

use crate::error::Result;
use crate::git::{Git, WorkTree};
use crate::worktree::{CloneFolder, Lock, LockedSlot, slots_left};

/// What became of a clone whose worker is gone.
enum Left {
    Removed,
    /// It has commits that the remote repository does not have.
    Kept,
    /// Something that the worker has started may still run there.
    InUse,
}

/// Removes the clones in this place whose workers are gone, and says so. What cannot be removed now is left for the next worker.
pub(super) fn remove_leftovers(git: &Git, place: &Path, say: &dyn Fn(&str)) {
    for folder in CloneFolder::abandoned(place) {
        let clone = folder.clone_folder();
        let shown = clone.display();
        match settle(git, &folder) {
            Ok(Left::Removed) => say(&format!("Removed {shown}, the clone of a worker that was killed.")),
            Ok(Left::Kept) => say(&format!(
                "{shown}, the clone of a worker that was killed, has commits that were not pushed. It is kept."
            )),
            Ok(Left::InUse) | Err(_) => {}
        }
    }
}

fn settle(git: &Git, folder: &CloneFolder) -> Result<Left> {
    let clone = folder.clone_folder();
    let git_dir = clone.join(".git");
    if git_dir.join("HEAD").is_file() {
        let git = git.in_dir(&clone).discovering_from_folder_alone();
        let work_tree = WorkTree { top: clone, common_dir: git_dir.clone(), git_dir };
        if !is_idle(&git, &work_tree) {
            return Ok(Left::InUse);
        }
        if git.has_unpushed_work()? {
            folder.keep();
            return Ok(Left::Kept);
        }
    }
    folder.remove().map(|()| Left::Removed)
}

/// Whether nothing runs in the slots of a clone. What is left of a killed worker there is ended.
fn is_idle(git: &Git, work_tree: &WorkTree) -> bool {
    slots_left(work_tree).iter().all(|slot| match LockedSlot::lock(git, work_tree, None, slot) {
        Ok(Some(held)) if held.is_ready => Lock::take(&held.work_tree, "work").is_ok(),
        Ok(_) => true,
        Err(_) => false,
    })
}
