//! One run per work tree: a lock in its git directory, held by the operating system for as long as we live.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use chrono::{SecondsFormat, Utc};

use crate::error::{Error, Kind, Result};
use crate::git::WorkTree;

/// How long the lock of a holder that is dead is waited for.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long any holder is waited for: those who only look whether the lock is free hold it for a moment.
const GLANCE: Duration = Duration::from_millis(200);
/// Between two tries.
const LOOK: Duration = Duration::from_millis(20);

/// The lock; it is given back when this is dropped, or when the process ends in whatever way.
#[derive(Debug)]
pub struct Lock {
    _file: Option<File>,
}

impl Lock {
    /// Takes the lock of a work tree for a command, at once or not at all. On a file system without locks there is
    /// none, and the caller hears of it.
    ///
    /// # Errors
    /// [`Kind::Busy`], naming the holder, if somebody has it.
    pub fn take(work_tree: &WorkTree, command: &str) -> Result<(Self, Option<String>)> {
        let path = path_in(work_tree);
        let open = || {
            path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
            OpenOptions::new().read(true).write(true).create(true).truncate(false).open(&path)
        };
        let mut file = open().map_err(|error| {
            Error::new(
                Kind::Surroundings,
                format!("{} cannot be opened: {error}", path.display()),
                "Nothing was touched. Make the git directory writable, then run the same command again.",
            )
        })?;
        match try_until_free(&mut file) {
            Ok(()) => {
                // Who holds it is only for the message of the next one; the lock itself is what counts.
                let holder = format!("{} (process {}) since {}", command, std::process::id(), now());
                let _ = file
                    .set_len(0)
                    .and_then(|()| file.rewind())
                    .and_then(|()| file.write_all(holder.as_bytes()));
                Ok((Self { _file: Some(file) }, None))
            }
            Err(TryLockError::WouldBlock) => Err(busy(&mut file)),
            Err(TryLockError::Error(error)) => {
                let warning =
                    format!("{} cannot be locked ({error}): do not start a second run here", path.display());
                Ok((Self { _file: None }, Some(warning)))
            }
        }
    }
}

/// The error that a command would meet which needs the lock of a work tree now; `None` if the lock is free. It is not
/// taken: a run that begins at this moment is not turned away.
#[must_use]
pub fn who_is_at_work(work_tree: &WorkTree) -> Option<Error> {
    let path = path_in(work_tree);
    // To open anything else, such as a pipe, might take for ever.
    path.symlink_metadata().ok().filter(std::fs::Metadata::is_file)?;
    let mut file = OpenOptions::new().read(true).open(path).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(busy(&mut file)),
        Ok(()) | Err(TryLockError::Error(_)) => None,
    }
}

fn path_in(work_tree: &WorkTree) -> PathBuf {
    work_tree.git_dir.join("arborist").join("lock")
}

/// Tries for a moment; where the holder is dead, for a while: a child that it was just starting has the lock too, until it
/// has become another program or has ended.
fn try_until_free(file: &mut File) -> std::result::Result<(), TryLockError> {
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock)
                if began.elapsed() < GLANCE || began.elapsed() < PATIENCE && holder_is_dead(file) =>
            {
                std::thread::sleep(LOOK);
            }
            outcome => return outcome,
        }
    }
}

fn holder_is_dead(file: &mut File) -> bool {
    let holder = read_holder(file);
    let pid = holder.split_once("(process ").and_then(|(_, rest)| rest.split_once(')')?.0.parse().ok());
    let pid = pid.and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| rustix::process::test_kill_process(pid) == Err(rustix::io::Errno::SRCH))
}

fn read_holder(file: &mut File) -> String {
    let mut holder = String::new();
    let _ = file.rewind().and_then(|()| file.take(200).read_to_string(&mut holder));
    holder
}

fn now() -> String {
    Utc::now().to_rfc3339_opts(SecondsFormat::Secs, true)
}

fn busy(file: &mut File) -> Error {
    let holder = read_holder(file);
    let holder = if holder.is_empty() { "another run".to_owned() } else { crate::task::one_line(&holder) };
    Error::new(
        Kind::Busy,
        format!("already at work in this work tree: {holder}"),
        "Wait until it has ended, or stop it. `git arborist status` shows how far it is.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn the_lock_of_a_dead_holder_is_waited_for_and_that_of_a_living_one_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let work_tree =
            WorkTree { top: dir.path().into(), git_dir: dir.path().into(), common_dir: dir.path().into() };
        let (lock, _) = Lock::take(&work_tree, "first").unwrap();
        let busy = Lock::take(&work_tree, "second").unwrap_err();
        assert!(busy.what().contains("first (process"), "{busy}");

        assert!(who_is_at_work(&work_tree).unwrap().what().contains("first (process"));

        // What a killed holder leaves for a moment: its words in the file, and a child that has the lock.
        let mut ended = Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        std::fs::write(dir.path().join("arborist/lock"), format!("garden (process {}) since", ended.id()))
            .unwrap();
        let file = lock._file.unwrap();
        let mut child = Command::new("sleep").arg("0.3").stdin(Stdio::from(file)).spawn().unwrap();
        Lock::take(&work_tree, "third").unwrap();
        child.wait().unwrap();
    }

    #[test]
    fn looking_whether_the_lock_is_free_turns_nobody_away() {
        let dir = tempfile::tempdir().unwrap();
        let work_tree =
            WorkTree { top: dir.path().into(), git_dir: dir.path().into(), common_dir: dir.path().into() };
        assert_eq!(who_is_at_work(&work_tree), None);
        assert!(!dir.path().join("arborist").exists(), "nothing was made");
        drop(Lock::take(&work_tree, "first").unwrap());
        let words = std::fs::read(path_in(&work_tree)).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..2000 {
                    assert_eq!(who_is_at_work(&work_tree), None);
                }
            });
            for _ in 0..20 {
                // Only the other thread holds it now and then; what it says to others is "nobody".
                let file = File::options().read(true).write(true).open(path_in(&work_tree)).unwrap();
                let mut file = file;
                try_until_free(&mut file).unwrap();
                file.unlock().unwrap();
            }
        });
        assert_eq!(std::fs::read(path_in(&work_tree)).unwrap(), words);
    }
}
