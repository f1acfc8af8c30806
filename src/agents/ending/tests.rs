//! Tests how the end of a call is explained, and whose trouble it is.

mod texts;

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

use super::*;
use crate::agents::event::AgentEvent;
use crate::agents::resets::tests::{clock_of, now};

const NOT_STARTED: Option<Cause> = Some(Cause::Environment(Trouble::NotStarted));
const BROKE_OFF: Option<Cause> = Some(Cause::Environment(Trouble::BrokeOff));
const LIMIT: Option<Cause> = Some(Cause::LIMIT);

/// A job that has ended and printed this.
fn ended(exit_reason: ExitReason, out: &str, err: &str) -> JobResult {
    let [stdout, stderr] = [out, err].map(|text| Captured::whole(text.as_bytes()));
    let (leaked, survivors) = (Vec::new(), Vec::new());
    JobResult { exit_reason, stdout, stderr, duration: Duration::ZERO, leaked, survivors }
}

fn end(events: &[AgentEvent], exit_reason: ExitReason, stderr: &str) -> CallEnd {
    end_as_seen(events, &Seen::default(), exit_reason, stderr)
}

fn end_as_seen(events: &[AgentEvent], seen: &Seen, exit_reason: ExitReason, stderr: &str) -> CallEnd {
    let mut activity = Activity::default();
    events.iter().for_each(|event| activity.add(event));
    let job = ended(exit_reason, "", stderr);
    clock_of(&now(), |clock| end_of_stream(&activity, seen, &job, clock))
}

fn error(cause: Option<Cause>, message: &str) -> AgentEvent {
    AgentEvent::Error(AgentError { cause, message: message.to_owned(), ..AgentError::default() })
}

fn used_up() -> AgentEvent {
    AgentEvent::Error(AgentError { is_used_up: true, ..AgentError::default() })
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
    assert_eq!(cause(&end(&done[..1], ExitReason::Exited(0), "")), BROKE_OFF);
}

#[test]
fn a_limit_has_the_time_at_which_it_resets_from_a_field_or_from_words() {
    let at: DateTime<Utc> = "2026-11-21T15:00:00Z".parse().unwrap();
    let limit = AgentEvent::Limit { resets: Some(at) };
    let found = end(&[limit, error(LIMIT, "")], ExitReason::Exited(1), "");
    assert_eq!(cause(&found), Some(Cause::Limit { resets: Some(at) }));
    let found = end(&[error(LIMIT, "You've hit your limit · resets 1pm (UTC)")], ExitReason::Exited(1), "");
    let Some(Cause::Limit { resets: Some(_) }) = cause(&found) else { panic!("{found:?}") };
}

#[test]
fn a_limit_whose_reset_has_passed_and_that_still_holds_does_not_say_when_it_resets() {
    let passed = Some(now().to_utc() - TimeDelta::hours(1));
    let limit = || AgentEvent::Limit { resets: passed };
    assert_eq!(cause(&end(&[limit(), error(LIMIT, "")], ExitReason::Exited(1), "")), LIMIT);
    assert_eq!(cause(&end(&[limit()], ExitReason::Exited(1), "")), LIMIT);
    let in_error = error(Some(Cause::Limit { resets: passed }), "");
    assert_eq!(cause(&end(&[in_error], ExitReason::Exited(1), "")), LIMIT);
}

