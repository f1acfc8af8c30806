//! Decides how a call of an agent that reports events has ended. What explains the end is looked for first, and then one table
//! says whether that is the work of the agent, before the first answer of the model and after it.

use chrono::{DateTime, TimeZone, Utc};

use super::error_patterns::ErrorPatterns;
use super::lines::{quoted, refusal_of_options};
use super::{Cause, LocalClock, Unavailable, resets, told};
use crate::agents::activity::Activity;
use crate::agents::event::{AgentError, ErrorKind};
use crate::agents::{ExitReason, JobResult};

/// How the work of an agent that reports events has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agents) enum StreamEnd {
    /// Well, with a final message.
    Well,
    /// It worked, but it did not end well, for this reason: a clause. The attempt has failed.
    Failed(String),
    /// It could not work, or could not go on. This is no attempt.
    Unavailable(Unavailable),
}

/// What was seen of a call while it ran, besides what the agent has told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::agents) struct Seen {
    /// Why we have ended it, if its reader has asked for that.
    pub(in crate::agents) ended_for: Option<EndedFor>,
    /// Whether it had been silent for long when we ended it, with no tool at work.
    pub(in crate::agents) was_silent: bool,
    /// Whether a line of its stream could not be read.
    pub(in crate::agents) has_missed: bool,
}

/// Why the reader of a stream has ended the agent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agents) enum EndedFor {
    /// It waits for its service by itself, for longer than it may.
    Waiting(AgentError),
    /// It has printed nothing for longer than it may, with no tool at work.
    Silence,
    /// It has used more than it may, as this clause says.
    Spent(String),
}

/// What explains the end of a call that has no final message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EndReason {
    /// An error of a known kind was reported.
    Error(ErrorKind),
    /// An error was reported whose kind is not known.
    UnknownError,
    /// It was silent until it was ended.
    Silence,
    /// It was killed by a signal that we did not send.
    Signal,
    /// A part of its stream could not be read.
    Unreadable,
    /// It worked until its timeout.
    Timeout,
    /// It printed too much.
    Flood,
    /// It ended by itself, with this exit status, and did not say why.
    Exit(i32),
}

/// Whose trouble it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judgement {
    /// That of the agent: the attempt has failed.
    Attempt,
    /// Not that of the agent: this is no attempt.
    NoAttempt(Cause),
}

/// Whether the trouble that explains the end of a call is the work of the agent. The only place in which this is decided.
fn judgement(explanation: EndReason, has_worked: bool) -> Judgement {
    use Judgement::{Attempt, NoAttempt};
    match (explanation, has_worked) {
        // Limits that were set for the agent, and what it has done itself.
        (EndReason::Error(ErrorKind::TurnLimit | ErrorKind::BudgetLimit) | EndReason::Flood, _)
        | (EndReason::Timeout, true) => Attempt,
        (EndReason::Exit(0), true) => NoAttempt(Cause::NoAnswer),
        (EndReason::Error(kind), _) => {
            NoAttempt(Cause::of(kind).expect("the other kinds are in the first arm"))
        }
        (EndReason::UnknownError | EndReason::Exit(_), false) => NoAttempt(Cause::NoTurn),
        (EndReason::UnknownError | EndReason::Exit(_), true) => NoAttempt(Cause::Crashed),
        (EndReason::Silence, true) => NoAttempt(Cause::Hangs),
        (EndReason::Silence | EndReason::Timeout, false) => NoAttempt(Cause::Silent),
        (EndReason::Signal, _) => NoAttempt(Cause::Killed),
        (EndReason::Unreadable, _) => NoAttempt(Cause::Unreadable),
    }
}

/// How an agent that reports events has ended. A final message always wins.
pub(in crate::agents) fn after_stream<Z: TimeZone>(
    activity: &Activity,
    seen: &Seen,
    result: &JobResult,
    error_patterns: &[&ErrorPatterns],
    clock: &LocalClock<'_, Z>,
) -> StreamEnd {
    if activity.final_message.is_some() && activity.error.is_none() {
        return StreamEnd::Well;
    }
    let found = Found::of(activity, seen, result, error_patterns, clock);
    match judgement(found.explanation, activity.turns > 0) {
        Judgement::Attempt => StreamEnd::Failed(found.failure(&result.exit_reason)),
        Judgement::NoAttempt(cause) => {
            StreamEnd::Unavailable(Unavailable { cause: cause.until(found.resets), said: found.said })
        }
    }
}

/// What was found about the end of a call.
struct Found {
    explanation: EndReason,
    /// The words in which the agent says so, fit to be quoted; may be empty.
    said: String,
    /// When it can work again, if it says so.
    resets: Option<DateTime<Utc>>,
}

