//! Handles runners that could not work: no attempt is used up, and the run stops, or waits until the runner can work
//! again.

use std::time::{Duration, Instant};

use chrono::{DateTime, Local, Utc};

use super::event::{Event, Wait};
use super::settings::Backoff;
use super::state::{Assignment, Engine};
use crate::agents::{Cause, JobResult, Runner, Unavailable};
use crate::error::{Error, Kind, Result};
use crate::git::Head;
use crate::record::Role;
use crate::text::duration;

/// The first wait if its length is unknown; each further one is twice as long.
const FIRST_TRY: Duration = Duration::from_secs(5 * 60);
/// The longest of these waits.
const LAST_TRY: Duration = Duration::from_secs(60 * 60);
/// The shortest wait after the runner named a time and still could not work then.
const RETRY_AFTER_RESET: Duration = Duration::from_secs(60);
/// How often a wait checks whether it is over or the user asked to stop.
const TICK: Duration = Duration::from_millis(100);

/// A request to a runner, and the branch before it works.
#[derive(Clone, Copy)]
pub(super) struct Request<'a> {
    /// The runner.
    pub(super) runner: &'a Runner,
    /// Its role.
    pub(super) role: Role,
    /// Its prompt.
    pub(super) prompt: &'a str,
    /// The branch as it is now.
    pub(super) head: &'a Head,
}

/// Consecutive waits, and how much time is left for them.
struct Waits {
    left: Duration,
    next_try: Duration,
    shortest: Duration,
}

/// One wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pause {
    length: Duration,
    /// When the runner said that it can work again.
    until: Option<DateTime<Utc>>,
}

/// Why there is no wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NoWait {
    /// Waiting does not help.
    Useless,
    /// It would take longer than the time that is left.
    TooLong,
}

impl Waits {
    fn new(bound: Duration) -> Self {
        Self { left: bound, next_try: FIRST_TRY, shortest: Duration::ZERO }
    }

    /// The next wait, for a runner that cannot work now.
    fn next(&mut self, cause: Cause, now: DateTime<Utc>) -> std::result::Result<Pause, NoWait> {
        let until = match cause {
            Cause::UsageLimit { resets } => resets,
            Cause::Unreachable => None,
            Cause::NoCredit | Cause::NotLoggedIn | Cause::NotAsRoot | Cause::DiskFull => {
                return Err(NoWait::Useless);
            }
        };
        let length = match until {
            Some(at) => (at - now).to_std().unwrap_or_default().max(self.shortest),
            None => self.next_try.min(self.left),
        };
        if length > self.left || self.left.is_zero() {
            return Err(NoWait::TooLong);
        }
        match until {
            Some(_) => self.shortest = (self.shortest * 2).clamp(RETRY_AFTER_RESET, LAST_TRY),
            None => self.next_try = (self.next_try * 2).min(LAST_TRY),
        }
        self.left -= length;
        // Even if the reset comes sooner, the wait has the shortest length.
        let until = until.filter(|at| (*at - now).to_std().is_ok_and(|told| told >= length));
        Ok(Pause { length, until })
    }
}

