//! When programs of ours were running that may have left lock files of git behind.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// By how much the time of a file may differ from the clock's.
const CLOCK_SLACK: Duration = Duration::from_secs(2);

/// When something of ours was at work that may have left lock files behind.
#[derive(Clone, Debug, Default)]
pub struct Traces {
    /// Since when this run has been at work: a git of its agents may have died without our knowledge.
    run: Option<SystemTime>,
    /// When programs were at work that were killed.
    killed: Vec<TimeSpan>,
}

/// What speaks for a lock file being one of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Evidence {
    Nothing,
    /// It was made during our run.
    MadeDuringRun,
    /// It was made while something of ours was at work that was killed.
    MadeByKilled,
}

#[derive(Clone, Copy, Debug)]
struct TimeSpan {
    from: SystemTime,
    /// Its end, where that is known.
    to: Option<SystemTime>,
}

impl TimeSpan {
    fn covers(&self, time: SystemTime) -> bool {
        time + CLOCK_SLACK >= self.from && self.to.is_none_or(|to| time <= to + CLOCK_SLACK)
    }
}

impl Traces {
    /// Those of an earlier run that was killed, and had begun at this time.
    #[must_use]
    pub fn of_killed_run(since: SystemTime) -> Self {
        Self { run: None, killed: vec![TimeSpan { from: since, to: None }] }
    }

    /// Those of the present run, which began at this time.
    #[must_use]
    pub fn of_this_run(since: SystemTime, killed_programs: &KilledPrograms) -> Self {
        let killed = killed_programs.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        Self { run: Some(since), killed }
    }

    /// What speaks for a lock file that was made at this time.
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

/// The programs of this run that were killed, each with the time during which it was at work. Clones share one list.
#[derive(Clone, Debug, Default)]
pub struct KilledPrograms(Arc<Mutex<Vec<TimeSpan>>>);

impl KilledPrograms {
    /// Notes that a program that was started at this time has just been killed.
    pub fn note(&self, started: SystemTime) {
        let span = TimeSpan { from: started, to: Some(SystemTime::now()) };
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(span);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lock_is_ours_only_if_it_was_made_while_something_of_ours_was_at_work() {
        let at = |seconds: u64| SystemTime::UNIX_EPOCH + Duration::from_secs(seconds);
        assert_eq!(Traces::default().evidence(at(100)), Evidence::Nothing);
        let killed = Traces::of_killed_run(at(100));
        assert_eq!(killed.evidence(at(90)), Evidence::Nothing);
        assert_eq!(killed.evidence(at(99)), Evidence::MadeByKilled);
        assert_eq!(killed.evidence(at(5000)), Evidence::MadeByKilled);
        let run = Traces { run: Some(at(100)), killed: vec![TimeSpan { from: at(200), to: Some(at(210)) }] };
        let found = [90, 150, 205, 211, 250].map(|time| run.evidence(at(time)));
        let words = found.map(|evidence| format!("{evidence:?}"));
        assert_eq!(words, ["Nothing", "MadeDuringRun", "MadeByKilled", "MadeByKilled", "MadeDuringRun"]);
    }

    #[test]
    fn deaths_are_shared_by_clones() {
        let killed_programs = KilledPrograms::default();
        killed_programs.clone().note(SystemTime::now());
        let traces = Traces::of_this_run(SystemTime::UNIX_EPOCH, &killed_programs);
        assert_eq!(traces.evidence(SystemTime::now()), Evidence::MadeByKilled);
    }
}