impl Found {
    /// What explains the end best: what is known for certain comes before what it looks like.
    fn of<Z: TimeZone>(
        activity: &Activity,
        seen: &Seen,
        result: &JobResult,
        error_patterns: &[&ErrorPatterns],
        clock: &LocalClock<'_, Z>,
    ) -> Self {
        let plain = |explanation| Self { explanation, said: String::new(), resets: None };
        if let Some(EndedFor::Spent(said)) = &seen.ended_for {
            return Self { said: said.clone(), ..plain(EndReason::Error(ErrorKind::BudgetLimit)) };
        }
        let of_error = |error: &AgentError| {
            let kind = kind_of(error, error_patterns);
            Self {
                explanation: kind.map_or(EndReason::UnknownError, EndReason::Error),
                said: quoted(&error.message),
                resets: reset_time(error, activity, clock),
            }
        };
        let of_limit = |at: Option<DateTime<Utc>>| Self {
            resets: at.filter(|at| resets::is_likely(*at, clock.now.to_utc())),
            ..plain(EndReason::Error(ErrorKind::UsageLimit))
        };
        // An agent that is ended while it tries again has the error that it tried to overcome.
        let waiting = match &seen.ended_for {
            Some(EndedFor::Waiting(error)) => Some(error),
            Some(EndedFor::Silence | EndedFor::Spent(_)) | None => activity.retrying.as_ref(),
        };
        let reported = activity.error.as_ref().or(waiting).map(of_error);
        let is_known = |found: &&Self| found.explanation != EndReason::UnknownError;
        if let Some(known) = reported.as_ref().filter(is_known) {
            return Self { said: known.said.clone(), ..*known };
        }
        if let Some(limit) = &activity.limit {
            return of_limit(limit.resets);
        }
        // An agent that cannot even begin may say why as text, and so may one that fails without a word in its stream. What one
        // that was ended has printed before its last answer is over.
        let may_say =
            activity.turns == 0 || matches!(result.exit_reason, ExitReason::Exited(status) if status != 0);
        if let Some(told) = may_say.then(|| told(error_patterns, result, clock)).flatten() {
            return Self { explanation: EndReason::Error(told.kind), said: told.said, resets: told.resets };
        }
        let explanation = match &result.exit_reason {
            _ if seen.ended_for == Some(EndedFor::Silence) => EndReason::Silence,
            ExitReason::TimedOut { .. } if seen.was_silent => EndReason::Silence,
            ExitReason::TimedOut { .. } => EndReason::Timeout,
            ExitReason::Flooded { .. } => EndReason::Flood,
            reason => {
                return reported.unwrap_or_else(|| {
                    let explanation = unexplained(reason, seen);
                    let may_be_refused = matches!(explanation, EndReason::Exit(_)) && activity.turns == 0;
                    let said = if may_be_refused { refusal_of_options(result) } else { String::new() };
                    Self { said, ..plain(explanation) }
                });
            }
        };
        plain(explanation)
    }

    /// Why the attempt has failed, as a clause.
    fn failure(&self, exit_reason: &ExitReason) -> String {
        let why = match self.explanation {
            EndReason::Error(ErrorKind::TurnLimit) => "it used all turns that it may",
            EndReason::Error(ErrorKind::BudgetLimit) => "it spent all that it may",
            _ => return exit_reason.to_string(),
        };
        if self.said.is_empty() { why.to_owned() } else { format!("{why}: {}", self.said) }
    }
}

/// The kind of an error: the field that names it, the status of the response, or known words.
fn kind_of(error: &AgentError, error_patterns: &[&ErrorPatterns]) -> Option<ErrorKind> {
    error
        .kind
        .or_else(|| of_words(&error.message, error_patterns))
        .or_else(|| error.status.and_then(ErrorKind::of_status))
}

/// The labels with which agents print as text what their streams report without a label.
const LABELS: &[&str] = &["", "ERROR: ", "Error: ", "[API Error: "];

fn of_words(message: &str, error_patterns: &[&ErrorPatterns]) -> Option<ErrorKind> {
    let lines = message.lines().map(super::lines::spelled).filter(|line| !line.is_empty());
    let kind = |line: String| {
        LABELS.iter().find_map(|label| {
            let line = format!("{label}{line}");
            error_patterns.iter().find_map(|patterns| patterns.of_any(&line))
        })
    };
    lines.filter_map(kind).next()
}

/// What is known of an end about which nothing was said.
fn unexplained(reason: &ExitReason, seen: &Seen) -> EndReason {
    if reason.is_by_signal() {
        EndReason::Signal
    } else if seen.has_missed {
        EndReason::Unreadable
    } else {
        EndReason::Exit(reason.status().unwrap_or(1))
    }
}

/// When a limit resets: as a field says, otherwise as the words say.
fn reset_time<Z: TimeZone>(
    error: &AgentError,
    activity: &Activity,
    clock: &LocalClock<'_, Z>,
) -> Option<DateTime<Utc>> {
    let in_words =
        || error.message.lines().find_map(|line| resets::resets(&super::lines::spelled(line), clock));
    let in_fields = [error.resets, activity.limit.as_ref().and_then(|limit| limit.resets)];
    let likely = |at: &DateTime<Utc>| resets::is_likely(*at, clock.now.to_utc());
    in_fields.into_iter().flatten().find(likely).or_else(in_words)
}

#[cfg(test)]
mod tests;
