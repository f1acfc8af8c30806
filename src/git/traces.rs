//! Records when our programs were running that may have left lock files of git behind, and decides how long a git command waits
//! for a lock file of another program.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

/// How much the timestamp of a file may differ from the clock.
const CLOCK_SLACK: Duration = Duration::from_secs(2);

/// The times at which our programs may have left lock files behind.
#[derive(Clone, Debug, Default)]
pub struct ProgramTraces {
    /// The start of this run: a git command of its agents may have died without our knowledge.
    run: Option<SystemTime>,
    /// The times during which programs ran that were killed.
    killed: Vec<TracedSpan>,
}

/// The evidence that a lock file is ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    Nothing,
    /// It was created during our run.
    MadeDuringRun,
    /// It was created while one of our programs was running that was killed.
    MadeByKilled,
}

#[derive(Clone, Copy, Debug)]
struct TracedSpan {
    from: SystemTime,
    /// Its end, if known.
    to: Option<SystemTime>,
}

impl TracedSpan {
    fn covers(&self, time: SystemTime) -> bool {
        time + CLOCK_SLACK >= self.from && self.to.is_none_or(|to| time <= to + CLOCK_SLACK)
    }
}

impl ProgramTraces {
    /// The traces of an earlier run that began at this time and was killed.
    #[must_use]
    pub fn of_killed_run(since: SystemTime) -> Self {
        Self { run: None, killed: vec![TracedSpan { from: since, to: None }] }
    }

    /// The traces of the present run, which began at this time.
    #[must_use]
    pub fn of_this_run(since: SystemTime, killed_programs: &KilledPrograms) -> Self {
        let killed = killed_programs.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { run: Some(since), killed }
    }

    /// The evidence for a lock file that was created at this time.
    pub(super) fn evidence(&self, made: SystemTime) -> Evidence {
        if self.killed.iter().any(|span| span.covers(made)) {
            Evidence::MadeByKilled
        } else if self.run.is_some_and(|since| made + CLOCK_SLACK >= since) {
            Evidence::MadeDuringRun
        } else {
            Evidence::Nothing
        }
    }
}

/// The programs of this run that were killed, each with the time during which it ran. Clones share one list.
#[derive(Clone, Debug, Default)]
pub struct KilledPrograms(Arc<Mutex<Vec<TracedSpan>>>);

impl KilledPrograms {
    /// Records that a program that was started at this time has just been killed.
    pub fn note(&self, started: SystemTime) {
        let span = TracedSpan { from: started, to: Some(SystemTime::now()) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(span);
    }
}

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
    fn a_lock_is_ours_only_if_it_was_created_while_our_programs_were_running() {
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(ProgramTraces::default().evidence(at(100)), Evidence::Nothing);
        let killed = ProgramTraces::of_killed_run(at(100));
        assert_eq!(killed.evidence(at(90)), Evidence::Nothing);
        assert_eq!(killed.evidence(at(99)), Evidence::MadeByKilled);
        assert_eq!(killed.evidence(at(5000)), Evidence::MadeByKilled);
        let run = ProgramTraces {
            run: Some(at(100)),
            killed: vec![TracedSpan { from: at(200), to: Some(at(210)) }],
        };
        let found = [90, 150, 205, 211, 250].map(|time| run.evidence(at(time)));
        let words = found.map(|evidence| format!("{evidence:?}"));
        assert_eq!(words, ["Nothing", "MadeDuringRun", "MadeByKilled", "MadeByKilled", "MadeDuringRun"]);
    }

    #[test]
    fn deaths_are_shared_by_clones() {
        let killed_programs = KilledPrograms::default();
        killed_programs.clone().note(SystemTime::now());
        let traces = ProgramTraces::of_this_run(SystemTime::UNIX_EPOCH, &killed_programs);
        assert_eq!(traces.evidence(SystemTime::now()), Evidence::MadeByKilled);
    }

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
