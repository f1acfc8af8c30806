//! Decides how a call of an agent that reports events has ended. First it finds out what explains the end. Then one table says
//! whether the agent is to blame, which may depend on whether its model has answered before.

use chrono::{DateTime, TimeZone, Utc};

use super::error_patterns::ErrorPatterns;
use super::lines::{quoted, refusal_of_options, spelled};
use super::{Cause, LocalClock, ToldError, Unavailable, resets, told};
use crate::agents::activity::Activity;
use crate::agents::event::{AgentError, ErrorKind};
use crate::agents::{ExitReason, JobResult};

/// How the work of an agent that reports events has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agents) enum CallEnd {
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

/// The cause for which a call is no attempt, given what explains its end; `None` if the agent itself is to blame, so that the attempt
/// has failed. This is the only place that decides it.
fn cause_of(reason: EndReason, has_worked: bool) -> Option<Cause> {
    Some(match (reason, has_worked) {
        // What the agent has done itself.
        (EndReason::Flood, _) | (EndReason::Timeout, true) => return None,
        // Limits that were set for the agent have no cause.
        (EndReason::Error(kind), _) => return Cause::of(kind),
        (EndReason::Exit(0), true) => Cause::NoAnswer,
        (EndReason::UnknownError | EndReason::Exit(_), false) => Cause::NoTurn,
        (EndReason::UnknownError | EndReason::Exit(_), true) => Cause::Crashed,
        (EndReason::Silence, true) => Cause::Hangs,
        (EndReason::Silence | EndReason::Timeout, false) => Cause::Silent,
        (EndReason::Signal, _) => Cause::Killed,
        (EndReason::Unreadable, _) => Cause::Unreadable,
    })
}

/// A call of an agent that reports events, after its end.
pub(in crate::agents) struct EndedCall<'a, Z: TimeZone> {
    pub(in crate::agents) activity: &'a Activity,
    pub(in crate::agents) seen: &'a Seen,
    pub(in crate::agents) result: &'a JobResult,
    pub(in crate::agents) error_patterns: &'a [&'a ErrorPatterns],
    pub(in crate::agents) clock: &'a LocalClock<'a, Z>,
}

/// What explains the end of a call.
struct ExplainedEnd {
    reason: EndReason,
    /// The words in which the agent says so, fit to be quoted; may be empty.
    said: String,
    /// When it can work again, if it says so.
    resets: Option<DateTime<Utc>>,
}

