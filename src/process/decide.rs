//! The rules for ending a running job, separate from carrying them out. All times are counted from its start.

use super::CancelLevel;
use std::time::Duration;

/// How long the helper may take for what it does by itself when the program has ended or is to be killed: it gives up
/// on processes that cannot be killed after ten seconds. One that has not answered by then is stopped or hangs.
pub(super) const HELPER_LIMIT: Duration = Duration::from_secs(20);

/// Why a job is ended by us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EndCause {
    /// Its time is up.
    Timeout,
    /// Its [`Cancel`](super::Cancel) was requested.
    Cancel,
    /// It writes too much.
    Flood,
}

/// What was done to a job so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It runs, and may.
    Running,
    /// The program has ended by itself; the helper ends what it left.
    Leaving {
        /// When the helper must have answered.
        overdue_at: Duration,
    },
    /// It got SIGTERM.
    Asked {
        /// Why.
        cause: EndCause,
        /// When its grace ends.
        kill_at: Duration,
    },
    /// It got SIGKILL.
    Killed {
        /// Why; `None` if the program had ended by itself before.
        cause: Option<EndCause>,
        /// When the helper must have answered.
        overdue_at: Duration,
    },
}

/// What was observed of a job at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observed {
    /// The moment.
    pub(super) now: Duration,
    /// When its time is up.
    pub(super) timeout: Duration,
    /// Whether it is to be cancelled.
    pub(super) cancel: CancelLevel,
    /// Whether it has written too much.
    pub(super) flood: OutputVolume,
}

/// Whether a job has written more than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum OutputVolume {
    /// It has not.
    Within,
    /// It has.
    Exceeded,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Action {
    /// Wait.
    GoOn,
    /// SIGTERM, and begin the grace.
    Ask(EndCause),
    /// SIGKILL.
    Kill(Option<EndCause>),
    /// The helper does not answer: do without it.
    GiveUp,
}

/// The next action. Cancelling comes before a timeout, a timeout before a flood; a second request to cancel ends the grace.
#[expect(clippy::match_same_arms, reason = "the arms are in the order of the phases")]
pub(super) fn decide(phase: Phase, observed: Observed) -> Action {
    match phase {
        Phase::Killed { overdue_at, .. } | Phase::Leaving { overdue_at } if observed.now >= overdue_at => {
            Action::GiveUp
        }
        Phase::Killed { .. } => Action::GoOn,
        Phase::Leaving { .. } if observed.cancel == CancelLevel::Now => Action::Kill(None),
        Phase::Leaving { .. } => Action::GoOn,
        Phase::Asked { cause, kill_at } => {
            if observed.cancel == CancelLevel::Now || observed.now >= kill_at {
                Action::Kill(Some(cause))
            } else {
                Action::GoOn
            }
        }
        Phase::Running => match observed.cancel {
            CancelLevel::Now => Action::Kill(Some(EndCause::Cancel)),
            CancelLevel::Soon => Action::Ask(EndCause::Cancel),
            CancelLevel::None if observed.now >= observed.timeout => Action::Ask(EndCause::Timeout),
            CancelLevel::None if observed.flood == OutputVolume::Exceeded => Action::Ask(EndCause::Flood),
            CancelLevel::None => Action::GoOn,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_and_observation_has_its_action() {
        use OutputVolume::{Exceeded, Within};
        let at = Duration::from_secs;
        let asked = |kill_at| Phase::Asked { cause: EndCause::Timeout, kill_at: at(kill_at) };
        let killed = |overdue_at| Phase::Killed { cause: Some(EndCause::Flood), overdue_at: at(overdue_at) };
        let leaving = |overdue_at| Phase::Leaving { overdue_at: at(overdue_at) };
        let never = Duration::MAX;
        let table = [
            (Phase::Running, 1, at(5), CancelLevel::None, Within, Action::GoOn),
            (Phase::Running, 5, at(5), CancelLevel::None, Within, Action::Ask(EndCause::Timeout)),
            (Phase::Running, 999, never, CancelLevel::None, Within, Action::GoOn),
            (Phase::Running, 1, at(5), CancelLevel::None, Exceeded, Action::Ask(EndCause::Flood)),
            (Phase::Running, 5, at(5), CancelLevel::None, Exceeded, Action::Ask(EndCause::Timeout)),
            (Phase::Running, 5, at(5), CancelLevel::Soon, Exceeded, Action::Ask(EndCause::Cancel)),
            (Phase::Running, 1, never, CancelLevel::Now, Within, Action::Kill(Some(EndCause::Cancel))),
            (asked(7), 6, at(5), CancelLevel::Soon, Exceeded, Action::GoOn),
            (asked(7), 7, at(5), CancelLevel::None, Within, Action::Kill(Some(EndCause::Timeout))),
            (asked(7), 6, at(5), CancelLevel::Now, Within, Action::Kill(Some(EndCause::Timeout))),
            (leaving(9), 6, at(5), CancelLevel::Soon, Exceeded, Action::GoOn),
            (leaving(9), 6, at(5), CancelLevel::Now, Within, Action::Kill(None)),
            (leaving(9), 9, at(5), CancelLevel::None, Within, Action::GiveUp),
            (killed(9), 8, at(5), CancelLevel::Now, Exceeded, Action::GoOn),
            (killed(9), 9, at(5), CancelLevel::Now, Exceeded, Action::GiveUp),
        ];
        for (phase, now, timeout, cancel, flood, expected) in table {
            let observed = Observed { now: at(now), timeout, cancel, flood };
            assert_eq!(decide(phase, observed), expected, "{phase:?} {observed:?}");
        }
    }
}
