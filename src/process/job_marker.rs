//! The marker that every process of a job carries, so that it can be found when no supervisor is left.
//!
//! While its helper lives, the processes of a job are those below the helper. If the helper was killed as well, they
//! are orphans of the system. A marker must then survive `fork`, `exec`, `setsid`, an emptied environment and closed
//! files, and must be visible from outside. On Linux this is a resource limit: the soft limit on file locks has had no
//! effect since Linux 2.5, every process inherits it, and `/proc/<pid>/limits` shows it. Only a process that sets the
//! limit itself (`ulimit -x`) gets rid of it. If the limit cannot be set (the hard limit is not `unlimited`, a 32-bit
//! system, not Linux), there is no marker.

use super::proc_files;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bits of a marker hold the number of the job; the others are the tag. Together they have less than 64 bits,
/// because larger limits mean `unlimited` on some systems.
const NUMBER_BITS: u32 = 21;
const TAG_BITS: u32 = 42;

/// The common part of the markers of all jobs in one work tree, over the life of many processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tag(u64);

impl Tag {
    /// The tag for this text.
    #[must_use]
    pub fn new(text: impl AsRef<[u8]>) -> Self {
        // FNV-1a: the next run may be by another version of this program, so the hash must not be one that may change.
        let hash = text.as_ref().iter().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
        });
        Self((hash ^ (hash >> TAG_BITS)) & ((1 << TAG_BITS) - 1))
    }

    /// The tag of an existing folder. It depends on the folder itself, not on its path: two containers that each have a
    /// `/work` have different tags.
    #[must_use]
    pub fn of_folder(folder: &Path) -> Self {
        match folder.metadata() {
            Ok(meta) => Self::new(format!("{} {}", meta.dev(), meta.ino())),
            Err(_) => Self::new(folder.as_os_str().as_encoded_bytes()),
        }
    }
}

/// The marker of one job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct JobMarker(u64);

impl JobMarker {
    /// A marker that no other job of this process has.
    pub(super) fn new(tag: Tag) -> Self {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed) & ((1 << NUMBER_BITS) - 1);
        Self(tag.0 << NUMBER_BITS | number)
    }

    /// Whether this is the marker of a job with `tag`.
    pub(super) fn has(self, tag: Tag) -> bool {
        self.0 >> NUMBER_BITS == tag.0
    }

    /// The marker with the number that [`to_number`](Self::to_number) returned.
    pub(super) fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The marker as a number.
    pub(super) fn to_number(self) -> u64 {
        self.0
    }

    /// Marks this process and everything that it will start.
    #[cfg(target_os = "linux")]
    pub(super) fn put_on_this_process(self) {
        use rustix::process::{Resource, getrlimit, setrlimit};
        let mut limit = getrlimit(Resource::Locks);
        limit.current = Some(self.0);
        // Without a marker, the lock of the run still tells that something is left.
        let _ = setrlimit(Resource::Locks, limit);
    }

    /// Only Linux shows the limits of other processes.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn put_on_this_process(self) {}

    /// The possible marker of the process `pid`. Most limits are not markers.
    pub(super) fn of(pid: i32) -> Option<Self> {
        let limits = proc_files::read(&format!("{pid}/limits"))?;
        parse(std::str::from_utf8(&limits).ok()?)
    }
}

fn parse(limits: &str) -> Option<JobMarker> {
    let values = limits.lines().find_map(|line| line.strip_prefix("Max file locks"))?;
    values.split_ascii_whitespace().next()?.parse().ok().map(JobMarker)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_marker_is_read_from_the_table_of_limits() {
        let table = |value: &str| {
            format!(
                "Limit                     Soft Limit           Hard Limit           Units     \n\
                 Max cpu time              unlimited            unlimited            seconds   \n\
                 Max file locks            {value:<20} unlimited            locks     \n"
            )
        };
        assert_eq!(parse(&table("4611686018427387903")), Some(JobMarker(4_611_686_018_427_387_903)));
        assert_eq!(parse(&table("unlimited")), None);
        assert_eq!(parse("Max cpu time unlimited"), None);
    }

    #[test]
    fn jobs_of_one_tag_have_markers_of_their_own() {
        let (tag, other) = (Tag::new("one"), Tag::new("two"));
        let (first, second) = (JobMarker::new(tag), JobMarker::new(tag));
        assert_ne!(first, second);
        for marker in [first, second] {
            assert!(marker.has(tag) && !marker.has(other));
            assert_eq!(JobMarker::from_number(marker.to_number()), marker);
        }
    }

    #[test]
    fn a_folder_has_the_same_tag_under_all_its_paths() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("link");
        let folder = dir.path().join("folder");
        std::fs::create_dir(&folder).unwrap();
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        assert_eq!(Tag::of_folder(&folder), Tag::of_folder(&link));
        assert_ne!(Tag::of_folder(&folder), Tag::of_folder(dir.path()));
    }

    proptest! {
        #[test]
        fn a_marker_is_a_limit_that_can_be_set(text in prop::collection::vec(any::<u8>(), 0..20)) {
            prop_assert!(JobMarker::new(Tag::new(text)).to_number() < 1 << 63);
        }
    }
}