impl<Z: TimeZone> EndedCall<'_, Z> {
    /// How the call has ended. A final message always wins.
    pub(in crate::agents) fn end(&self) -> CallEnd {
        if self.activity.final_message.is_some() && self.activity.error.is_none() {
            return CallEnd::Well;
        }
        let explained = self.explained();
        match cause_of(explained.reason, self.activity.turns > 0) {
            None => CallEnd::Failed(explained.failure(&self.result.exit_reason)),
            Some(cause) => {
                let cause = cause.until(explained.resets);
                CallEnd::Unavailable(Unavailable { cause, said: explained.said })
            }
        }
    }

    /// What explains the end best: what is known for certain comes before what it looks like.
    fn explained(&self) -> ExplainedEnd {
        if let Some(EndedFor::Spent(said)) = &self.seen.ended_for {
            let reason = EndReason::Error(ErrorKind::BudgetLimit);
            return ExplainedEnd { said: said.clone(), ..ExplainedEnd::of(reason) };
        }
        // An agent that is ended while it tries again has the error that it tried to overcome.
        let waiting = match &self.seen.ended_for {
            Some(EndedFor::Waiting(error)) => Some(error),
            Some(EndedFor::Silence | EndedFor::Spent(_)) | None => self.activity.retrying.as_ref(),
        };
        let reported = self.activity.error.as_ref().or(waiting);
        let unknown = match reported.map(|error| self.by_error(error)) {
            Some(known) if known.reason != EndReason::UnknownError => return known,
            unknown => unknown,
        };
        if let Some(limit) = &self.activity.limit {
            let resets = limit.resets.filter(|at| self.is_likely(*at));
            return ExplainedEnd { resets, ..ExplainedEnd::of(EndReason::Error(ErrorKind::UsageLimit)) };
        }
        let known = self.by_text().or_else(|| self.stopped_from_outside().map(ExplainedEnd::of));
        known.or(unknown).unwrap_or_else(|| self.unexplained())
    }

    /// What an error that was reported explains.
    fn by_error(&self, error: &AgentError) -> ExplainedEnd {
        let kind = kind_of(error, self.error_patterns);
        ExplainedEnd {
            reason: kind.map_or(EndReason::UnknownError, EndReason::Error),
            said: quoted(&error.message),
            resets: self.reset_time(error),
        }
    }

    /// What the program has printed as text. An agent that cannot even begin may say why in this way, and so may one that fails
    /// without a word in its stream. What one that was ended has printed before its last answer is over.
    fn by_text(&self) -> Option<ExplainedEnd> {
        let has_failed = matches!(self.result.exit_reason, ExitReason::Exited(status) if status != 0);
        if self.activity.turns > 0 && !has_failed {
            return None;
        }
        let ToldError { kind, said, resets } = told(self.error_patterns, self.result, self.clock)?;
        Some(ExplainedEnd { reason: EndReason::Error(kind), said, resets })
    }

    /// What was seen from outside, if we have ended it.
    fn stopped_from_outside(&self) -> Option<EndReason> {
        match &self.result.exit_reason {
            _ if self.seen.ended_for == Some(EndedFor::Silence) => Some(EndReason::Silence),
            ExitReason::TimedOut { .. } if self.seen.was_silent => Some(EndReason::Silence),
            ExitReason::TimedOut { .. } => Some(EndReason::Timeout),
            ExitReason::Flooded { .. } => Some(EndReason::Flood),
            _ => None,
        }
    }

    /// What is known of an end about which nothing was said.
    fn unexplained(&self) -> ExplainedEnd {
        let reason = &self.result.exit_reason;
        if reason.is_by_signal() {
            return ExplainedEnd::of(EndReason::Signal);
        }
        if self.seen.has_missed {
            return ExplainedEnd::of(EndReason::Unreadable);
        }
        let may_be_refused = self.activity.turns == 0;
        let said = if may_be_refused { refusal_of_options(self.result) } else { String::new() };
        ExplainedEnd { said, ..ExplainedEnd::of(EndReason::Exit(reason.status().unwrap_or(1))) }
    }

    /// When a limit resets: as a field says, otherwise as the words say.
    fn reset_time(&self, error: &AgentError) -> Option<DateTime<Utc>> {
        let in_words = || error.message.lines().find_map(|line| resets::resets(&spelled(line), self.clock));
        let in_fields = [error.resets, self.activity.limit.as_ref().and_then(|limit| limit.resets)];
        in_fields.into_iter().flatten().find(|at| self.is_likely(*at)).or_else(in_words)
    }

    fn is_likely(&self, resets: DateTime<Utc>) -> bool {
        resets::is_likely(resets, self.clock.now.to_utc())
    }
}

impl ExplainedEnd {
    /// An end for this reason, about which the agent said nothing.
    fn of(reason: EndReason) -> Self {
        Self { reason, said: String::new(), resets: None }
    }

    /// Why the attempt has failed, as a clause.
    fn failure(&self, exit_reason: &ExitReason) -> String {
        let why = match self.reason {
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
    let lines = message.lines().map(spelled).filter(|line| !line.is_empty());
    let kind = |line: String| {
        LABELS.iter().find_map(|label| {
            let line = format!("{label}{line}");
            error_patterns.iter().find_map(|patterns| patterns.of_any(&line))
        })
    };
    lines.filter_map(kind).next()
}

#[cfg(test)]
mod tests;
