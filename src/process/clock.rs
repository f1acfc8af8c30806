//! Measures how long a job runs, without the time during which this program was stopped.

use std::time::{Duration, Instant};

/// The most that one look at the clock can add. Between two looks lie 50 ms; where a second and more has passed, we were
/// stopped (Ctrl-Z, SIGSTOP, a container that was paused) or the machine slept, and so did, or could have, the job.
const LONGEST_STEP: Duration = Duration::from_secs(1);

/// A clock that has to be read often, and stands still while it is not read.
///
/// On a machine that is too busy to let us look once a second, it is late. So a timeout never comes too early.
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

    /// The time since the start, as far as we were running.
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
    fn time_without_a_look_counts_for_a_second_at_most() {
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
