//! The programs of ours that were killed, which may have left lock files of git behind, and how long a git command waits for a lock
//! file of another program.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How long to wait for another program's lock.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_secs(10);
/// The time between two checks.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(100);
/// The longest time between two tries: each may run the hooks of the user again.
const MAX_RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// How much the timestamp of a file may differ from the clock.
const CLOCK_SLACK: Duration = Duration::from_secs(2);

/// The waits of one call for the lock of another program.
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

/// The times during which programs of ours ran that were killed. Clones share one list.
#[derive(Clone, Debug, Default)]
pub struct KilledPrograms(Arc<Mutex<Vec<(SystemTime, SystemTime)>>>);

impl KilledPrograms {
    /// Notes a program that was killed.
    pub fn note(&self, began: SystemTime, ended: SystemTime) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push((began, ended));
    }

    /// Whether one of them may have made a file that was created at this time.
    #[must_use]
    pub fn ran_at(&self, time: SystemTime) -> bool {
        let times = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let covers = |(began, ended): &(SystemTime, SystemTime)| {
            time + CLOCK_SLACK >= *began && time <= *ended + CLOCK_SLACK
        };
        times.iter().any(covers)
    }
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
