//! Finds out whether an agent could work at all. Exit statuses alone do not say so.
//!
//! An agent that reports its work as a stream of events says so in fields. For others, and if there was no stream, the last
//! lines of the output decide. Some agents exit with 0 when no user is logged in. On the other hand, an agent that worked
//! on a task about rate limits prints such words as its answer. So only whole lines of known forms count, and only where
//! errors appear: among the last lines after a failure, or after a success if the agent printed nothing else.

mod ending;
pub(super) mod error_patterns;
mod lines;
mod resets;
pub(super) mod zone;

use std::time::Duration;

use chrono::{DateTime, TimeZone, Utc};

use super::event::{AgentError, ErrorKind};
use super::{ExitReason, JobResult};
use crate::process::Shortage;
use crate::text::{clean, ellipsis};
pub(super) use ending::{CallEnd, EndedCall, EndedFor, Seen};
use error_patterns::ErrorPatterns;
use lines::{LastLines, QUOTE, spelled};
pub(super) use resets::LocalClock;

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
            Cause::ShortMachine => {
                format!("{name} could not work, because the machine is short of processes or memory")
            }
            Cause::DiskFull => format!("{name} could not write, because the disk is full"),
            Cause::Refused => format!("the service of {name} refuses the request"),
            Cause::ContextTooLong => {
                format!("the conversation of {name} is longer than its model can take")
            }
            Cause::Silent => format!("{name} did not answer until it was ended"),
            Cause::Hangs => format!("the service of {name} does not answer any more"),
            Cause::NoTurn => format!("{name} ended before it did anything"),
            Cause::Crashed => format!("{name} broke off with an error"),
            Cause::Killed => format!("{name} was killed by a signal"),
            Cause::Unreadable => format!("the stream of {name} could not be read"),
            Cause::NoAnswer => format!("{name} ended without a final message"),
            Cause::NoReview => {
                return format!("the reviewer {name} did not complete its review: {}", self.said);
            }
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
    /// The machine is short of processes or memory.
    ShortMachine,
    /// Its service refuses the request as it is, for example because there is no such model.
    Refused,
    /// The conversation has become longer than its model can take.
    ContextTooLong,
    /// It did nothing until its timeout, or printed nothing for longer than it may.
    Silent,
    /// It had worked, and then nothing came from its service for a long time.
    Hangs,
    /// It ended without an answer before it did anything.
    NoTurn,
    /// It had worked, and then its program ended with an error whose cause is not known.
    Crashed,
    /// A signal ended it that did not come from us.
    Killed,
    /// A part of its stream could not be read, so its final message is not known.
    Unreadable,
    /// It had worked, and then it ended without a final message: the last answer of its model was empty.
    NoAnswer,
    /// Its program is missing, or cannot be executed.
    NotStarted,
    /// It was to review, and ended without an answer, or with one that says nothing.
    NoReview,
}

impl Cause {
    /// The cause that an error of this kind is; `None` for a limit that was set for the agent.
    fn of(kind: ErrorKind) -> Option<Self> {
        Some(match kind {
            ErrorKind::UsageLimit => Self::UsageLimit { resets: None },
            ErrorKind::Unreachable => Self::Unreachable,
            ErrorKind::NoCredit => Self::NoCredit,
            ErrorKind::NotLoggedIn => Self::NotLoggedIn,
            ErrorKind::NotAsRoot => Self::NotAsRoot,
            ErrorKind::DiskFull => Self::DiskFull,
            ErrorKind::ShortMachine => Self::ShortMachine,
            ErrorKind::Refused => Self::Refused,
            ErrorKind::ContextTooLong => Self::ContextTooLong,
            ErrorKind::TurnLimit | ErrorKind::BudgetLimit => return None,
        })
    }

    /// The same; of a limit, one that resets at this time.
    fn until(self, resets: Option<DateTime<Utc>>) -> Self {
        match self {
            Self::UsageLimit { .. } => Self::UsageLimit { resets },
            other => other,
        }
    }

