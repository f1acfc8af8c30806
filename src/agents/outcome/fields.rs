//! Finds out from the events of a stream how the work of an agent ended. Fields decide; words only where a field is missing.

use chrono::{DateTime, TimeZone, Utc};

use super::error_patterns::ErrorPatterns;
use super::{Cause, LocalClock, QUOTE, Unavailable, resets, unavailable as unavailable_by_text};
use crate::agents::activity::Activity;
use crate::agents::event::{AgentError, ErrorKind};
use crate::agents::{ExitReason, JobResult};
use crate::text::{ellipsis, one_line};

/// How the work of an agent that reports events has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::agents) enum StreamEnd {
    /// Well, with a final message.
    Well,
    /// It worked, but it did not end well, for this reason: a clause. The attempt has failed.
    Failed(String),
    /// It could not work.
    Unavailable(Unavailable),
}

/// How an agent that reports events has ended.
pub(in crate::agents) fn after_stream<Z: TimeZone>(
    activity: &Activity,
    result: &JobResult,
    error_patterns: &[&ErrorPatterns],
    clock: &LocalClock<'_, Z>,
) -> StreamEnd {
    if activity.final_message.is_some() && activity.error.is_none() {
        return StreamEnd::Well;
    }
    let has_worked = activity.turns > 0;
    // An agent that is ended while it tries again has the error that it tried to overcome.
    let error = activity.error.as_ref().or(activity.retrying.as_ref());
    let Some(error) = error else {
        // An agent that cannot even begin may say why as text, and so may one that fails without a word in its stream.
        let may_say = !has_worked || matches!(result.exit_reason, ExitReason::Exited(status) if status != 0);
        let said = || unavailable_by_text(error_patterns, result, clock).map(StreamEnd::Unavailable);
        return may_say
            .then(said)
            .flatten()
            .unwrap_or_else(|| without_error(activity, result, clock.now.to_utc()));
    };
    let said = ellipsis(&one_line(&error.message), QUOTE);
    let unavailable = |cause| StreamEnd::Unavailable(Unavailable { cause, said: said.clone() });
    let failed = |why: &str| {
        StreamEnd::Failed(if said.is_empty() { why.to_owned() } else { format!("{why}: {said}") })
    };
    let resets = || reset_time(error, activity, clock);
    match kind_of(error, error_patterns) {
        Some(ErrorKind::TurnLimit) => failed("it used all turns that it may"),
        Some(ErrorKind::BudgetLimit) => failed("it spent all that it may"),
        // After some turns, a request is refused because of what the agent has made of it, such as one that is too long.
        None | Some(ErrorKind::Refused) if has_worked => failed("it reported an error"),
        kind => unavailable(kind.and_then(|kind| Cause::of(kind, resets)).unwrap_or(Cause::NoTurn)),
    }
}

/// The end of an agent that gave neither a final message nor an error.
fn without_error(activity: &Activity, result: &JobResult, now: DateTime<Utc>) -> StreamEnd {
    let exit_reason = &result.exit_reason;
    if activity.turns > 0 {
        return StreamEnd::Failed(match exit_reason {
            ExitReason::Exited(0) => "it ended without a final message".to_owned(),
            end => end.to_string(),
        });
    }
    let cause = match exit_reason {
        ExitReason::TimedOut { .. } => Cause::Silent,
        ExitReason::Flooded { .. } => return StreamEnd::Failed(exit_reason.to_string()),
        _ if let Some(limit) = &activity.limit => {
            Cause::UsageLimit { resets: limit.resets.filter(|at| resets::is_likely(*at, now)) }
        }
        _ => Cause::NoTurn,
    };
    StreamEnd::Unavailable(Unavailable { cause, said: words_of(result) })
}

