//! Decides how a call of an agent has ended, and whether the agent is to blame. Exit statuses alone do not say so.
//!
//! An agent that reports its work as a stream of events says in its fields what went wrong. For others, and if there was no stream,
//! the last lines of the output decide. But an agent that worked on a task about rate limits prints such words as its answer, so
//! words count only after a failure, or if nothing else came of the work.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::activity::Activity;
use super::cause::{Cause, Trouble, Unavailable};
use super::errors::{cause_of_line, is_about_limit, quoted, spelled};
use super::event::AgentError;
use super::resets::{Clock, resets};
use crate::process::{Captured, ExitReason, JobResult, Shortage};

/// How much of the end of an output is examined, in characters.
const TAIL: usize = 16 << 10;
/// How many of the last lines count of a program that prints text.
const FEW: usize = 3;
/// The same of an agent that prints a stream: some print errors in dumps of many lines.
const MANY: usize = 40;

/// How the work of an agent has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum CallEnd {
    /// Well, with a final message.
    Well,
    /// It worked, but it did not end well, for this reason: a clause. The attempt has failed.
    Failed(String),
    /// It could not work, or could not go on. This is no attempt.
    Unavailable(Unavailable),
}

/// What was seen of a call while it ran, besides what the agent has told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Seen {
    /// Why we have ended it, if its reader has asked for that.
    pub(super) ended_for: Option<EndedFor>,
    /// Whether it had been silent for long when we ended it, with no tool at work.
    pub(super) was_silent: bool,
    /// Whether a line of its stream could not be read.
    pub(super) has_missed: bool,
}

/// Why the reader of a stream has ended the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum EndedFor {
    /// It waits for its service by itself, for longer than it may.
    Waiting(AgentError),
    /// It has printed nothing for longer than it may, with no tool at work.
    Silence,
    /// It has used more than it may, as this clause says.
    Spent(String),
}

/// How a call of an agent that reports events has ended. A final message always wins. Without one, what is known for certain comes
/// before what it looks like.
pub(super) fn end_of_stream(activity: &Activity, seen: &Seen, job: &JobResult, clock: &Clock<'_>) -> CallEnd {
    if activity.final_message.is_some() && activity.error.is_none() {
        return CallEnd::Well;
    }
    let broke_off = |said: &str| CallEnd::Unavailable(Unavailable::by(Trouble::BrokeOff, said));
    let unavailable = |cause, said| CallEnd::Unavailable(Unavailable { cause, said });
    // An agent that is ended while it tries again has the error that it tried to overcome.
    let waiting = match &seen.ended_for {
        Some(EndedFor::Spent(said)) => return CallEnd::Failed(format!("it spent all that it may: {said}")),
        Some(EndedFor::Waiting(error)) => Some(error),
        Some(EndedFor::Silence) | None => activity.retrying.as_ref(),
    };
    let told_limit = activity.limit.map(|limit| limit.resets.filter(|at| clock.is_likely(*at)));
    let reported = activity.error.as_ref().or(waiting);
    if let Some(AgentError { cause, is_used_up, message }) = reported {
        if *is_used_up {
            let said = Some(quoted(message)).filter(|said| !said.is_empty());
            let said = said.map(|said| format!(": {said}")).unwrap_or_default();
            return CallEnd::Failed(format!("it used all that it may{said}"));
        }
        if let Some(cause) = cause.map(|cause| likely(cause, clock)) {
            let in_words = || message.lines().find_map(|line| resets(&spelled(line), clock));
            let cause = cause.until(|| told_limit.flatten().or_else(in_words));
            return unavailable(cause, quoted(message));
        }
    }
    if let Some(resets) = told_limit {
        return unavailable(Cause::Limit { resets }, String::new());
    }
    // An agent that cannot even begin may say why as text, and so may one that fails without a word in its stream. What one that was
    // ended has printed before its last answer is over.
    let has_worked = activity.turns > 0;
    let has_failed = matches!(job.exit_reason, ExitReason::Exited(status) if status != 0);
    if (!has_worked || has_failed)
        && let Some(told) = told(job, MANY, cause_of_line, clock)
    {
        return CallEnd::Unavailable(told);
    }
    let was_silent = seen.was_silent || !has_worked;
    match &job.exit_reason {
        _ if seen.ended_for == Some(EndedFor::Silence) => unavailable(Cause::Service, String::new()),
        ExitReason::TimedOut { .. } if was_silent => unavailable(Cause::Service, String::new()),
        end @ (ExitReason::TimedOut { .. } | ExitReason::Flooded { .. }) => CallEnd::Failed(end.to_string()),
        end if end.is_by_signal() => broke_off("was killed by a signal"),
        _ if seen.has_missed => broke_off("printed a stream that could not be read"),
        ExitReason::Exited(0) if has_worked && reported.is_none() => {
            broke_off("ended without a final message")
        }
        _ => {
            let said = reported.map(|error| quoted(&error.message));
            let said = if has_worked {
                said.unwrap_or_default()
            } else {
                said.unwrap_or_else(|| refusal_of_options(job))
            };
            let says = if said.is_empty() { said } else { format!(" (it says: {said})") };
            if has_worked {
                return broke_off(&format!("broke off with an error{says}"));
            }
            let said = format!("ended before it did anything{says}");
            CallEnd::Unavailable(Unavailable::by(Trouble::NotStarted, said))
        }
    }
}

