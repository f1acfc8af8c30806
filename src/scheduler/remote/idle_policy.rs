//! Decides how long a worker that has nothing to do stays: what can still happen in the run, and what the user lets it wait for.

use std::time::{Duration, Instant};

use crate::plan::Readiness;

/// What a worker that has nothing to do waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stay {
    /// For nothing.
    WhileReady,
    /// For so long, and as long as others may make something ready.
    UntilIdle(Duration),
    /// Until nothing can be done any more without a person.
    UntilDone,
}

/// What can still happen in a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outlook {
    /// A task that is claimed, or not merged yet, may make another one ready.
    Coming,
    /// Tasks are claimed or not merged yet, but no other task waits.
    AtWork,
    /// Nothing, before a person has answered or approved something.
    Person,
    /// Nothing.
    Over,
}

/// How long a worker waits before it looks again, at first.
const FIRST_LOOK: Duration = Duration::from_secs(1);
/// The longest time between two looks of a few workers.
const RARE_LOOK: Duration = Duration::from_secs(2);
/// How much longer it is for each branch of a task, so that many workers do not ask more often than a few.
const LONGER: Duration = Duration::from_millis(100);
/// The longest time between two looks.
const RAREST_LOOK: Duration = Duration::from_secs(15);
/// The shortest time to wait.
const TICK: Duration = Duration::from_millis(100);

impl Outlook {
    /// What can still happen, if the tasks are like that, and if some are left to be merged. Tasks that are claimed count as ready.
    pub(super) fn of(tasks: impl IntoIterator<Item = Readiness>, is_left_to_merge: bool) -> Self {
        let (mut is_at_work, mut is_waited, mut needs_person) = (is_left_to_merge, false, false);
        for task in tasks {
            match task {
                Readiness::Ready => is_at_work = true,
                Readiness::Waiting => is_waited = true,
                Readiness::Held | Readiness::Asked => needs_person = true,
                Readiness::Done | Readiness::Failed | Readiness::Blocked => {}
            }
        }
        match (is_at_work, is_waited, needs_person) {
            (true, true, _) => Self::Coming,
            (true, false, _) => Self::AtWork,
            (false, _, true) => Self::Person,
            // What waits now waits for the tests of a phase, which fail.
            (false, _, false) => Self::Over,
        }
    }
}

/// How long a worker has had nothing to do.
pub(super) struct Idle {
    pub(super) stay: Stay,
    since: Option<Instant>,
    looks: u32,
}

impl Idle {
    pub(super) fn new(stay: Stay) -> Self {
        Self { stay, since: None, looks: 0 }
    }

    pub(super) fn reset(&mut self) {
        (self.since, self.looks) = (None, 0);
    }

    /// Whether the worker leaves. The time begins when nothing that others do can give it work.
    pub(super) fn is_over(&mut self, outlook: Outlook) -> bool {
        match (self.stay, outlook) {
            (Stay::WhileReady, _) | (Stay::UntilDone, Outlook::Person | Outlook::Over) => true,
            (Stay::UntilDone, Outlook::Coming | Outlook::AtWork) | (Stay::UntilIdle(_), Outlook::Coming) => {
                self.since = None;
                false
            }
            (Stay::UntilIdle(limit), _) => self.since.get_or_insert_with(Instant::now).elapsed() >= limit,
        }
    }

    /// How long to wait before the next look at a run with so many branches of tasks.
    pub(super) fn next_wait(&mut self, branches: usize) -> Duration {
        let branches = u32::try_from(branches).unwrap_or(u32::MAX);
        let rare = RARE_LOOK.saturating_add(LONGER.saturating_mul(branches)).min(RAREST_LOOK);
        let wait = FIRST_LOOK.saturating_mul(1 << self.looks.min(4)).min(rare);
        self.looks += 1;
        let left = match (self.stay, self.since) {
            (Stay::UntilIdle(limit), Some(since)) => limit.saturating_sub(since.elapsed()),
            _ => wait,
        };
        wait.min(left.max(TICK))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Readiness::{Asked, Blocked, Done, Failed, Held, Ready, Waiting};

    #[test]
    fn what_can_still_happen_depends_on_what_is_at_work_and_on_what_waits() {
        for (tasks, is_left_to_merge, outlook) in [
            (&[Done, Ready, Waiting][..], false, Outlook::Coming),
            (&[Done, Waiting], true, Outlook::Coming),
            (&[Ready, Asked, Waiting], false, Outlook::Coming),
            (&[Done, Ready, Failed, Blocked], false, Outlook::AtWork),
            (&[Done], true, Outlook::AtWork),
            (&[Asked, Waiting, Failed], false, Outlook::Person),
            (&[Done, Held], false, Outlook::Person),
            (&[Done, Failed, Blocked], false, Outlook::Over),
            (&[Done, Waiting], false, Outlook::Over),
            (&[Done, Done], false, Outlook::Over),
        ] {
            assert_eq!(Outlook::of(tasks.iter().copied(), is_left_to_merge), outlook, "{tasks:?}");
        }
    }

    #[test]
    fn a_slow_task_of_another_worker_sends_nobody_home_who_may_get_work_by_it() {
        let all = [Outlook::Coming, Outlook::AtWork, Outlook::Person, Outlook::Over];
        let leaves = |stay| all.map(|outlook| Idle::new(stay).is_over(outlook));
        assert_eq!(leaves(Stay::WhileReady), [true; 4]);
        assert_eq!(leaves(Stay::UntilDone), [false, false, true, true]);
        assert_eq!(leaves(Stay::UntilIdle(Duration::ZERO)), [false, true, true, true]);
        assert_eq!(leaves(Stay::UntilIdle(Duration::from_secs(60))), [false; 4]);
        // Time that was spent so does not count later.
        let mut idle = Idle::new(Stay::UntilIdle(Duration::from_secs(60)));
        assert!(!idle.is_over(Outlook::Over) && idle.since.is_some());
        assert!(!idle.is_over(Outlook::Coming) && idle.since.is_none());
    }

    #[test]
    fn a_few_workers_look_often_and_many_rarely() {
        let mut idle = Idle::new(Stay::UntilDone);
        assert_eq!([0; 3].map(|_| idle.next_wait(3).as_millis()), [1000, 2000, 2300]);
        assert_eq!([0; 2].map(|_| idle.next_wait(10_000)), [Duration::from_secs(8), RAREST_LOOK]);
        let mut idle = Idle::new(Stay::UntilIdle(Duration::ZERO));
        assert!(!Idle::new(Stay::UntilDone).is_over(Outlook::Coming));
        assert!(idle.is_over(Outlook::Over));
        assert_eq!(idle.next_wait(3), TICK);
    }
}