    /// Whether the same agent is called again at once, because the trouble is that of its program or of this machine and may
    /// have been an accident.
    #[must_use]
    pub fn may_be_accident(self) -> bool {
        matches!(self, Self::Killed | Self::Crashed | Self::Unreadable)
    }

    /// Whether the same agent is asked once more in the same step, because its last answer was none.
    #[must_use]
    pub fn is_asked_again(self) -> bool {
        matches!(self, Self::NoReview | Self::NoAnswer)
    }

    /// Whether it may pass within seconds or minutes, so that the same agent is worth another call.
    #[must_use]
    pub fn is_transient(self) -> bool {
        matches!(self, Self::Unreachable)
    }

    /// Whether it may be over after a while, without anybody's help.
    #[must_use]
    pub fn passes_by_itself(self) -> bool {
        matches!(self, Self::UsageLimit { .. } | Self::Unreachable | Self::Silent | Self::Hangs)
    }

    /// Whether another agent steps in. On a full disk or a machine that is short of something, it would fare no better.
    #[must_use]
    pub fn calls_for_fallback(self) -> bool {
        !matches!(self, Self::DiskFull | Self::ShortMachine)
    }

    /// The cause that a shortage of the machine is.
    pub(super) fn of_shortage(shortage: Shortage) -> Self {
        match shortage {
            Shortage::Processes | Shortage::Memory => Self::ShortMachine,
            Shortage::Disk => Self::DiskFull,
        }
    }

    /// Whether only a person can help, so that the agent is left alone for the rest of a run. All else may be over after a
    /// while.
    #[must_use]
    pub fn needs_person(self) -> bool {
        matches!(
            self,
            Self::NotLoggedIn | Self::NoCredit | Self::NotAsRoot | Self::Refused | Self::NotStarted
        )
    }
}

/// The output of an agent.
struct AgentStreams {
    out: LastLines,
    err: LastLines,
}

/// An error that an agent has told as text.
struct ToldError {
    kind: ErrorKind,
    /// The line in which it said so.
    said: String,
    /// When it can work again, if it said so.
    resets: Option<DateTime<Utc>>,
}

/// Why an agent that prints text could not work, according to these error patterns, if so.
pub(super) fn unavailable<Z: TimeZone>(
    error_patterns: &[&ErrorPatterns],
    result: &JobResult,
    clock: &LocalClock<'_, Z>,
) -> Option<Unavailable> {
    if let Some(ToldError { kind, said, resets }) = told(error_patterns, result, clock) {
        let cause = Cause::of(kind).expect("no pattern means a limit that was set for the agent");
        return Some(Unavailable { cause: cause.until(resets), said });
    }
    result.exit_reason.is_by_signal().then(|| Unavailable { cause: Cause::Killed, said: String::new() })
}

/// The limit of which a program speaks in one of the last lines of its output, if it does. Its words are not known, so they
/// mean a limit only if it has done nothing else.
pub(super) fn told_limit<Z: TimeZone>(result: &JobResult, clock: &LocalClock<'_, Z>) -> Option<Unavailable> {
    let ended = matches!(result.exit_reason, ExitReason::Exited(_));
    let [err, out] = [&result.stderr, &result.stdout].map(LastLines::of);
    let mut lines = err.last(FEW).chain(out.last(FEW)).filter(|line| ended && is_about_limit(line));
    let told = to_told(ErrorKind::UsageLimit, lines.clone().next()?, lines.by_ref(), clock);
    Some(Unavailable { cause: Cause::UsageLimit { resets: told.resets }, said: told.said })
}

