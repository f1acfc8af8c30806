//! Decides how long to wait for a runner that cannot work, and what to tell the user if the run does not wait.

use std::time::Duration;

use chrono::{DateTime, Utc};

use crate::agents::{Cause, Runner, Unavailable};
use crate::engine::clock::clock;
use crate::engine::settings::Backoff;
use crate::error::{Error, Kind};
use crate::text::duration;

/// The first wait if its length is unknown; each further one is twice as long.
const FIRST_TRY: Duration = Duration::from_secs(5 * 60);
/// The longest of these waits.
const LAST_TRY: Duration = Duration::from_secs(60 * 60);
/// The shortest wait after the runner named a time and still could not work then.
const RETRY_AFTER_RESET: Duration = Duration::from_secs(60);

/// Consecutive waits, and how much time is left for them.
pub(super) struct Waits {
    left: Duration,
    next_try: Duration,
    shortest: Duration,
}

/// One wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pause {
    pub(super) length: Duration,
    /// When the runner said that it can work again.
    pub(super) until: Option<DateTime<Utc>>,
}

/// Why there is no wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NoWait {
    /// Waiting does not help.
    Useless,
    /// It would take longer than the time that is left.
    TooLong,
}

impl Waits {
    pub(super) fn new(bound: Duration) -> Self {
        Self { left: bound, next_try: FIRST_TRY, shortest: Duration::ZERO }
    }

    /// The next wait, for a runner that cannot work now.
    pub(super) fn next(&mut self, cause: Cause, now: DateTime<Utc>) -> std::result::Result<Pause, NoWait> {
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
        // A wait does not end at a reset that comes sooner than the shortest wait.
        let until = until.filter(|at| (*at - now).to_std().is_ok_and(|told| told >= length));
        Ok(Pause { length, until })
    }
}

/// The error for a runner that cannot work. `no_wait` says why the run does not wait for it, if it may wait at all.
pub(super) fn refusal(
    backoff: Backoff,
    runner: &Runner,
    unavailable: &Unavailable,
    no_wait: Option<NoWait>,
) -> Error {
    let cause = unavailable.cause;
    let what_to_do = match cause {
        Cause::NotLoggedIn | Cause::NotAsRoot | Cause::NoCredit | Cause::DiskFull => {
            let remedy = runner.remedy(cause).expect("a person can remedy these causes");
            format!("{remedy} Then run the same command again.")
        }
        Cause::UsageLimit { resets: Some(at) } => {
            let when = format!("It resets at {}, in {}", clock(&at), duration((at - Utc::now()).to_std().unwrap_or_default()));
            match (no_wait, backoff) {
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
        Cause::UsageLimit { resets: None } | Cause::Unreachable => match (no_wait, backoff) {
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
