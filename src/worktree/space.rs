//! Checks the free disk space before a runner starts, because work that cannot be saved is worse than no work.

use crate::error::{Error, Kind, Result};
use crate::git::WorkTree;

/// Refuses to continue if fewer than `wanted` bytes are free for the work tree or for the objects. A file system that
/// does not report its free space is assumed to have enough.
///
/// # Errors
/// [`Kind::Environment`], naming the folder.
pub(crate) fn require_space(work_tree: &WorkTree, wanted: u64) -> Result<()> {
    for folder in [&work_tree.top, &work_tree.common_dir] {
        let Ok(disk) = rustix::fs::statvfs(folder) else { continue };
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        if free < wanted && disk.f_blocks > 0 {
            return Err(Error::new(
                Kind::Environment,
                format!(
                    "the disk of {} has {} MB free, but a runner needs {} MB",
                    folder.display(),
                    free >> 20,
                    wanted >> 20
                ),
                "The runner was not started. Make room, then run the same command again; `git config arborist.minFree` says how \
                 many MiB are enough.",
            ));
        }
    }
    Ok(())
}
