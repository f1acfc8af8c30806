//! Waits for other git commands: for those that hold a lock file, and for those that a killed run has left running.

use std::time::{Duration, Instant};

use super::call::{CALLER, SETTINGS};
use crate::error::{Error, Kind, Result};
use crate::process::{OtherProcess, other_processes};

/// How long to wait for another program's lock.
pub const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// The time between two checks.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(100);

/// The longest time between two tries: each may run the hooks of the user again.
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(1);

/// The waits of one call.
pub(super) struct LockWaits {
    until: Instant,
    next: Duration,
}

impl LockWaits {
    pub(super) fn new() -> Self {
        Self { until: Instant::now() + LOCK_TIMEOUT, next: POLL_INTERVAL }
    }

    /// Waits a little, twice as long each time. Returns whether to try again.
    pub(super) fn wait(&mut self) -> bool {
        let left = self.until.saturating_duration_since(Instant::now());
        std::thread::sleep(self.next.min(left));
        self.next = (self.next * 2).min(MAX_RETRY_INTERVAL);
        !left.is_zero()
    }
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_become_longer_and_end_after_the_limit() {
        let mut waits =
            LockWaits { until: Instant::now() + Duration::from_millis(20), next: Duration::from_millis(5) };
        assert!(waits.wait());
        assert_eq!(waits.next, Duration::from_millis(10));
        while waits.wait() {}
        assert!(Instant::now() >= waits.until);
    }
}
