//! The rules for ending a running job, separate from carrying them out. All times are counted from its start.

use super::{CancelLevel, Watch};
use std::time::Duration;

/// How long the helper may take to finish after the program has ended or should be killed. It gives up on processes
/// that cannot be killed after ten seconds. A helper that has not answered by then is stopped or hangs.
pub(super) const HELPER_LIMIT: Duration = Duration::from_secs(20);

/// Why we end a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndCause {
    /// Its time is up.
    Timeout,
    /// Its [`Cancel`](super::Cancel) was requested.
    Cancel,
    /// It writes too much.
    Flood,
    /// Its watcher has asked for it.
    Watcher,
}

/// The phases of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobPhase {
    /// It is running and may continue.
    Running,
    /// The program has ended by itself, and the helper ends its remaining processes.
    Leaving {
        /// When the helper must have answered.
        overdue_at: Duration,
    },
    /// It was sent SIGTERM.
    Asked {
        /// The reason.
        cause: EndCause,
        /// When its grace period ends.
        kill_at: Duration,
    },
    /// It was sent SIGKILL.
    Killed {
        /// Why; `None` if the program had ended by itself before.
        cause: Option<EndCause>,
        /// When the helper must have answered.
        overdue_at: Duration,
    },
}

/// The observations of a job at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed {
    /// The moment.
    pub(super) now: Duration,
    /// When its time is up.
    pub(super) timeout: Duration,
    /// Whether its end was requested, and how urgently.
    pub(super) cancel: CancelLevel,
    /// Whether it has written too much.
    pub(super) is_flooded: bool,
    /// Whether its watcher lets it go on.
    pub(super) watch: Watch,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum JobAction {
    /// Wait.
    GoOn,
    /// Send SIGTERM, and begin the grace period.
    Ask(EndCause),
    /// Send SIGKILL.
    Kill(Option<EndCause>),
    /// Continue without the helper, which does not answer.
    GiveUp,
}

/// The next action. A request to end comes before a timeout, a timeout before too much output, and that before the watcher. A
/// second request ends the grace period.
#[expect(clippy::match_same_arms, reason = "the arms are in the order of the phases")]
pub(super) fn decide(phase: JobPhase, observed: Observed) -> JobAction {
    match phase {
        JobPhase::Killed { overdue_at, .. } | JobPhase::Leaving { overdue_at }
            if observed.now >= overdue_at =>
        {
            JobAction::GiveUp
        }
        JobPhase::Killed { .. } => JobAction::GoOn,
        JobPhase::Leaving { .. } if observed.cancel == CancelLevel::Now => JobAction::Kill(None),
        JobPhase::Leaving { .. } => JobAction::GoOn,
        JobPhase::Asked { cause, kill_at } => {
            if observed.cancel == CancelLevel::Now || observed.now >= kill_at {
                JobAction::Kill(Some(cause))
            } else {
                JobAction::GoOn
            }
        }
        JobPhase::Running => match observed.cancel {
            CancelLevel::Now => JobAction::Kill(Some(EndCause::Cancel)),
            CancelLevel::Soon => JobAction::Ask(EndCause::Cancel),
            CancelLevel::None if observed.now >= observed.timeout => JobAction::Ask(EndCause::Timeout),
            CancelLevel::None if observed.is_flooded => JobAction::Ask(EndCause::Flood),
            CancelLevel::None if observed.watch == Watch::End => JobAction::Ask(EndCause::Watcher),
            CancelLevel::None => JobAction::GoOn,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_and_observation_has_its_action() {
        let at = Duration::from_secs;
        let asked = |kill_at| JobPhase::Asked { cause: EndCause::Timeout, kill_at: at(kill_at) };
        let killed =
            |overdue_at| JobPhase::Killed { cause: Some(EndCause::Flood), overdue_at: at(overdue_at) };
        let leaving = |overdue_at| JobPhase::Leaving { overdue_at: at(overdue_at) };
        let never = Duration::MAX;
        let table = [
            (JobPhase::Running, 1, at(5), CancelLevel::None, false, JobAction::GoOn),
            (JobPhase::Running, 5, at(5), CancelLevel::None, false, JobAction::Ask(EndCause::Timeout)),
            (JobPhase::Running, 999, never, CancelLevel::None, false, JobAction::GoOn),
            (JobPhase::Running, 1, at(5), CancelLevel::None, true, JobAction::Ask(EndCause::Flood)),
            (JobPhase::Running, 5, at(5), CancelLevel::None, true, JobAction::Ask(EndCause::Timeout)),
            (JobPhase::Running, 5, at(5), CancelLevel::Soon, true, JobAction::Ask(EndCause::Cancel)),
            (JobPhase::Running, 1, never, CancelLevel::Now, false, JobAction::Kill(Some(EndCause::Cancel))),
            (asked(7), 6, at(5), CancelLevel::Soon, true, JobAction::GoOn),
            (asked(7), 7, at(5), CancelLevel::None, false, JobAction::Kill(Some(EndCause::Timeout))),
            (asked(7), 6, at(5), CancelLevel::Now, false, JobAction::Kill(Some(EndCause::Timeout))),
            (leaving(9), 6, at(5), CancelLevel::Soon, true, JobAction::GoOn),
            (leaving(9), 6, at(5), CancelLevel::Now, false, JobAction::Kill(None)),
            (leaving(9), 9, at(5), CancelLevel::None, false, JobAction::GiveUp),
            (killed(9), 8, at(5), CancelLevel::Now, true, JobAction::GoOn),
            (killed(9), 9, at(5), CancelLevel::Now, true, JobAction::GiveUp),
        ];
        for (phase, now, timeout, cancel, is_flooded, expected) in table {
            let observed = Observed { now: at(now), timeout, cancel, is_flooded, watch: Watch::GoOn };
            assert_eq!(decide(phase, observed), expected, "{phase:?} {observed:?}");
        }
    }

    #[test]
    fn a_watcher_ends_a_running_job_and_no_other() {
        let at = Duration::from_secs;
        let watched = |phase, cancel, now| {
            let (now, timeout) = (at(now), at(5));
            decide(phase, Observed { now, timeout, cancel, is_flooded: false, watch: Watch::End })
        };
        assert_eq!(watched(JobPhase::Running, CancelLevel::None, 1), JobAction::Ask(EndCause::Watcher));
        assert_eq!(watched(JobPhase::Running, CancelLevel::None, 5), JobAction::Ask(EndCause::Timeout));
        assert_eq!(watched(JobPhase::Running, CancelLevel::Soon, 1), JobAction::Ask(EndCause::Cancel));
        assert_eq!(watched(JobPhase::Leaving { overdue_at: at(9) }, CancelLevel::None, 1), JobAction::GoOn);
    }
}
