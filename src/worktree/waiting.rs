//! A person's decision in the middle of a run. A command that finds a run at work waits for the moment between two steps, in
//! which nothing that the run has started is at work. There the run lends it the lock, and goes on with what it has committed.
//!
//! The command itself has made sure that no agent or test has started it, and does all the work. So what an agent could write
//! here makes the run wait for a moment, and nothing else.

use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::holder::HolderEntry;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::git::WorkTree;
use crate::process::Instance;
use crate::text::{advice, listed, one_line};

/// For how long a run waits for a command that it has lent the lock to.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time between two looks.
const POLL: Duration = Duration::from_millis(20);

/// The note of a command that waits, and of a run that lends the lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    #[serde(flatten)]
    process: Instance,
    command: String,
}

/// A note that is removed when it is dropped.
#[derive(Debug)]
pub struct WaitNote(PathBuf);

impl Drop for WaitNote {
    fn drop(&mut self) {
        // A note of a process that is gone says nothing.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A command that waits for its moment.
#[derive(Debug)]
struct Waiter {
    note: Note,
    path: PathBuf,
}

/// The commands that wait.
#[derive(Debug)]
pub(crate) struct Waiters(Vec<Waiter>);

/// Notes that this process waits for the lock of a work tree.
///
/// # Errors
/// If that cannot be written.
pub fn wait_for_lock(work_tree: &WorkTree, command: &str) -> std::io::Result<WaitNote> {
    let name = format!("{}.json", std::process::id());
    note(&folder_in(work_tree), &name, command)
}

/// Notes that this run lends its lock between two steps; `None` if that cannot be written.
#[must_use]
pub fn lend_between_steps(work_tree: &WorkTree) -> Option<WaitNote> {
    note(&work_tree.git_dir.join("arborist"), "lends.json", "").ok()
}

/// Whether a living run lends the lock of a work tree between two steps.
#[must_use]
pub fn is_lent(work_tree: &WorkTree) -> bool {
    let lender = read(&work_tree.git_dir.join("arborist").join("lends.json"));
    lender.is_some_and(|lender| !lender.process.is_provably_gone())
}

impl Waiters {
    /// Those that wait for the lock of a work tree now.
    pub(crate) fn of(work_tree: &WorkTree) -> Self {
        let entries = std::fs::read_dir(folder_in(work_tree)).into_iter().flatten().flatten();
        let mut waiters = Vec::new();
        for path in entries.map(|entry| entry.path()) {
            match read(&path).filter(|note| !note.process.is_provably_gone()) {
                Some(note) => waiters.push(Waiter { note, path }),
                // It would be looked at after every step.
                None => drop(std::fs::remove_file(&path)),
            }
        }
        waiters.sort_by(|one, other| one.path.cmp(&other.path));
        Self(waiters)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Their names and processes, for messages.
    pub(crate) fn shown(&self) -> String {
        let one = |Waiter { note, .. }: &Waiter| {
            format!("{} (process {})", advice::command(one_line(&note.command)), note.process.pid)
        };
        listed(&self.0.iter().map(one).collect::<Vec<_>>())
    }

    /// Lends them the lock until all have ended or do not take it, and takes it back.
    ///
    /// # Errors
    /// [`Kind::Busy`] if somebody else has taken the lock in between.
    pub(crate) fn lend(&self, lock: &File, is_stopped: impl Fn() -> bool) -> Result<()> {
        let own = HolderEntry::read(lock);
        let unlock = lock.set_len(0).and_then(|()| lock.unlock());
        unlock.map_err(|error| cannot_lend(&error.to_string()))?;
        let began = Instant::now();
        while self.0.iter().any(Waiter::waits) && began.elapsed() < PATIENCE && !is_stopped() {
            std::thread::sleep(POLL);
        }
        for waiter in &self.0 {
            // Otherwise it would be lent the lock once more.
            let _ = std::fs::remove_file(&waiter.path);
        }
        let ended = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => break,
                Err(TryLockError::WouldBlock) if ended.elapsed() < PATIENCE => std::thread::sleep(POLL),
                Err(error) => return Err(cannot_lend(&error.to_string())),
            }
        }
        own.write(lock).map_err(|error| cannot_lend(&error.to_string()))
    }
}

impl Waiter {
    fn waits(&self) -> bool {
        read(&self.path).as_ref() == Some(&self.note) && !self.note.process.is_provably_gone()
    }
}

fn cannot_lend(why: &str) -> Error {
    Error::new(
        Kind::Busy,
        format!("the lock of this run, which was lent to another command, could not be taken back: {why}"),
        "Every finished step is committed. Run the same command again.",
    )
}

fn note(folder: &Path, name: &str, command: &str) -> std::io::Result<WaitNote> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join(name);
    let text = serde_json::to_vec(&Note { process: Instance::own(), command: command.to_owned() })
        .expect("numbers and texts can be written as JSON");
    files::replace(&path, &text)?;
    Ok(WaitNote(path))
}

fn read(path: &Path) -> Option<Note> {
    serde_json::from_slice(&files::read(path, files::SMALL).ok()?).ok()
}

fn folder_in(work_tree: &WorkTree) -> PathBuf {
    work_tree.git_dir.join("arborist").join("waiting")
}
