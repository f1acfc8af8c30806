//! Finds out whether an agent could work at all. Exit statuses alone do not say so.
//!
//! An agent that reports its work as a stream of events says so in fields. For others, and if there was no stream, the last
//! lines of the output decide. Some agents exit with 0 when no user is logged in. On the other hand, an agent that worked
//! on a task about rate limits prints such words as its answer. So only whole lines of known forms count, and only where
//! errors appear: among the last lines after a failure, or after a success if the agent printed nothing else.

pub(super) mod error_patterns;
mod fields;
mod lines;
mod resets;
pub(super) mod zone;

use chrono::{DateTime, TimeZone, Utc};

use super::event::ErrorKind;
use super::{ExitReason, JobResult};
use crate::text::ellipsis;
use error_patterns::ErrorPatterns;
pub(super) use fields::{StreamEnd, after_stream};
use lines::Lines;
pub(super) use resets::LocalClock;

/// How much of an agent's words is quoted, in characters.
const QUOTE: usize = 200;
/// The largest number of lines from an agent that exits with 0 and only says why it could not work.
const FEW: usize = 3;

/// Why an agent could not work. This does not count as an attempt (docs/agents.md).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// The cause.
    pub cause: Cause,
    /// The line in which it said so, without control characters, at most 200 characters.
    pub said: String,
}

impl Unavailable {
    /// What happened to the runner of this name, as a clause.
    #[must_use]
    pub fn words(&self, name: &str) -> String {
        let what = match self.cause {
            Cause::UsageLimit { .. } => format!("{name} has hit its usage limit"),
            Cause::Unreachable => format!("the service of {name} does not answer"),
            Cause::NoCredit => format!("{name} has no credit left"),
            Cause::NotLoggedIn => format!("{name} is not logged in"),
            Cause::NotAsRoot => format!("{name} refuses to run as root"),
            Cause::DiskFull => format!("{name} could not write, because the disk is full"),
            Cause::Refused => format!("the service of {name} refuses the request"),
            Cause::Silent => format!("{name} did not answer until its timeout"),
            Cause::NoTurn => format!("{name} ended before it did anything"),
            Cause::NotStarted => return format!("{name} did not start: {}", self.said),
        };
        if self.said.is_empty() { what } else { format!("{what} (it says: {})", self.said) }
    }
}

/// Why an agent could not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A rate or usage limit.
    UsageLimit {
        /// When it can work again at the latest, if it said so clearly.
        resets: Option<DateTime<Utc>>,
    },
    /// The service behind it is overloaded, out of order or out of reach.
    Unreachable,
    /// Its credit is used up, so waiting does not help.
    NoCredit,
    /// It is not logged in, or its login has expired.
    NotLoggedIn,
    /// It refuses to run as root without asking for permission.
    NotAsRoot,
    /// A disk that it writes to is full.
    DiskFull,
    /// Its service refuses the request as it is, for example because there is no such model.
    Refused,
    /// It did nothing until its timeout.
    Silent,
    /// It ended without an answer before it did anything.
    NoTurn,
    /// Its program is missing, or cannot be executed.
    NotStarted,
}

impl Cause {
    /// The cause that an error of this kind is; `None` for a limit that was set for the agent.
    fn of(kind: ErrorKind, resets: impl FnOnce() -> Option<DateTime<Utc>>) -> Option<Self> {
        Some(match kind {
            ErrorKind::UsageLimit => Self::UsageLimit { resets: resets() },
            ErrorKind::Unreachable => Self::Unreachable,
            ErrorKind::NoCredit => Self::NoCredit,
            ErrorKind::NotLoggedIn => Self::NotLoggedIn,
            ErrorKind::NotAsRoot => Self::NotAsRoot,
            ErrorKind::DiskFull => Self::DiskFull,
            ErrorKind::Refused => Self::Refused,
            ErrorKind::TurnLimit | ErrorKind::BudgetLimit => return None,
        })
    }

    /// Whether it may pass within seconds or minutes, so that the same agent is worth another call.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(self, Self::Unreachable)
    }

    /// Whether another agent steps in: only where this one has no account to work with or is missing, never after a
    /// failure.
    #[must_use]
    pub fn calls_for_fallback(self) -> bool {
        matches!(self, Self::UsageLimit { .. } | Self::NotLoggedIn | Self::NotStarted)
    }
}

/// The output of an agent.
struct Streams {
    out: Lines,
    err: Lines,
}

/// Why an agent that prints text could not work, according to these error patterns, if so.
pub(super) fn unavailable<Z: TimeZone>(
    error_patterns: &[&ErrorPatterns],
    result: &JobResult,
    clock: &LocalClock<'_, Z>,
) -> Option<Unavailable> {
    let said = Streams { out: Lines::of(&result.stdout), err: Lines::of(&result.stderr) };
    let status = match result.exit_reason {
        ExitReason::Exited(0) => return after_a_good_end(error_patterns, &said, clock),
        ExitReason::Exited(status) => Some(status),
        ExitReason::Signalled(_)
        | ExitReason::Unknown
        | ExitReason::TimedOut { .. }
        | ExitReason::EndedEarly => None,
        ExitReason::Cancelled | ExitReason::Flooded { .. } | ExitReason::CouldNotStart(_) => return None,
    };
    let by_status = || {
        let meaning = error_patterns.iter().find_map(|patterns| patterns.of_status(status?))?;
        let line = said.err.last(1).chain(said.out.last(1)).next().unwrap_or_default();
        Some(to_unavailable(meaning, line, [line].into_iter(), clock))
    };
    after_a_bad_end(error_patterns, &said, clock).or_else(by_status)
}

fn after_a_good_end<Z: TimeZone>(
    error_patterns: &[&ErrorPatterns],
    Streams { out, err }: &Streams,
    clock: &LocalClock<'_, Z>,
) -> Option<Unavailable> {
    let meaning = |line: &str| error_patterns.iter().find_map(|patterns| patterns.of_final(line));
    let said = match out.all(FEW)? {
        [] => err.last(FEW).find(|line| meaning(line).is_some())?,
        [first, ..] => first,
    };
    Some(to_unavailable(meaning(said)?, said, [said].into_iter(), clock))
}

fn after_a_bad_end<Z: TimeZone>(
    error_patterns: &[&ErrorPatterns],
    Streams { out, err }: &Streams,
    clock: &LocalClock<'_, Z>,
) -> Option<Unavailable> {
    let found = error_patterns.iter().find_map(|patterns| {
        let lines = err.last(patterns.look_back).chain(out.last(FEW));
        lines.clone().find_map(|line| Some((patterns, patterns.of_any(line)?, line, lines.clone())))
    });
    let (patterns, meaning, said, lines) = found?;
    Some(to_unavailable(meaning, said, lines.filter(|line| patterns.of_any(line) == Some(meaning)), clock))
}

/// The meaning of a line, with the reset time in it or in another line of the same kind.
fn to_unavailable<'a, Z: TimeZone>(
    kind: ErrorKind,
    said: &str,
    mut lines: impl Iterator<Item = &'a str>,
    clock: &LocalClock<'_, Z>,
) -> Unavailable {
    let resets = || lines.find_map(|line| resets::resets(line, clock));
    let cause = Cause::of(kind, resets).expect("no pattern stands for a limit that is the agent's own");
    Unavailable { cause, said: ellipsis(said, QUOTE) }
}

#[cfg(test)]
mod tests;
