//! Takes the lock of a work tree for a command that changes something.

use std::time::Duration;

use super::Session;
use crate::error::{Error, Kind, Result};
use crate::process::{Cancel, CancelLevel, StopSignals};
use crate::report;
use crate::worktree::{Lock, is_lent, wait_for_lock};

/// The time between two tries to take a lock.
const POLL: Duration = Duration::from_millis(50);
/// After how many tries in a row that find the lock held, and not lent, the wait ends: a run that ends stops lending it a moment
/// before it releases it.
const MISSES: u32 = 5;

/// Takes the lock of the work tree for a command, and prints messages about it.
///
/// # Errors
/// As for [`Lock::take`].
pub(crate) fn lock(session: &Session, command: &str) -> Result<Lock> {
    let (lock, warnings) = Lock::take(&session.work_tree, command)?;
    for warning in warnings {
        report::warn(&session.screen, &warning);
    }
    Ok(lock)
}

/// The same for a decision of a person, which may wait for the moment between two steps of a run.
///
/// # Errors
/// As for [`Lock::take`], or if the user stops waiting.
pub(crate) fn lock_between_steps(
    session: &Session,
    command: &str,
    cancel: &Cancel,
    signals: &StopSignals,
) -> Result<Lock> {
    let work_tree = &session.work_tree;
    match lock(session, command) {
        Err(error) if error.kind() == Kind::Busy && is_lent(work_tree) => {}
        taken => return taken,
    }
    let waiting = wait_for_lock(work_tree, command)
        .map_err(|error| Error::not_written(work_tree.git_dir.display(), &error))?;
    report::eprint("A run is at work here. This is recorded as soon as its step has ended; Ctrl-C gives up.");
    let mut misses = 0;
    loop {
        if cancel.level() != CancelLevel::None {
            return Err(Error::stopped(signals.last(), "Nothing was recorded."));
        }
        match lock(session, command) {
            Err(error) if error.kind() == Kind::Busy && misses < MISSES => {
                misses = if is_lent(work_tree) { 0 } else { misses + 1 };
                std::thread::sleep(POLL);
            }
            taken => return taken.map(|lock| lock.after_waiting(waiting)),
        }
    }
}
