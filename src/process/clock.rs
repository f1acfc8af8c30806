//! Measures how long a job runs, without the time during which this program was stopped.

use std::time::{Duration, Instant};

/// The most that one reading of the clock can add. Readings are 50 ms apart. If more than a second has passed, we were
/// suspended (Ctrl-Z, SIGSTOP, a paused container) or the machine was, and so was the job, or may have been.
const LONGEST_STEP: Duration = Duration::from_secs(1);

/// A clock that must be read often, and stops while it is not read.
///
/// On a machine that is too busy to let us read it once a second, the clock falls behind. So a timeout never comes too
/// early.
#[derive(Debug)]
pub(super) struct Clock {
    looked: Instant,
    elapsed: Duration,
}

impl Clock {
    /// A clock that starts now.
    pub(super) fn start() -> Self {
        Self { looked: Instant::now(), elapsed: Duration::ZERO }
    }

    /// The time since the start, without the time during which we were suspended.
    pub(super) fn elapsed(&mut self) -> Duration {
        self.elapsed_at(Instant::now())
    }

    fn elapsed_at(&mut self, now: Instant) -> Duration {
        self.elapsed += now.saturating_duration_since(self.looked).min(LONGEST_STEP);
        self.looked = now;
        self.elapsed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_between_two_readings_counts_as_one_second_at_most() {
        let mut clock = Clock::start();
        let start = clock.looked;
        let at = |millis| start + Duration::from_millis(millis);
        assert_eq!(clock.elapsed_at(at(50)), Duration::from_millis(50));
        assert_eq!(clock.elapsed_at(at(700)), Duration::from_millis(700));
        // An hour later.
        assert_eq!(clock.elapsed_at(at(3_600_000)), Duration::from_millis(1_700));
        assert_eq!(clock.elapsed_at(at(3_600_040)), Duration::from_millis(1_740));
    }
}
