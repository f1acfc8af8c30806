//! A person's decision in the middle of a run. A command that finds a run at work waits for the moment between two steps, in
//! which nothing that the run has started is at work. There the run lends it the lock, and goes on with what it has committed.
//!
//! The command itself has made sure that no agent or test has started it, and does all the work. So what an agent could write
//! here makes the run wait for a moment, and nothing else.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::holder::HolderEntry;
use crate::error::{Error, Kind, Result};
use crate::files::{Folder, SMALL};
use crate::git::WorkTree;
use crate::process::Instance;
use crate::text::{advice, listed, one_line};

/// For how long a run waits for a command that it has lent the lock to.
const PATIENCE: Duration = Duration::from_secs(60);
/// The time between two looks.
const POLL: Duration = Duration::from_millis(20);
/// The folder with the notes of commands that wait: `PROCESS.json`.
const WAITING: &str = "waiting";
const ENDING: &str = ".json";
/// The note of a run that lends its lock.
const LENDS: &str = "lends.json";

/// The note of a command that waits, and of a run that lends the lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Note {
    #[serde(flatten)]
    process: Instance,
    command: String,
}

/// A note that is removed when it is dropped.
#[derive(Debug)]
pub struct WaitNote {
    folder: Folder,
    name: String,
}

impl Drop for WaitNote {
    fn drop(&mut self) {
        // A note of a process that is gone says nothing.
        let _ = self.folder.remove_file(&self.name);
    }
}

/// A command that waits for its moment.
#[derive(Debug)]
struct Waiter {
    note: Note,
    name: OsString,
}

/// The commands that wait.
#[derive(Debug)]
pub(crate) struct Waiters {
    /// `None` if nobody has waited yet.
    folder: Option<Folder>,
    waiters: Vec<Waiter>,
}

/// Notes that this process waits for the lock of a work tree.
///
/// # Errors
/// If that cannot be written.
pub fn wait_for_lock(work_tree: &WorkTree, command: &str) -> std::io::Result<WaitNote> {
    note(work_tree, WAITING, format!("{}{ENDING}", std::process::id()), command)
}

/// Notes that this run lends its lock between two steps; `None` if that cannot be written.
#[must_use]
pub fn lend_between_steps(work_tree: &WorkTree) -> Option<WaitNote> {
    note(work_tree, "", LENDS.to_owned(), "").ok()
}

/// Whether a living run lends the lock of a work tree between two steps.
#[must_use]
pub fn is_lent(work_tree: &WorkTree) -> bool {
    let lender = Folder::own(&work_tree.git_dir, "").ok().and_then(|folder| read(&folder, LENDS));
    lender.is_some_and(|lender| !lender.process.is_provably_gone())
}

impl Waiters {
    /// Those that wait for the lock of a work tree now.
    pub(crate) fn of(work_tree: &WorkTree) -> Self {
        let Ok(folder) = Folder::own(&work_tree.git_dir, WAITING) else {
            return Self { folder: None, waiters: Vec::new() };
        };
        let mut waiters = Vec::new();
        for name in folder.names().unwrap_or_default().into_iter().filter(|name| is_note(name)) {
            match read(&folder, &name).filter(|note| !note.process.is_provably_gone()) {
                Some(note) => waiters.push(Waiter { note, name }),
                // It would be looked at after every step.
                None => drop(folder.remove_file(&name)),
            }
        }
        Self { folder: Some(folder), waiters }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.waiters.is_empty()
    }

    /// Their names and processes, for messages.
    pub(crate) fn shown(&self) -> String {
        let one = |Waiter { note, .. }: &Waiter| {
            format!("{} (process {})", advice::command(one_line(&note.command)), note.process.pid)
        };
        listed(&self.waiters.iter().map(one).collect::<Vec<_>>())
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
        let waits = |waiter: &Waiter| self.folder.as_ref().is_some_and(|folder| waiter.waits(folder));
        while self.waiters.iter().any(waits) && began.elapsed() < PATIENCE && !is_stopped() {
            std::thread::sleep(POLL);
        }
        for (folder, waiter) in
            self.folder.iter().flat_map(|folder| self.waiters.iter().map(move |one| (folder, one)))
        {
            // Otherwise it would be lent the lock once more.
            let _ = folder.remove_file(&waiter.name);
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
    fn waits(&self, folder: &Folder) -> bool {
        read(folder, &self.name).as_ref() == Some(&self.note) && !self.note.process.is_provably_gone()
    }
}

fn cannot_lend(why: &str) -> Error {
    Error::new(
        Kind::Busy,
        format!("the lock of this run, which was lent to another command, could not be taken back: {why}"),
        "Every finished step is committed. Run the same command again.",
    )
}

fn note(work_tree: &WorkTree, folder: &str, name: String, command: &str) -> std::io::Result<WaitNote> {
    let folder = Folder::make_own(&work_tree.git_dir, folder)?;
    let text = serde_json::to_vec(&Note { process: Instance::own(), command: command.to_owned() })
        .expect("numbers and texts can be written as JSON");
    folder.replace(&name, &text)?;
    Ok(WaitNote { folder, name })
}

fn read(folder: &Folder, name: impl AsRef<OsStr>) -> Option<Note> {
    serde_json::from_slice(&folder.read(name, SMALL).ok()?).ok()
}

/// Whether it is a name that [`wait_for_lock`] gives. What else is in the folder is not ours.
fn is_note(name: &OsStr) -> bool {
    let process = name.to_str().and_then(|name| name.strip_suffix(ENDING));
    process.is_some_and(|process| process.parse::<u32>().is_ok())
}
