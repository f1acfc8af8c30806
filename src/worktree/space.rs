//! Checks the free disk space before a runner starts, because work that cannot be saved is worse than no work.

use crate::error::{Error, Kind, Result};
use crate::git::WorkTree;

/// How many bytes must be free before a runner is started.
pub(crate) const NEEDED: u64 = 200 << 20;

/// Refuses to continue if too little is free for the work tree or for the objects. A file system that does not report its
/// free space is assumed to have enough.
///
/// # Errors
/// [`Kind::Environment`], naming the folder.
pub(crate) fn require_space(work_tree: &WorkTree) -> Result<()> {
    for folder in [&work_tree.top, &work_tree.common_dir] {
        let Some(free) = free_in(folder) else { continue };
        if free < NEEDED {
            return Err(Error::new(
                Kind::Environment,
                format!(
                    "the disk of {} has {} MB free, but a runner needs {} MB",
                    folder.display(),
                    free >> 20,
                    NEEDED >> 20
                ),
                "The runner was not started. Make room, then run the same command again.",
            ));
        }
    }
    Ok(())
}

/// The free space of the work tree or of the objects, whichever is less, in bytes; `None` if it is not known.
pub(crate) fn free_space(work_tree: &WorkTree) -> Option<u64> {
    [&work_tree.top, &work_tree.common_dir].into_iter().filter_map(|folder| free_in(folder)).min()
}

/// The free space of the file system of a folder in bytes; `None` if the file system does not report it.
fn free_in(folder: &std::path::Path) -> Option<u64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    (disk.f_blocks > 0).then(|| disk.f_bavail.saturating_mul(disk.f_frsize))
}