impl Engine<'_> {
    /// Runs a runner for a step. It is an error, and no attempt, if it could not work: it did not start, was stopped, is
    /// not logged in, or hit a limit that is not waited for.
    pub(super) fn run_runner(&mut self, job: Assignment<'_>, request: Request<'_>) -> Result<JobResult> {
        let runner = request.runner;
        let mut waits = match self.context.settings.backoff {
            Backoff::None => None,
            Backoff::UpTo(bound) => Some(Waits::new(bound)),
        };
        loop {
            let result = self.start_runner(job, request)?;
            let Some(unavailable) = runner.unavailable(&result, &Local::now()) else { return Ok(result) };
            self.check_after(request.head, job.step)?;
            let next = waits.as_mut().map(|waits| waits.next(unavailable.cause, Utc::now()));
            match next {
                Some(Ok(pause)) => self.pause(job, &unavailable.words(&runner.label()), pause)?,
                Some(Err(no)) => return Err(self.refusal(runner, &unavailable, Some(no))),
                None => return Err(self.refusal(runner, &unavailable, None)),
            }
        }
    }

    /// Waits. The wall clock tells when a limit has reset, even if the machine was suspended meanwhile. The monotonic
    /// clock bounds the wait even if somebody sets the wall clock.
    fn pause(&mut self, job: Assignment<'_>, why: &str, pause: Pause) -> Result<()> {
        let began = Instant::now();
        let Pause { length, until } = pause;
        let ends = began + length;
        let (task, why) = (job.task.id.clone(), why.to_owned());
        self.observer.on(Event::Waits(Wait { task, step: job.step, why, length, until, ends }));
        while Instant::now() < ends && until.is_none_or(|at| Utc::now() < at) {
            self.check_stop()?;
            std::thread::sleep(TICK.min(ends - Instant::now().min(ends)));
        }
        self.check_stop()
    }

    fn refusal(&self, runner: &Runner, unavailable: &Unavailable, no_wait: Option<NoWait>) -> Error {
        let cause = unavailable.cause;
        let what_to_do = match cause {
            Cause::NotLoggedIn | Cause::NotAsRoot | Cause::NoCredit | Cause::DiskFull => {
                let remedy = runner.remedy(cause).expect("a person can do something about these");
                format!("{remedy} Then run the same command again.")
            }
            Cause::UsageLimit { resets: Some(at) } => {
                let when = format!("It resets at {}, in {}", clock(at), duration((at - Utc::now()).to_std().unwrap_or_default()));
                match (no_wait, self.context.settings.backoff) {
                    (Some(NoWait::TooLong), Backoff::UpTo(bound)) => format!(
                        "{when}, but --max-wait allows only {}. Run the same command again then to continue from the \
                         same step.",
                        duration(bound)
                    ),
                    _ => format!(
                        "{when}. Run the same command again then to continue from the same step, or now with --wait."
                    ),
                }
            }
            Cause::UsageLimit { resets: None } | Cause::Unreachable => match (no_wait, self.context.settings.backoff) {
                (Some(_), Backoff::UpTo(bound)) => format!(
                    "It lasted for all of the {} that --max-wait allows. Run the same command again later to \
                     continue from the same step.",
                    duration(bound)
                ),
                _ => "It does not say when this will end. Run the same command again later to continue from the same \
                 step, or now with --wait, which tries again from time to time."
                    .to_owned(),
            },
        };
        let remedy = format!("No step was committed, and no attempt is used up. {what_to_do}");
        Error::new(Kind::Environment, unavailable.words(&runner.label()), remedy)
    }
}

/// A moment in local time: the time of day, and the date if it is not today.
fn clock(at: DateTime<Utc>) -> String {
    let (at, now) = (at.with_timezone(&Local), Local::now());
    let format = if at.date_naive() == now.date_naive() { "%H:%M" } else { "%Y-%m-%d %H:%M" };
    at.format(format).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3600;

    fn at(seconds: i64) -> DateTime<Utc> {
        DateTime::from_timestamp(1_795_000_000 + seconds, 0).unwrap()
    }

    fn limit(resets: Option<i64>) -> Cause {
        Cause::UsageLimit { resets: resets.map(at) }
    }

    fn seconds(next: std::result::Result<Pause, NoWait>) -> std::result::Result<u64, NoWait> {
        next.map(|pause| pause.length.as_secs())
    }

    #[test]
    fn a_limit_is_waited_for_until_it_resets_if_the_bound_allows() {
        let mut waits = Waits::new(Duration::from_secs(6 * HOUR));
        let pause = waits.next(limit(Some(7200)), at(0)).unwrap();
        assert_eq!(pause, Pause { length: Duration::from_secs(7200), until: Some(at(7200)) });
        assert_eq!(seconds(waits.next(limit(Some(7200 + 14400)), at(7200))), Ok(14400), "to the second");
        assert_eq!(waits.next(limit(Some(90000)), at(80000)), Err(NoWait::TooLong));
        let mut short = Waits::new(Duration::from_secs(60));
        assert_eq!(short.next(limit(Some(61)), at(0)), Err(NoWait::TooLong));
    }

    #[test]
    fn without_a_reset_time_the_waits_become_longer_up_to_the_bound() {
        for cause in [limit(None), Cause::Unreachable] {
            let mut waits = Waits::new(Duration::from_secs(4 * HOUR));
            let lengths: Vec<u64> = std::iter::from_fn(|| seconds(waits.next(cause, at(0))).ok())
                .map(|length| length / 60)
                .collect();
            assert_eq!(lengths, [5, 10, 20, 40, 60, 60, 45]);
            assert_eq!(waits.next(cause, at(0)), Err(NoWait::TooLong));
        }
    }

    #[test]
    fn an_agent_that_always_names_the_next_second_is_not_asked_every_second() {
        let mut waits = Waits::new(Duration::from_secs(6 * HOUR));
        let lengths: Vec<u64> = (0..4).map(|_| seconds(waits.next(limit(Some(1)), at(0))).unwrap()).collect();
        assert_eq!(lengths, [1, 60, 120, 240]);
        assert_eq!(waits.next(limit(Some(1)), at(0)).unwrap().until, None);
    }

    #[test]
    fn a_run_does_not_wait_for_a_login_for_credit_or_for_another_user() {
        for cause in [Cause::NotLoggedIn, Cause::NoCredit, Cause::NotAsRoot, Cause::DiskFull] {
            assert_eq!(Waits::new(Duration::MAX).next(cause, at(0)), Err(NoWait::Useless));
        }
    }
}
