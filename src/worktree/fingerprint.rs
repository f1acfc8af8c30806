//! Notices that the content of a path has changed, without reading it.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

/// Properties that change with the content of a path and can be compared without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Fingerprint {
    Missing,
    Present { inode: u64, size: u64, mode: u32, modified: (i64, i64), changed: (i64, i64) },
}

impl Fingerprint {
    pub(crate) fn of(path: &Path) -> Self {
        path.symlink_metadata().map_or(Self::Missing, |meta| Self::Present {
            inode: meta.ino(),
            size: meta.size(),
            mode: meta.mode(),
            modified: (meta.mtime(), meta.mtime_nsec()),
            changed: (meta.ctime(), meta.ctime_nsec()),
        })
    }

    /// Whether content or attributes were changed after this time. For a missing path, this is unknown.
    pub(crate) fn changed_after(&self, time: SystemTime) -> bool {
        let Self::Present { changed: (seconds, nanoseconds), .. } = *self else { return false };
        let since_epoch = u64::try_from(seconds).ok().zip(u32::try_from(nanoseconds).ok());
        since_epoch
            .is_some_and(|(seconds, nanoseconds)| UNIX_EPOCH + Duration::new(seconds, nanoseconds) > time)
    }
}
