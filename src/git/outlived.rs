//! Finds a git command that a killed run had started and that is still running.

use std::time::Instant;

use super::call::{CALLER, SETTINGS};
use super::killed::{LOCK_TIMEOUT, POLL_INTERVAL};
use crate::error::{Error, Kind, Result};
use crate::process::{OtherProcess, other_processes};

/// Waits a little for git commands to end that the killed run with this process id had started. They may be about to commit.
///
/// # Errors
/// [`Kind::Busy`], naming a command that does not end, or if `stopped` asks to end the wait.
pub fn await_git_of(run: u32, stopped: &dyn Fn() -> bool) -> Result<()> {
    let waiting = Instant::now();
    while let Some(git) = git_of(run) {
        if waiting.elapsed() > LOCK_TIMEOUT || stopped() {
            return Err(Error::new(
                Kind::Busy,
                format!("git (process {}), started by an earlier run, is still running here", git.pid()),
                "It may be waiting for a hook or for a program that signs: wait until it ends or end it yourself, then \
                 run the same command again.",
            ));
        }
        std::thread::sleep(POLL_INTERVAL);
    }
    Ok(())
}

/// A git command of that run that is still running; none if processes cannot be inspected.
fn git_of(run: u32) -> Option<OtherProcess> {
    // Hooks and daemons that git starts inherit the variable, but not the arguments with our settings.
    let is_of_run = |process: &OtherProcess| {
        process.has_argument(SETTINGS[0]) && process.has_variable(CALLER, &run.to_string())
    };
    other_processes()?.into_iter().find(is_of_run)
}