/// What explains the end of a call, as the table has it: what was told and seen, how the program ended, and the cause before the
/// first turn and after it. `None` stands for an attempt.
type Row = (&'static str, Vec<AgentEvent>, Seen, ExitReason, [Option<Cause>; 2]);

fn table() -> Vec<Row> {
    let seen = Seen::default;
    let failed = || ExitReason::Exited(1);
    let timeout = || ExitReason::TimedOut { after: Duration::from_secs(60) };
    let ended_for = |reason| Seen { ended_for: Some(reason), ..Seen::default() };
    let waits = AgentError { cause: LIMIT, ..AgentError::default() };
    let both = |cause| [cause, cause];
    let service = Some(Cause::Service);
    let told = |name, cause| (name, vec![error(Some(cause), "")], seen(), failed(), [Some(cause); 2]);
    vec![
        told("a limit", Cause::LIMIT),
        told("a service that is down", Cause::Service),
        told("a key that was revoked", Cause::NotLoggedIn),
        told("no credit", Cause::NoCredit),
        told("an unknown model", Cause::Refused),
        ("a limit as an event", vec![AgentEvent::Limit { resets: None }], seen(), failed(), both(LIMIT)),
        (
            "an error that nobody knows",
            vec![error(None, "it broke")],
            seen(),
            failed(),
            [NOT_STARTED, BROKE_OFF],
        ),
        ("its limit of turns or dollars", vec![used_up()], seen(), failed(), [None, None]),
        (
            "more than it may use",
            vec![],
            ended_for(EndedFor::Spent("too much".to_owned())),
            ExitReason::EndedEarly,
            [None, None],
        ),
        (
            "a wait for a limit",
            vec![],
            ended_for(EndedFor::Waiting(waits)),
            ExitReason::EndedEarly,
            both(LIMIT),
        ),
        (
            "a silence that was ended",
            vec![],
            ended_for(EndedFor::Silence),
            ExitReason::EndedEarly,
            both(service),
        ),
        ("a timeout in silence", vec![], Seen { was_silent: true, ..seen() }, timeout(), both(service)),
        ("a timeout at work", vec![], seen(), timeout(), [service, None]),
        ("a signal", vec![], seen(), ExitReason::Signalled(9), both(BROKE_OFF)),
        ("a signal to the program of a shell", vec![], seen(), ExitReason::Exited(137), both(BROKE_OFF)),
        (
            "a line that could not be read",
            vec![],
            Seen { has_missed: true, ..seen() },
            ExitReason::Exited(0),
            both(BROKE_OFF),
        ),
        ("an exit with 0", vec![], seen(), ExitReason::Exited(0), [NOT_STARTED, BROKE_OFF]),
        ("an exit with 1", vec![], seen(), failed(), [NOT_STARTED, BROKE_OFF]),
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
        ("error: unknown option '--now'\n", " (it says: error: unknown option '--now')"),
        ("Error: no such file\n    at main (file:///x.js:1:2)\n}\n\nNode.js v20.1.0\n", ""),
        ("error: a plugin could not be loaded\n", ""),
        ("warning: /usr/local/bin is not on PATH\n", ""),
        ("}\n", ""),
        ("    at main (file:///x.js:1:2)\n", ""),
        ("I looked at everything.\n", ""),
    ] {
        let CallEnd::Unavailable(found) = end(&[], ExitReason::Exited(1), stderr) else { panic!("{stderr}") };
        assert_eq!(found.words("codex"), format!("codex ended before it did anything{said}"), "{stderr}");
    }
    let dump = error(None, "{\n  status: 400,\n}");
    let CallEnd::Unavailable(found) = end(&[dump], ExitReason::Exited(1), "") else { panic!() };
    assert_eq!(found.said, "ended before it did anything (it says: status: 400,)");
}

#[test]
fn an_agent_that_never_began_says_why_as_text_or_did_not_answer() {
    let root = "--dangerously-skip-permissions cannot be used with root/sudo privileges for security reasons";
    let CallEnd::Unavailable(found) = end(&[], ExitReason::Exited(1), root) else { panic!() };
    assert!(found.words("claude").contains("cannot be used with root"), "{found:?}");
    let timeout = || ExitReason::TimedOut { after: Duration::from_secs(60) };
    assert_eq!(cause(&end(&[], timeout(), "")), Some(Cause::Service));
    assert_eq!(cause(&end(&[AgentEvent::Turn], timeout(), "")), None);
    let limit = "You've hit your limit · resets 3pm";
    assert!(matches!(
        cause(&end(&[AgentEvent::Turn], ExitReason::Exited(1), limit)),
        Some(Cause::Limit { resets: Some(_) })
    ));
    assert_eq!(cause(&end(&[AgentEvent::Turn], timeout(), limit)), None, "it may be over");
    let CallEnd::Unavailable(silent) = end(&[], timeout(), r#"{"type":"turn.started"}"#) else { panic!() };
    assert_eq!(silent.words("codex"), "the service of codex does not answer");
    let retries = AgentEvent::Retries(AgentError { cause: LIMIT, ..AgentError::default() });
    assert_eq!(cause(&end(&[retries], ExitReason::EndedEarly, "")), LIMIT);
}
