//! The rules for ending a running job, separate from carrying them out. All times are counted from its start.

use super::Urgency;
use std::time::Duration;

/// How long the helper may take for what it does by itself when the program has ended or is to be killed: it gives up
/// on processes that cannot be killed after ten seconds. One that has not answered by then is stopped or hangs.
pub(super) const HELPER_LIMIT: Duration = Duration::from_secs(20);

/// Why a job is ended by us.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cause {
    /// Its time is up.
    Timeout,
    /// Its [`Stop`](super::Stop) was asked.
    Stop,
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
        cause: Cause,
        /// When its grace ends.
        kill_at: Duration,
    },
    /// It got SIGKILL.
    Killed {
        /// Why; `None` if the program had ended by itself before.
        cause: Option<Cause>,
        /// When the helper must have answered.
        overdue_at: Duration,
    },
}

/// What is seen of a job at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs {
    /// The moment.
    pub(super) now: Duration,
    /// When its time is up.
    pub(super) timeout: Duration,
    /// What was asked of it.
    pub(super) urgency: Urgency,
    /// Whether it has written too much.
    pub(super) flood: Flood,
}

/// Whether a job has written more than it may.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flood {
    /// It has not.
    Within,
    /// It has.
    Exceeded,
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Order {
    /// Wait.
    GoOn,
    /// SIGTERM, and begin the grace.
    Ask(Cause),
    /// SIGKILL.
    Kill(Option<Cause>),
    /// The helper does not answer: do without it.
    GiveUp,
}

/// The next order: a stop comes before a timeout, a timeout before a flood; a second request to stop ends the grace.
#[expect(clippy::match_same_arms, reason = "the arms are in the order of the phases")]
pub(super) fn order(phase: Phase, signs: Signs) -> Order {
    match phase {
        Phase::Killed { overdue_at, .. } | Phase::Leaving { overdue_at } if signs.now >= overdue_at => {
            Order::GiveUp
        }
        Phase::Killed { .. } => Order::GoOn,
        Phase::Leaving { .. } if signs.urgency == Urgency::Now => Order::Kill(None),
        Phase::Leaving { .. } => Order::GoOn,
        Phase::Asked { cause, kill_at } => {
            if signs.urgency == Urgency::Now || signs.now >= kill_at {
                Order::Kill(Some(cause))
            } else {
                Order::GoOn
            }
        }
        Phase::Running => match signs.urgency {
            Urgency::Now => Order::Kill(Some(Cause::Stop)),
            Urgency::Soon => Order::Ask(Cause::Stop),
            Urgency::None if signs.now >= signs.timeout => Order::Ask(Cause::Timeout),
            Urgency::None if signs.flood == Flood::Exceeded => Order::Ask(Cause::Flood),
            Urgency::None => Order::GoOn,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_and_sign_has_its_order() {
        use Flood::{Exceeded, Within};
        let at = Duration::from_secs;
        let asked = |kill_at| Phase::Asked { cause: Cause::Timeout, kill_at: at(kill_at) };
        let killed = |overdue_at| Phase::Killed { cause: Some(Cause::Flood), overdue_at: at(overdue_at) };
        let leaving = |overdue_at| Phase::Leaving { overdue_at: at(overdue_at) };
        let never = Duration::MAX;
        let table = [
            (Phase::Running, 1, at(5), Urgency::None, Within, Order::GoOn),
            (Phase::Running, 5, at(5), Urgency::None, Within, Order::Ask(Cause::Timeout)),
            (Phase::Running, 999, never, Urgency::None, Within, Order::GoOn),
            (Phase::Running, 1, at(5), Urgency::None, Exceeded, Order::Ask(Cause::Flood)),
            (Phase::Running, 5, at(5), Urgency::None, Exceeded, Order::Ask(Cause::Timeout)),
            (Phase::Running, 5, at(5), Urgency::Soon, Exceeded, Order::Ask(Cause::Stop)),
            (Phase::Running, 1, never, Urgency::Now, Within, Order::Kill(Some(Cause::Stop))),
            (asked(7), 6, at(5), Urgency::Soon, Exceeded, Order::GoOn),
            (asked(7), 7, at(5), Urgency::None, Within, Order::Kill(Some(Cause::Timeout))),
            (asked(7), 6, at(5), Urgency::Now, Within, Order::Kill(Some(Cause::Timeout))),
            (leaving(9), 6, at(5), Urgency::Soon, Exceeded, Order::GoOn),
            (leaving(9), 6, at(5), Urgency::Now, Within, Order::Kill(None)),
            (leaving(9), 9, at(5), Urgency::None, Within, Order::GiveUp),
            (killed(9), 8, at(5), Urgency::Now, Exceeded, Order::GoOn),
            (killed(9), 9, at(5), Urgency::Now, Exceeded, Order::GiveUp),
        ];
        for (phase, now, timeout, urgency, flood, expected) in table {
            let signs = Signs { now: at(now), timeout, urgency, flood };
            assert_eq!(order(phase, signs), expected, "{phase:?} {signs:?}");
        }
    }
}