/// The cause without a time of reset that cannot be right.
fn likely(cause: Cause, clock: &Clock<'_>) -> Cause {
    match cause {
        Cause::Limit { resets } => Cause::Limit { resets: resets.filter(|at| clock.is_likely(*at)) },
        other => other,
    }
}

/// Why a program that prints text could not work, as its end says for certain.
pub(super) fn end_of_text(job: &JobResult, clock: &Clock<'_>) -> Option<Unavailable> {
    match job.exit_reason {
        ExitReason::Exited(0)
        | ExitReason::Cancelled
        | ExitReason::Flooded { .. }
        | ExitReason::CouldNotStart(_) => None,
        _ => told(job, FEW, cause_of_line, clock).or_else(|| {
            job.exit_reason
                .is_by_signal()
                .then(|| Unavailable::by(Trouble::BrokeOff, "was killed by a signal"))
        }),
    }
}

/// What a program that prints text says in its last lines of why it could not work, however it has ended. It means that only if
/// nothing else came of its work.
pub(super) fn told_at_end(job: &JobResult, clock: &Clock<'_>) -> Option<Unavailable> {
    let cause = |line: &str| cause_of_line(line).or_else(|| is_about_limit(line).then_some(Cause::LIMIT));
    if matches!(job.exit_reason, ExitReason::Exited(_)) { told(job, FEW, cause, clock) } else { None }
}

/// Why a program did not start at all, if so.
pub(super) fn not_started(job: &JobResult) -> Option<Unavailable> {
    let said = match &job.exit_reason {
        ExitReason::CouldNotStart(error) => match error.shortage() {
            Some(shortage) => return Some(short_of(shortage)),
            None => error.to_string(),
        },
        // The shell did not find the command, or could not execute it.
        ExitReason::Exited(126 | 127) => job.last_line().unwrap_or_else(|| job.exit_reason.to_string()),
        _ => return None,
    };
    Some(Unavailable::by(Trouble::NotStarted, format!("did not start: {said}")))
}

fn short_of(shortage: Shortage) -> Unavailable {
    let said = format!("could not work, because the machine is short of {shortage}");
    Unavailable::by(Trouble::Machine(shortage), said)
}

/// The last lines of an output, without blank ones, the last first.
fn last_lines(output: &Captured, count: usize) -> Vec<String> {
    let tail = output.tail_lossy(TAIL);
    tail.lines().rev().map(spelled).filter(|line| !line.is_empty()).take(count).collect()
}

/// What one of the last lines says of why a program could not work, and when a limit resets as one of them says.
fn told(
    job: &JobResult,
    count: usize,
    cause_of: impl Fn(&str) -> Option<Cause>,
    clock: &Clock<'_>,
) -> Option<Unavailable> {
    if let Some(shortage) = Shortage::told_by(job) {
        return Some(short_of(shortage));
    }
    let mut lines = [last_lines(&job.stderr, count), last_lines(&job.stdout, FEW)].concat();
    // An object of a stream may hold the words of a tool.
    lines.retain(|line| count == FEW || !line.starts_with('{'));
    let (cause, said) = lines.iter().find_map(|line| Some((cause_of(line)?, line)))?;
    // The time may be in another line.
    let is_about = |line: &&String| cause_of(line) == Some(cause) || is_about_limit(line);
    let resets = || lines.iter().filter(is_about).find_map(|line| resets(line, clock));
    Some(Unavailable { cause: cause.until(resets), said: quoted(said) })
}

/// A line in which a program refuses the way in which it is started.
static REFUSAL: LazyLock<Regex> = LazyLock::new(|| {
    let about = "un(known|recognized) |unexpected argument|invalid (option|value|argument)|missing argument";
    let quoted =
        "(option|the argument) '|the following required arguments|--dangerously-skip-permissions cannot";
    Regex::new(&format!(r"(?i)^(error:\s*)?({about}|{quoted})")).expect("the pattern is valid")
});

/// The last line on which a program refuses the options with which it was started; empty if there is none. No other line of a
/// program that has ended without a word in its stream is known to be the cause.
fn refusal_of_options(job: &JobResult) -> String {
    let lines = [last_lines(&job.stderr, MANY), last_lines(&job.stdout, MANY)].concat();
    lines.iter().find(|line| REFUSAL.is_match(line)).map(|line| quoted(line)).unwrap_or_default()
}

/// What an agent says that waits for its service.
pub(super) fn wait_limit(error: AgentError, clock: &Clock<'_>) -> AgentError {
    let until = |cause: Cause| cause.until(|| resets(&error.message, clock));
    AgentError { cause: error.cause.map(until), ..error }
}

#[cfg(test)]
mod tests;
