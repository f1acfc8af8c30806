//! Decides how long a git command waits for a lock file of another program, and how often it tries again.

use std::time::{Duration, Instant};

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
