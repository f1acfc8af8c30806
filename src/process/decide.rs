//! The rules by which a running job is ended, apart from the acting.

use super::Urgency;
use std::time::Instant;

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

/// How far the ending of a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Phase {
    /// It runs, and may.
    Running,
    /// It got SIGTERM.
    Asked {
        /// Why.
        cause: Cause,
        /// When its grace ends.
        kill_at: Instant,
    },
    /// It got SIGKILL.
    Killed {
        /// Why.
        cause: Cause,
    },
}

/// What is seen of a job at one moment.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signs {
    /// The moment.
    pub(super) now: Instant,
    /// When its time is up; `None` for never.
    pub(super) timeout_at: Option<Instant>,
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
    Kill(Cause),
}

/// The next order: a stop comes before a timeout, a timeout before a flood; who asks twice does not wait.
pub(super) fn order(phase: Phase, signs: Signs) -> Order {
    match phase {
        Phase::Killed { .. } => Order::GoOn,
        Phase::Asked { cause, kill_at } => {
            if signs.urgency == Urgency::Now || signs.now >= kill_at {
                Order::Kill(cause)
            } else {
                Order::GoOn
            }
        }
        Phase::Running => match signs.urgency {
            Urgency::Now => Order::Kill(Cause::Stop),
            Urgency::Soon => Order::Ask(Cause::Stop),
            Urgency::None if signs.timeout_at.is_some_and(|at| signs.now >= at) => Order::Ask(Cause::Timeout),
            Urgency::None if signs.flood == Flood::Exceeded => Order::Ask(Cause::Flood),
            Urgency::None => Order::GoOn,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn every_phase_and_sign_has_its_order() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let asked = |kill_at| Phase::Asked { cause: Cause::Timeout, kill_at };
        let table = [
            (Phase::Running, 1, Some(5), Urgency::None, Flood::Within, Order::GoOn),
            (Phase::Running, 5, Some(5), Urgency::None, Flood::Within, Order::Ask(Cause::Timeout)),
            (Phase::Running, 999, None, Urgency::None, Flood::Within, Order::GoOn),
            (Phase::Running, 1, Some(5), Urgency::None, Flood::Exceeded, Order::Ask(Cause::Flood)),
            (Phase::Running, 5, Some(5), Urgency::None, Flood::Exceeded, Order::Ask(Cause::Timeout)),
            (Phase::Running, 5, Some(5), Urgency::Soon, Flood::Exceeded, Order::Ask(Cause::Stop)),
            (Phase::Running, 1, None, Urgency::Now, Flood::Within, Order::Kill(Cause::Stop)),
            (asked(at(7)), 6, Some(5), Urgency::Soon, Flood::Exceeded, Order::GoOn),
            (asked(at(7)), 7, Some(5), Urgency::None, Flood::Within, Order::Kill(Cause::Timeout)),
            (asked(at(7)), 6, Some(5), Urgency::Now, Flood::Within, Order::Kill(Cause::Timeout)),
            (Phase::Killed { cause: Cause::Flood }, 999, Some(5), Urgency::Now, Flood::Exceeded, Order::GoOn),
        ];
        for (phase, now, timeout, urgency, flood, expected) in table {
            let signs = Signs { now: at(now), timeout_at: timeout.map(at), urgency, flood };
            assert_eq!(order(phase, signs), expected, "{phase:?} {signs:?}");
        }
    }
}
