//! Tests how the end of a call is explained, and whose trouble it is.

use std::time::Duration;

use chrono::TimeDelta;

use super::*;
use crate::agents::Captured;
use crate::agents::event::AgentEvent;
use crate::agents::known::claude::ERRORS as CLAUDE;
use crate::agents::unavailable::resets::tests::now;

fn end(events: &[AgentEvent], exit_reason: ExitReason, stderr: &str) -> CallEnd {
    end_as_seen(events, &Seen::default(), exit_reason, stderr)
}

fn end_as_seen(events: &[AgentEvent], seen: &Seen, exit_reason: ExitReason, stderr: &str) -> CallEnd {
    let mut activity = Activity::default();
    events.iter().for_each(|event| activity.add(event));
    let result = JobResult {
        exit_reason,
        stdout: Captured::default(),
        stderr: Captured::whole(stderr.as_bytes()),
        duration: Duration::ZERO,
        leaked: Vec::new(),
        survivors: Vec::new(),
    };
    let clock = LocalClock { now: &now(), is_zone: &|_| false };
    let (activity, result, clock) = (&activity, &result, &clock);
    EndedCall { activity, seen, result, error_patterns: &[&CLAUDE], clock }.end()
}

fn error(kind: Option<ErrorKind>, status: Option<u16>, message: &str) -> AgentEvent {
    AgentEvent::Error(AgentError { kind, status, resets: None, message: message.to_owned() })
}

fn cause(end: &CallEnd) -> Option<Cause> {
    match end {
        CallEnd::Unavailable(unavailable) => Some(unavailable.cause),
        _ => None,
    }
}

