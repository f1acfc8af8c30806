//! Takes the lock of a work tree for a command that changes something.

use super::Session;
use crate::error::Result;
use crate::report;
use crate::worktree::Lock;

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
