//! Decides how long to wait for a runner that cannot work, and what to tell the user if the run does not wait.

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};

use crate::agents::{Cause, Runner, Trouble, Unavailable};
use crate::engine::event::{Event, Wait};
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::RunContext;
use crate::engine::run_context::limits::clock;
use crate::error::{Error, Kind, Result};
use crate::text::duration;

/// The first wait if its length is unknown; each further one is twice as long.
const FIRST_TRY: Duration = Duration::from_secs(5 * 60);
/// The longest of these waits.
const LAST_TRY: Duration = Duration::from_secs(60 * 60);
/// The first pause before a runner is called again whose service did not answer.
const FIRST_PAUSE: Duration = Duration::from_secs(5);
/// How long after the reset of a limit a runner is called: the clock of its service may be late.
const LIMIT_MARGIN: Duration = Duration::from_secs(5);
/// The shortest wait after the runner named a time and still could not work then.
const RETRY_AFTER_RESET: Duration = Duration::from_secs(60);

/// How often a wait checks whether it is over or the user asked to stop.
const TICK: Duration = Duration::from_millis(100);

/// The pauses before a runner is called again whose service did not answer, as many as patience allows. Each is three times as
/// long as the one before.
pub(super) struct Retries {
    left: Duration,
    pause: Duration,
}

impl Retries {
    /// Those that take no longer than this together.
    pub(super) fn within(patience: Duration) -> Self {
        Self { left: patience, pause: FIRST_PAUSE }
    }
}

impl Iterator for Retries {
    type Item = Duration;

    /// The next pause; `None` if the runner was called often enough.
    fn next(&mut self) -> Option<Duration> {
        let pause = self.pause;
        self.left = self.left.checked_sub(pause)?;
        self.pause = pause.saturating_mul(3);
        Some(pause)
    }
}

/// Consecutive waits, and how much time is left for them.
pub(super) struct Waits {
    left: Duration,
    next_try: Duration,
    shortest: Duration,
}

/// One wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct AgentWait {
    pub(super) length: Duration,
    /// When the runner said that it can work again.
    pub(super) until: Option<DateTime<Utc>>,
    /// Whether it is long: for a usage limit, or an outage that has lasted longer than the retries.
    pub(super) is_for_limit: bool,
}

impl Waits {
    pub(super) fn new(bound: Duration) -> Self {
        Self { left: bound, next_try: FIRST_TRY, shortest: Duration::ZERO }
    }

    /// The next wait, for a runner that cannot work now; `None` if waiting does not help, or would take longer than the time
    /// that is left.
    pub(super) fn next(&mut self, cause: Cause, now: DateTime<Utc>) -> Option<AgentWait> {
        if !cause.passes_by_itself() {
            return None;
        }
        let until = match cause {
            Cause::Limit { resets } => resets.map(|at| at + LIMIT_MARGIN),
            _ => None,
        };
        let length = match until {
            Some(at) => (at - now).to_std().unwrap_or_default().max(self.shortest),
            None => self.next_try.min(self.left),
        };
        if length > self.left || self.left.is_zero() {
            return None;
        }
        match until {
            Some(_) => self.shortest = (self.shortest * 2).clamp(RETRY_AFTER_RESET, LAST_TRY),
            None => self.next_try = (self.next_try * 2).min(LAST_TRY),
        }
        self.left -= length;
        // A wait does not end at a reset that comes sooner than the shortest wait.
        let until = until.filter(|at| (*at - now).to_std().is_ok_and(|told| told >= length));
        Some(AgentWait { length, until, is_for_limit: true })
    }
}

/// Until when an account is left alone that cannot work for this cause; `None` for the rest of the run. It is always a while,
/// even if the reset is only moments away: otherwise the account would be asked again and again.
pub(super) fn held_until(cause: Cause) -> Option<DateTime<Utc>> {
    let now = Utc::now();
    match cause {
        Cause::Limit { resets: Some(at) } => Some((at + LIMIT_MARGIN).max(now + RETRY_AFTER_RESET)),
        cause if cause.needs_person() => None,
        _ => Some(now + FIRST_TRY),
    }
}

/// The error for a run that ends within a step, because it may not wait or call a runner any longer.
pub(super) fn ended(what: String) -> Error {
    Error::new(
        Kind::No,
        what,
        "No step was committed, and no attempt is used up. Run the same command again to continue.",
    )
}

/// Waits. The wall clock tells when a limit has reset, even if the machine was suspended meanwhile. The monotonic clock
/// bounds the wait even if somebody sets the wall clock.
pub(super) fn sleep(run: &RunContext<'_>, job: Assignment<'_>, why: &str, pause: AgentWait) -> Result<()> {
    let began = Instant::now();
    let AgentWait { length, until, is_for_limit } = pause;
    let ends = began + length;
    let (task, why) = (job.task.id.clone(), why.to_owned());
    run.observer.on(Event::Waits(Wait { task, step: job.step, why, length, until, is_for_limit, began }));
    while Instant::now() < ends && until.is_none_or(|at| Utc::now() < at) {
        run.check_stop()?;
        if let Some(pause) = run.pause_before_step() {
            return Err(ended(format!("the run ended {pause}, while it waited for a runner")));
        }
        std::thread::sleep(TICK.min(ends - Instant::now().min(ends)));
    }
    run.check_stop()
}