#[test]
fn the_exit_status_neither_makes_nor_spoils_a_final_message() {
    let done = [AgentEvent::Turn, AgentEvent::Final("Done.".to_owned())];
    assert_eq!(end(&done, ExitReason::Exited(0), ""), CallEnd::Well);
    assert_eq!(end(&done, ExitReason::Exited(1), ""), CallEnd::Well);
    assert_eq!(cause(&end(&done[..1], ExitReason::Exited(0), "")), Some(Cause::NoAnswer));
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
    let found =
        end(&[error(None, Some(429), "You've hit your limit · resets 1pm (UTC)")], ExitReason::Exited(1), "");
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

/// What explains the end of a call, as the table has it: what was told and seen, how the program ended, and the cause before the
/// first turn and after it. `None` stands for an attempt.
type Row = (&'static str, Vec<AgentEvent>, Seen, ExitReason, [Option<Cause>; 2]);

fn table() -> Vec<Row> {
    let seen = Seen::default;
    let failed = || ExitReason::Exited(1);
    let timeout = || ExitReason::TimedOut { after: Duration::from_secs(60) };
    let waits = |kind| Some(EndedFor::Waiting(AgentError { kind: Some(kind), ..AgentError::default() }));
    let both = |cause| [Some(cause), Some(cause)];
    let limit = Cause::UsageLimit { resets: None };
    vec![
        ("a limit", vec![error(None, Some(429), "")], seen(), failed(), both(limit)),
        ("a limit as an event", vec![AgentEvent::Limit { resets: None }], seen(), failed(), both(limit)),
        (
            "a service that is down",
            vec![error(None, Some(503), "")],
            seen(),
            failed(),
            both(Cause::Unreachable),
        ),
        (
            "a key that was revoked",
            vec![error(None, Some(401), "")],
            seen(),
            failed(),
            both(Cause::NotLoggedIn),
        ),
        ("no credit", vec![error(None, Some(402), "")], seen(), failed(), both(Cause::NoCredit)),
        ("an unknown model", vec![error(None, Some(404), "")], seen(), failed(), both(Cause::Refused)),
        (
            "a conversation that is too long",
            vec![error(Some(ErrorKind::ContextTooLong), Some(400), "")],
            seen(),
            failed(),
            both(Cause::ContextTooLong),
        ),
        (
            "an error that nobody knows",
            vec![error(None, None, "it broke")],
            seen(),
            failed(),
            [Some(Cause::NoTurn), Some(Cause::Crashed)],
        ),
        (
            "its limit of turns",
            vec![error(Some(ErrorKind::TurnLimit), None, "")],
            seen(),
            failed(),
            [None, None],
        ),
        (
            "more than it may use",
            vec![],
            Seen { ended_for: Some(EndedFor::Spent("too much".to_owned())), ..seen() },
            ExitReason::EndedEarly,
            [None, None],
        ),
        ("its budget", vec![error(Some(ErrorKind::BudgetLimit), None, "")], seen(), failed(), [None, None]),
        (
            "a wait for a limit",
            vec![],
            Seen { ended_for: waits(ErrorKind::UsageLimit), ..seen() },
            ExitReason::EndedEarly,
            both(limit),
        ),
        (
            "a silence that was ended",
            vec![],
            Seen { ended_for: Some(EndedFor::Silence), ..seen() },
            ExitReason::EndedEarly,
            [Some(Cause::Silent), Some(Cause::Hangs)],
        ),
        (
            "a timeout in silence",
            vec![],
            Seen { was_silent: true, ..seen() },
            timeout(),
            [Some(Cause::Silent), Some(Cause::Hangs)],
        ),
        ("a timeout at work", vec![], seen(), timeout(), [Some(Cause::Silent), None]),
        ("a signal", vec![], seen(), ExitReason::Signalled(9), both(Cause::Killed)),
        ("a signal to the program of a shell", vec![], seen(), ExitReason::Exited(137), both(Cause::Killed)),
        (
            "a line that could not be read",
            vec![],
            Seen { has_missed: true, ..seen() },
            ExitReason::Exited(0),
            both(Cause::Unreadable),
        ),
        (
            "an exit with 0",
            vec![],
            seen(),
            ExitReason::Exited(0),
            [Some(Cause::NoTurn), Some(Cause::NoAnswer)],
        ),
        ("an exit with 1", vec![], seen(), failed(), [Some(Cause::NoTurn), Some(Cause::Crashed)]),
        ("too much output", vec![], seen(), ExitReason::Flooded { limit: 1 }, [None, None]),
    ]
}

#[test]
fn what_is_not_the_work_of_the_agent_is_no_attempt_before_the_first_turn_and_after_it() {
    for (name, told, seen, exit_reason, expected) in table() {
        let worked: Vec<AgentEvent> = [AgentEvent::Turn].into_iter().chain(told.clone()).collect();
        let again = match &exit_reason {
            ExitReason::Exited(status) => ExitReason::Exited(*status),
            ExitReason::Signalled(signal) => ExitReason::Signalled(*signal),
            ExitReason::TimedOut { after } => ExitReason::TimedOut { after: *after },
            ExitReason::Flooded { limit } => ExitReason::Flooded { limit: *limit },
            _ => ExitReason::EndedEarly,
        };
        let found = [
            cause(&end_as_seen(&told, &seen, exit_reason, "")),
            cause(&end_as_seen(&worked, &seen, again, "")),
        ];
        assert_eq!(found, expected, "{name}");
    }
}

#[test]
fn a_final_message_wins_over_everything_that_was_seen() {
    let done = [AgentEvent::Turn, AgentEvent::Final("Done.".to_owned())];
    for (_, told, seen, exit_reason, _) in table() {
        let events: Vec<AgentEvent> = told.into_iter().chain(done.clone()).collect();
        assert_eq!(end_as_seen(&events, &seen, exit_reason, "Error: 429 Too Many Requests"), CallEnd::Well);
    }
}

#[test]
fn only_a_line_that_says_what_is_wrong_is_quoted() {
    for (stderr, said) in [
        ("error: unknown option '--now'\n", "error: unknown option '--now'"),
        ("Error: no such file\n    at main (file:///x.js:1:2)\n}\n\nNode.js v20.1.0\n", ""),
        ("error: a plugin could not be loaded\n", ""),
        ("warning: /usr/local/bin is not on PATH\n", ""),
        ("}\n", ""),
        ("    at main (file:///x.js:1:2)\n", ""),
        ("I looked at everything.\n", ""),
    ] {
        let CallEnd::Unavailable(found) = end(&[], ExitReason::Exited(1), stderr) else { panic!("{stderr}") };
        assert_eq!(found.said, said, "{stderr}");
    }
    let dump = error(None, None, "{\n  status: 400,\n}");
    let CallEnd::Unavailable(found) = end(&[dump], ExitReason::Exited(1), "") else { panic!() };
    assert_eq!(found.said, "status: 400,");
}

#[test]
fn an_agent_that_never_began_says_why_as_text_or_did_not_answer() {
    let root = "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons";
    assert_eq!(cause(&end(&[], ExitReason::Exited(1), root)), Some(Cause::NotAsRoot));
    assert_eq!(cause(&end(&[], ExitReason::Exited(2), "unknown option --x")), Some(Cause::NoTurn));
    let timeout = || ExitReason::TimedOut { after: Duration::from_secs(60) };
    assert_eq!(cause(&end(&[], timeout(), "")), Some(Cause::Silent));
    assert_eq!(cause(&end(&[AgentEvent::Turn], timeout(), "")), None);
    let limit = "You've hit your limit · resets 3pm";
    assert!(cause(&end(&[AgentEvent::Turn], ExitReason::Exited(1), limit)).is_some());
    assert_eq!(cause(&end(&[AgentEvent::Turn], timeout(), limit)), None, "it may be over");
    let CallEnd::Unavailable(silent) = end(&[], timeout(), r#"{"type":"turn.started"}"#) else { panic!() };
    assert_eq!(silent.words("codex"), "codex did not answer until it was ended");
    let retries = AgentEvent::Retries(AgentError { status: Some(429), ..AgentError::default() });
    let found = cause(&end(&[retries], ExitReason::EndedEarly, ""));
    assert_eq!(found, Some(Cause::UsageLimit { resets: None }));
}