/// The last line that is meant for people: objects of the stream are not.
fn words_of(result: &JobResult) -> String {
    let is_object = |line: &String| line.starts_with(['{', '[']);
    result.last_line().filter(|line| !is_object(line)).unwrap_or_default()
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
mod tests {
    use std::time::Duration;

    use chrono::TimeDelta;

    use super::super::resets::tests::now;
    use super::*;
    use crate::agents::event::AgentEvent;
    use crate::agents::{Captured, cli::claude::ERRORS as CLAUDE};

    fn end(events: &[AgentEvent], exit_reason: ExitReason, stderr: &str) -> StreamEnd {
        let mut activity = Activity::default();
        activity.extend(events);
        let result = JobResult {
            exit_reason,
            stdout: Captured::default(),
            stderr: Captured::whole(stderr.as_bytes()),
            duration: Duration::ZERO,
            leaked: Vec::new(),
            survivors: Vec::new(),
        };
        after_stream(&activity, &result, &[&CLAUDE], &LocalClock { now: &now(), is_zone: &|_| false })
    }

    fn error(kind: Option<ErrorKind>, status: Option<u16>, message: &str) -> AgentEvent {
        AgentEvent::Error(AgentError { kind, status, resets: None, message: message.to_owned() })
    }

    fn cause(end: &StreamEnd) -> Option<Cause> {
        match end {
            StreamEnd::Unavailable(unavailable) => Some(unavailable.cause),
            _ => None,
        }
    }

    #[test]
    fn the_exit_status_neither_makes_nor_spoils_a_final_message() {
        let done = [AgentEvent::Turn, AgentEvent::Final("Done.".to_owned())];
        assert_eq!(end(&done, ExitReason::Exited(0), ""), StreamEnd::Well);
        assert_eq!(end(&done, ExitReason::Exited(1), ""), StreamEnd::Well);
        let StreamEnd::Failed(why) = end(&done[..1], ExitReason::Exited(0), "") else { panic!() };
        assert_eq!(why, "it ended without a final message");
    }

    #[test]
    fn an_error_is_understood_by_its_kind_its_words_or_its_status() {
        let limit = Some(Cause::UsageLimit { resets: None });
        for (kind, status, message, expected) in [
            (Some(ErrorKind::UsageLimit), None, "", limit),
            (Some(ErrorKind::Unreachable), Some(400), "", Some(Cause::Unreachable)),
            (None, Some(429), "", limit),
            (None, Some(401), "", Some(Cause::NotLoggedIn)),
            (None, Some(403), "", Some(Cause::NotLoggedIn)),
            (None, Some(402), "", Some(Cause::NoCredit)),
            (None, Some(404), "no such model", Some(Cause::Refused)),
            (None, Some(529), "", Some(Cause::Unreachable)),
            (None, Some(400), "Credit balance is too low", Some(Cause::NoCredit)),
            (None, None, "Overloaded", Some(Cause::NoTurn)),
            (None, None, "API Error: Overloaded", Some(Cause::Unreachable)),
            (None, None, "it broke", Some(Cause::NoTurn)),
        ] {
            let found = end(&[error(kind, status, message)], ExitReason::Exited(0), "");
            assert_eq!(cause(&found), expected, "{kind:?} {status:?} {message}");
        }
    }

    #[test]
    fn a_limit_has_the_time_at_which_it_resets_from_a_field_or_from_words() {
        let at: DateTime<Utc> = "2026-11-21T15:00:00Z".parse().unwrap();
        let limit = AgentEvent::Limit { resets: Some(at) };
        let found = end(&[limit, error(None, Some(429), "")], ExitReason::Exited(1), "");
        assert_eq!(cause(&found), Some(Cause::UsageLimit { resets: Some(at) }));
        let found = end(
            &[error(None, Some(429), "You've hit your limit · resets 1pm (UTC)")],
            ExitReason::Exited(1),
            "",
        );
        let Some(Cause::UsageLimit { resets: Some(_) }) = cause(&found) else { panic!("{found:?}") };
    }

    #[test]
    fn a_limit_whose_reset_has_passed_and_that_still_holds_does_not_say_when_it_resets() {
        let limit = || AgentEvent::Limit { resets: Some(now().to_utc() - TimeDelta::hours(1)) };
        let unknown = Some(Cause::UsageLimit { resets: None });
        let found = end(&[limit(), error(None, Some(429), "")], ExitReason::Exited(1), "");
        assert_eq!(cause(&found), unknown);
        assert_eq!(cause(&end(&[limit()], ExitReason::Exited(1), "")), unknown);
    }

    #[test]
    fn after_a_turn_only_what_is_not_the_agents_fault_keeps_the_attempt() {
        let after_turn = |event| end(&[AgentEvent::Turn, event], ExitReason::Exited(1), "");
        for (event, expected) in [
            (error(None, Some(503), ""), Some(Cause::Unreachable)),
            (error(None, Some(401), ""), Some(Cause::NotLoggedIn)),
            (error(None, Some(400), "prompt is too long"), None),
            (error(Some(ErrorKind::TurnLimit), None, ""), None),
            (error(None, None, "it broke"), None),
        ] {
            assert_eq!(cause(&after_turn(event.clone())), expected, "{event:?}");
        }
    }

    #[test]
    fn an_agent_that_never_began_says_why_as_text_or_did_not_answer() {
        let root =
            "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons";
        assert_eq!(cause(&end(&[], ExitReason::Exited(1), root)), Some(Cause::NotAsRoot));
        assert_eq!(cause(&end(&[], ExitReason::Exited(2), "unknown option --x")), Some(Cause::NoTurn));
        let timeout = || ExitReason::TimedOut { after: Duration::from_secs(60) };
        assert_eq!(cause(&end(&[], timeout(), "")), Some(Cause::Silent));
        assert_eq!(cause(&end(&[AgentEvent::Turn], timeout(), "")), None);
        let limit = "You've hit your limit · resets 3pm";
        assert!(cause(&end(&[AgentEvent::Turn], ExitReason::Exited(1), limit)).is_some());
        assert_eq!(cause(&end(&[AgentEvent::Turn], timeout(), limit)), None);
        let StreamEnd::Unavailable(silent) = end(&[], timeout(), r#"{"type":"turn.started"}"#) else {
            panic!()
        };
        assert_eq!(silent.words("codex"), "codex did not answer until its timeout");
        let retries = AgentEvent::Retries(AgentError { status: Some(429), ..AgentError::default() });
        let found = cause(&end(&[retries], ExitReason::EndedEarly, ""));
        assert_eq!(found, Some(Cause::UsageLimit { resets: None }));
    }
}