/// Whether a line contains one of the usual words about a limit.
fn is_about_limit(line: &str) -> bool {
    let line = line.to_ascii_lowercase().replace(['-', '_'], " ");
    let has = |words: &str| line.contains(words);
    let follows = |words: &str| {
        let rest = line.split_once(words).map_or("", |(_, rest)| rest);
        rest.starts_with(|first: char| first.is_ascii_digit())
            || rest.starts_with("a ")
            || rest.starts_with("an ")
    };
    let is_passed = has("reached") || has("exceeded");
    ((has("usage limit") || has("rate limit")) && is_passed)
        || (has("quota") && has("exceeded"))
        || line.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|word| word == "429")
        || follows("try again in ")
        || follows("try again at ")
}

/// What an agent says that waits for its service.
pub(super) struct ServiceWait {
    /// Why it waits.
    pub(super) error: AgentError,
    /// How long the wait is, if it says so.
    pub(super) length: Option<Duration>,
}

impl ServiceWait {
    /// What a line of standard error says in known words; `None` if it says nothing of this.
    pub(super) fn in_line<Z: TimeZone>(
        error_patterns: &[&ErrorPatterns],
        line: &str,
        clock: &LocalClock<'_, Z>,
    ) -> Option<Self> {
        let message = spelled(&clean(line.as_bytes()));
        let kind = error_patterns.iter().find_map(|patterns| patterns.of_any(&message))?;
        let (length, resets) = (resets::wait(&message), resets::resets(&message, clock));
        Some(Self { error: AgentError { kind: Some(kind), status: None, resets, message }, length })
    }
}

fn told<Z: TimeZone>(
    error_patterns: &[&ErrorPatterns],
    result: &JobResult,
    clock: &LocalClock<'_, Z>,
) -> Option<ToldError> {
    let said = AgentStreams { out: LastLines::of(&result.stdout), err: LastLines::of(&result.stderr) };
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
        Some(ToldError { said: String::new(), ..to_told(meaning, line, [line].into_iter(), clock) })
    };
    let by_machine = || {
        let kind = match Shortage::told_by(result)? {
            Shortage::Processes | Shortage::Memory => ErrorKind::ShortMachine,
            Shortage::Disk => ErrorKind::DiskFull,
        };
        Some(ToldError { kind, said: result.last_line().unwrap_or_default(), resets: None })
    };
    after_a_bad_end(error_patterns, &said, clock).or_else(by_status).or_else(by_machine)
}

fn after_a_good_end<Z: TimeZone>(
    error_patterns: &[&ErrorPatterns],
    AgentStreams { out, err }: &AgentStreams,
    clock: &LocalClock<'_, Z>,
) -> Option<ToldError> {
    let meaning = |line: &str| error_patterns.iter().find_map(|patterns| patterns.of_final(line));
    let said = match out.all(FEW)? {
        [] => err.last(FEW).find(|line| meaning(line).is_some())?,
        [first, ..] => first,
    };
    Some(to_told(meaning(said)?, said, [said].into_iter(), clock))
}

fn after_a_bad_end<Z: TimeZone>(
    error_patterns: &[&ErrorPatterns],
    AgentStreams { out, err }: &AgentStreams,
    clock: &LocalClock<'_, Z>,
) -> Option<ToldError> {
    let found = error_patterns.iter().find_map(|patterns| {
        let lines = err.last(patterns.look_back).chain(out.last(FEW));
        lines.clone().find_map(|line| Some((patterns, patterns.of_any(line)?, line, lines.clone())))
    });
    let (patterns, meaning, said, lines) = found?;
    Some(to_told(meaning, said, lines.filter(|line| patterns.of_any(line) == Some(meaning)), clock))
}

/// The meaning of a line, with the reset time in it or in another line of the same kind.
fn to_told<'a, Z: TimeZone>(
    kind: ErrorKind,
    said: &str,
    mut lines: impl Iterator<Item = &'a str>,
    clock: &LocalClock<'_, Z>,
) -> ToldError {
    let resets = lines.find_map(|line| resets::resets(line, clock));
    ToldError { kind, said: ellipsis(said, QUOTE), resets }
}

#[cfg(test)]
mod tests;
