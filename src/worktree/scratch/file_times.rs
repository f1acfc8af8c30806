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

use crate::files;

/// How much newer a written file is than everything before: some file systems and programs do not store fractions
/// of a second.
const STEP: Duration = Duration::from_secs(2);

/// When files were written. Paths are in the bytes that git uses, from the top of the work tree.
#[derive(Debug)]
pub(super) struct FileTimes {
    /// The time of the files that were written last.
    newest: SystemTime,
    /// The states of the tracked files at the last moment at which they were known to be as in the index; `None` if that is
    /// not known of any moment.
    states: Option<HashMap<Vec<u8>, State>>,
}

/// How long after a change of a file another one may leave the same time: file systems take it from a clock that ticks.
const TICK: Duration = Duration::from_millis(40);

/// What changes whenever a file is written. Programs cannot set the time.
#[derive(Debug)]
struct State {
    inode: u64,
    is_link: bool,
    /// In bytes.
    size: u64,
    /// When it was changed in any way: seconds since the epoch, and nanoseconds.
    seconds: i64,
    nanoseconds: i64,
    /// The content of a file that was changed just before, so that its time does not tell. `None` if the time does.
    content: Option<Vec<u8>>,
}

impl FileTimes {
    /// Nothing was written since now.
    pub(super) fn now() -> Self {
        Self { newest: SystemTime::now(), states: None }
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

    /// Notes the states of these files, which are as in the index.
    pub(super) fn note(&mut self, top: &Path, files: HashSet<Vec<u8>>) {
        let recent = SystemTime::now().checked_sub(TICK).unwrap_or(SystemTime::UNIX_EPOCH);
        let with_state = |path: Vec<u8>| {
            let place = top.join(OsStr::from_bytes(&path));
            let mut state = State::of(&place)?;
            if state.changed() >= recent {
                // A link has no content, but is replaced whenever it is changed. What cannot be read counts as written.
                state.content = if state.is_link {
                    None
                } else {
                    Some(files::read(&place, files::LARGE).unwrap_or_default())
                };
            }
            Some((path, state))
        };
        self.states = Some(files.into_iter().filter_map(with_state).collect());
    }

    /// Forgets the states that were noted.
    pub(super) fn forget(&mut self) {
        self.states = None;
    }

    /// The files that were written since their states were noted, even if they have the same content; `None` if no states
    /// are noted.
    pub(super) fn changed(&self, top: &Path) -> Option<Vec<Vec<u8>>> {
        let states = self.states.as_ref()?;
        let was_written = |(path, state): &(&Vec<u8>, &State)| {
            let place = top.join(OsStr::from_bytes(path));
            !State::of(&place).is_some_and(|now| state.is_still(&now, &place))
        };
        Some(states.iter().filter(was_written).map(|(path, _)| path.clone()).collect())
    }
}

impl State {
    /// The state of what is at a place; `None` for a folder or nothing.
    fn of(place: &Path) -> Option<Self> {
        let meta = place.symlink_metadata().ok()?;
        (!meta.is_dir()).then(|| Self {
            inode: meta.ino(),
            is_link: meta.is_symlink(),
            size: meta.len(),
            seconds: meta.ctime(),
            nanoseconds: meta.ctime_nsec(),
            content: None,
        })
    }

    fn changed(&self) -> SystemTime {
        let seconds = Duration::from_secs(u64::try_from(self.seconds).unwrap_or(0));
        let part = Duration::from_nanos(u64::try_from(self.nanoseconds).unwrap_or(0));
        SystemTime::UNIX_EPOCH + seconds + part
    }

    /// Whether the file at `place`, whose state is `now`, was not written since this state.
    fn is_still(&self, now: &Self, place: &Path) -> bool {
        let has_content =
            |content: &Vec<u8>| files::read(place, files::LARGE).is_ok_and(|now| now == *content);
        self.mark() == now.mark() && self.content.as_ref().is_none_or(has_content)
    }

    fn mark(&self) -> [i128; 4] {
        [self.inode.into(), self.size.into(), self.seconds.into(), self.nanoseconds.into()]
    }
}