/// A runner that cannot work now.
pub(super) struct Blocked<'p> {
    pub(super) runner: &'p Runner,
    pub(super) why: Unavailable,
}

/// The error for a runner that cannot work, and for which the run does not wait any longer than `max_wait`. `others` are
/// clauses about the runners that could not step in.
pub(super) fn refusal(max_wait: Duration, blocked: &Blocked<'_>, others: &[String]) -> Error {
    let Blocked { runner, why } = blocked;
    let cause = why.cause;
    let what_to_do = match cause {
        Cause::Limit { resets: Some(at) } => {
            let left = duration((at - Utc::now()).to_std().unwrap_or_default());
            let bound = match max_wait {
                Duration::ZERO => String::new(),
                bound => format!(", but --max-wait allows only {}", duration(bound)),
            };
            format!(
                "It resets at {}, in {left}{bound}. Run the same command again then to continue from the same step.",
                clock(&at)
            )
        }
        cause => match runner.remedy(cause) {
            Some(remedy) => format!("{remedy} Then run the same command again."),
            None => {
                let bound = match max_wait {
                    Duration::ZERO => "It does not say when this will end".to_owned(),
                    bound => format!("It lasted for all of the {} that --max-wait allows", duration(bound)),
                };
                format!("{bound}. Run the same command again later to continue from the same step.")
            }
        },
    };
    let remedy = format!("No step was committed, and no attempt is used up. {what_to_do}");
    let noun = if cause == Cause::Environment(Trouble::NotStarted) { "the runner " } else { "" };
    let words: Vec<String> =
        std::iter::once(why.words(&runner.label())).chain(others.iter().cloned()).collect();
    Error::new(Kind::Environment, format!("{noun}{}", words.join("; ")), remedy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Shortage;

    const HOUR: u64 = 3600;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000 + seconds, 0).unwrap()
    }

    fn limit(resets: Option<i64>) -> Cause {
        Cause::Limit { resets: resets.map(at) }
    }

    fn seconds(next: Option<AgentWait>) -> Option<u64> {
        next.map(|pause| pause.length.as_secs())
    }

    #[test]
    fn a_limit_is_waited_for_until_it_resets_if_the_bound_allows() {
        let mut waits = Waits::new(Duration::from_secs(6 * HOUR));
        let pause = waits.next(limit(Some(7195)), at(0)).unwrap();
        assert_eq!(
            pause,
            AgentWait { length: Duration::from_secs(7200), until: Some(at(7200)), is_for_limit: true }
        );
        assert_eq!(seconds(waits.next(limit(Some(7195 + 14400)), at(7200))), Some(14400), "to the second");
        assert_eq!(waits.next(limit(Some(90000)), at(80000)), None);
        let mut short = Waits::new(Duration::from_secs(60));
        assert_eq!(short.next(limit(Some(56)), at(0)), None);
    }

    #[test]
    fn without_a_reset_time_the_waits_become_longer_up_to_the_bound() {
        for cause in [limit(None), Cause::Service] {
            let mut waits = Waits::new(Duration::from_secs(4 * HOUR));
            let lengths: Vec<u64> =
                std::iter::from_fn(|| seconds(waits.next(cause, at(0)))).map(|length| length / 60).collect();
            assert_eq!(lengths, [5, 10, 20, 40, 60, 60, 45]);
            assert_eq!(waits.next(cause, at(0)), None);
        }
    }

    #[test]
    fn an_agent_that_always_names_the_next_second_is_not_asked_every_second() {
        let mut waits = Waits::new(Duration::from_secs(6 * HOUR));
        let lengths: Vec<u64> = (0..4).map(|_| seconds(waits.next(limit(Some(1)), at(0))).unwrap()).collect();
        assert_eq!(lengths, [6, 60, 120, 240]);
        assert_eq!(waits.next(limit(Some(1)), at(0)).unwrap().until, None);
    }

    #[test]
    fn a_service_that_does_not_answer_is_asked_again_after_longer_and_longer_pauses() {
        let pauses = |patience| {
            let pauses = Retries::within(Duration::from_secs(patience));
            pauses.map(|pause| pause.as_secs()).collect::<Vec<_>>()
        };
        assert_eq!(pauses(120), [5, 15, 45]);
        assert_eq!(pauses(200), [5, 15, 45, 135]);
        assert_eq!(pauses(4), [0; 0]);
    }

    #[test]
    fn a_run_does_not_wait_for_a_login_for_credit_or_for_its_environment() {
        for cause in [
            Cause::NotLoggedIn,
            Cause::NoCredit,
            Cause::Refused,
            Cause::Environment(Trouble::Machine(Shortage::Disk)),
            Cause::Environment(Trouble::NotStarted),
            Cause::Environment(Trouble::BrokeOff),
        ] {
            assert_eq!(Waits::new(Duration::MAX).next(cause, at(0)), None);
        }
    }
}
