//! The times of the tracked files of a work tree whose files are switched.
//!
//! A file that a switch writes is newer than everything that was there before: interpreters and build tools take a file of
//! the same size and second for the same, and would run its old bytecode.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Timespec, Timestamps};

/// How much newer a written file is than everything before: some file systems and programs do not store fractions
/// of a second.
const STEP: Duration = Duration::from_secs(2);

/// When files were written. Paths are in the bytes that git uses, from the top of the work tree.
#[derive(Debug)]
pub(super) struct FileTimes {
    /// The time of the files that were written last.
    newest: SystemTime,
    /// The states of the tracked files before the commands that run now.
    states: HashMap<Vec<u8>, State>,
}

/// What changes whenever a file is written. Programs cannot set the time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    inode: u64,
    /// When it was changed in any way: seconds since the epoch, and nanoseconds.
    seconds: i64,
    nanoseconds: i64,
}

impl FileTimes {
    /// Nothing was written since now.
    pub(super) fn now() -> Self {
        Self { newest: SystemTime::now(), states: HashMap::new() }
    }

    /// Makes files newer than everything that was there before.
    pub(super) fn renew(&mut self, top: &Path, paths: &[Vec<u8>]) {
        if paths.is_empty() {
            return;
        }
        self.newest = self.newest.max(SystemTime::now()) + STEP;
        let since = self.newest.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(since.as_secs()).expect("the year has fewer than twelve digits");
        let time = Timespec { tv_sec: seconds, tv_nsec: 0 };
        let times = Timestamps { last_access: time, last_modification: time };
        for path in paths {
            let path = top.join(OsStr::from_bytes(path));
            // One that is gone needs no time.
            let _ = rustix::fs::utimensat(CWD, &path, &times, AtFlags::SYMLINK_NOFOLLOW);
        }
    }

    /// Notes the states of files.
    pub(super) fn note(&mut self, top: &Path, files: HashSet<Vec<u8>>) {
        let with_state = |path: Vec<u8>| state_of(top, &path).map(|state| (path, state));
        self.states = files.into_iter().filter_map(with_state).collect();
    }

    /// Forgets the states that were noted.
    pub(super) fn forget(&mut self) {
        self.states.clear();
    }

    /// The files that were written since their states were noted, even if they have the same content.
    pub(super) fn changed(&self, top: &Path) -> Vec<Vec<u8>> {
        let was_written = |(path, state): &(&Vec<u8>, &State)| state_of(top, path) != Some(**state);
        self.states.iter().filter(was_written).map(|(path, _)| path.clone()).collect()
    }
}

fn state_of(top: &Path, path: &[u8]) -> Option<State> {
    let meta = top.join(OsStr::from_bytes(path)).symlink_metadata().ok()?;
    (!meta.is_dir()).then(|| State {
        inode: meta.ino(),
        seconds: meta.ctime(),
        nanoseconds: meta.ctime_nsec(),
    })
}
