//! The heartbeat of a run: a file whose modification time is updated while the run lives, so that the next run can tell
//! when it ended.
//!
//! A killed run cannot report its end. But it did not make any change that is newer than its last heartbeat.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::{Duration, SystemTime};

use crate::files::Folder;

/// The file in our folder of the git directory.
const NAME: &str = "alive";
/// The time between two heartbeats.
const PERIOD: Duration = Duration::from_secs(1);
/// How long after its last heartbeat a run, and programs that the system ended with it, may still have worked.
const TOLERANCE: Duration = Duration::from_secs(2);

/// Writes heartbeats until it is dropped.
#[derive(Debug)]
pub(crate) struct Heartbeat {
    /// Closing it ends the thread.
    _open: Option<Sender<()>>,
}

impl Heartbeat {
    /// Begins. If the file cannot be written, or no thread can be made, there are no heartbeats, and the next run knows less.
    pub(crate) fn begin(git_dir: &Path) -> Self {
        Self { _open: Folder::own(git_dir, "").and_then(|folder| folder.open_own(NAME)).ok().and_then(spawn) }
    }

    /// The moment after which the last run did nothing more; `None` if it is not known.
    pub(crate) fn last(git_dir: &Path) -> Option<SystemTime> {
        let sign = file_in(git_dir).symlink_metadata().ok()?.modified().ok()?;
        sign.checked_add(TOLERANCE)
    }
}

fn spawn(file: File) -> Option<Sender<()>> {
    let (open, closed) = channel();
    let thread = std::thread::Builder::new().spawn(move || {
        // An error is ignored: there is simply one heartbeat less.
        let sign = || drop(file.set_modified(SystemTime::now()));
        sign();
        while closed.recv_timeout(PERIOD) == Err(RecvTimeoutError::Timeout) {
            sign();
        }
    });
    thread.ok().map(|_| open)
}

fn file_in(git_dir: &Path) -> PathBuf {
    git_dir.join("arborist").join(NAME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_heartbeat_dates_from_the_run_and_there_is_none_before_the_first_run() {
        let git_dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(git_dir.path().join("arborist")).unwrap();
        assert_eq!(Heartbeat::last(git_dir.path()), None);
        drop(Heartbeat::begin(git_dir.path()));
        let file = File::options().write(true).open(file_in(git_dir.path())).unwrap();
        let long_ago = SystemTime::now() - Duration::from_secs(1000);
        // The thread of the first one may be about to end.
        std::thread::sleep(Duration::from_millis(50));
        file.set_modified(long_ago).unwrap();
        assert_eq!(Heartbeat::last(git_dir.path()), Some(long_ago + TOLERANCE));
        let began = SystemTime::now() - Duration::from_secs(10);
        let _alive = Heartbeat::begin(git_dir.path());
        while Heartbeat::last(git_dir.path()).unwrap() < began {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
