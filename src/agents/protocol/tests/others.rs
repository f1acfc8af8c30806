//! Tests the streams of copilot, cline, droid and vibe.

use super::samples::{CLINE, COPILOT, DROID, LAST_WORD, VIBE};
use super::*;
use chrono::DateTime;

const APPROVED: &str = "It looks right.\n\nAPPROVED";

fn session() -> AgentEvent {
    AgentEvent::Session("s1".to_owned())
}

fn changed() -> AgentEvent {
    AgentEvent::FileChanged("/p/greet.txt".to_owned())
}

#[test]
fn copilot_tells_its_answers_tools_files_session_and_its_last_word_but_no_tokens() {
    let expected = [
        AgentEvent::Turn,
        message(APPROVED),
        tool("create", "/p/greet.txt"),
        changed(),
        AgentEvent::Turn,
        message(LAST_WORD),
        session(),
        last(LAST_WORD),
    ];
    assert_eq!(events(Protocol::Copilot, COPILOT), expected);
}

#[test]
fn the_exit_code_in_the_result_of_copilot_decides() {
    let (result, work) = COPILOT.split_last().expect("there are lines");
    assert_eq!(last_word(Protocol::Copilot, work), None);
    assert_eq!(activity(Protocol::Copilot, work).error, None);
    let bad = result.replace("\"exitCode\":0", "\"exitCode\":1");
    assert_eq!(failure(Protocol::Copilot, &[work, &[&bad]].concat()), AgentError::default());
    assert_eq!(last_word(Protocol::Copilot, &[&COPILOT[..5], &[result]].concat()), None);
    let other = COPILOT[5].replace("\"content\"", "\"parentToolCallId\":\"t0\",\"content\"");
    assert_eq!(last_word(Protocol::Copilot, &[&COPILOT[..5], &[&other, result]].concat()), None);
}

#[test]
fn copilot_tells_its_retries_and_why_it_failed() {
    let request = r#"{"type":"model.call_failure","data":{"statusCode":429,"errorMessage":"{\"type\":\"usage_limit_reached\",\"message\":\"The usage limit has been reached\",\"resets_at\":1795392000}"}}"#;
    let retry = r#"{"type":"assistant.turn_retry","data":{"reason":"rate_limit"}}"#;
    let error = r#"{"type":"session.error","data":{"errorType":"rate_limit","message":"429 The usage limit has been reached","statusCode":429}}"#;
    let result = r#"{"type":"result","sessionId":"s1","exitCode":1}"#;
    let all = activity(Protocol::Copilot, &[request, retry, request, error, result]);
    let retrying = all.retrying.expect("it retries");
    assert_eq!(retrying.message, "The usage limit has been reached");
    let failed = all.error.expect("it has failed");
    let resets = DateTime::from_timestamp(1_795_392_000, 0);
    assert_eq!((failed.kind, failed.status, failed.resets), (Some(ErrorKind::UsageLimit), Some(429), resets));
    let retrying = activity(Protocol::Copilot, &[retry]).retrying.expect("it retries");
    assert_eq!(retrying.kind, Some(ErrorKind::UsageLimit));
    let recovered = [&[request, retry, error], COPILOT].concat();
    assert_eq!(last_word(Protocol::Copilot, &recovered).as_deref(), Some(LAST_WORD));
}

#[test]
fn cline_tells_its_session_answers_tools_files_usage_and_its_last_word() {
    let expected = [
        session(),
        AgentEvent::Usage(with_cost(usage(200, 34, 1000), 0.5)),
        message(APPROVED),
        tool("editor", "/p/greet.txt"),
        changed(),
        AgentEvent::Turn,
        message(LAST_WORD),
        AgentEvent::Turn,
        AgentEvent::Usage(with_cost(usage(500, 70, 2000), 1.25)),
        last(LAST_WORD),
    ];
    assert_eq!(events(Protocol::Cline, CLINE), expected);
    assert_eq!(last_word(Protocol::Cline, &CLINE[..9]), None);
}

#[test]
fn the_reason_in_the_result_of_cline_decides() {
    let result =
        |reason: &str| format!(r#"{{"type":"run_result","finishReason":"{reason}","text":"APPROVED"}}"#);
    let error = r#"{"type":"agent_event","event":{"type":"error","error":{"message":"Incorrect API key."},"errorClass":"auth","recoverable":false}}"#;
    assert_eq!(failure(Protocol::Cline, &[&result("aborted")]).message, "APPROVED");
    let failed = failure(Protocol::Cline, &[error, &result("error")]);
    assert_eq!((failed.kind, failed.message.as_str()), (Some(ErrorKind::NotLoggedIn), "Incorrect API key."));
    assert_eq!(failure(Protocol::Cline, &[&result("max_iterations")]).kind, Some(ErrorKind::TurnLimit));
    assert_eq!(last_word(Protocol::Cline, &[&result("completed")]).as_deref(), Some("APPROVED"));
    let retry = error.replace("false", "true");
    assert_eq!(activity(Protocol::Cline, &[&retry]).retries, 1);
}

#[test]
fn droid_tells_its_session_answers_tools_files_usage_and_its_last_word() {
    let expected = [
        session(),
        AgentEvent::Turn,
        message(APPROVED),
        tool("Create", "/p/greet.txt"),
        changed(),
        AgentEvent::Turn,
        message(LAST_WORD),
        AgentEvent::Usage(usage(405, 68, 2000)),
        last(LAST_WORD),
    ];
    assert_eq!(events(Protocol::Droid, DROID), expected);
    assert_eq!(last_word(Protocol::Droid, &DROID[..6]), None);
}

#[test]
fn the_error_of_droid_is_that_of_its_service() {
    let service = r#"{"type":"error","source":"agent_loop","message":"401 Incorrect API key provided"}"#;
    let program = r#"{"type":"error","source":"cli","message":"Exec failed"}"#;
    assert_eq!(
        kind_and_status(Protocol::Droid, &[service, program]),
        (Some(ErrorKind::NotLoggedIn), Some(401))
    );
    assert_eq!(failure(Protocol::Droid, &[program]).message, "Exec failed");
    assert_eq!(failure(Protocol::Droid, &[DROID, &[program]].concat()).message, "Exec failed");
}

#[test]
fn vibe_tells_its_session_answers_tools_files_and_its_last_word_if_it_exits_well() {
    let expected = [
        session(),
        AgentEvent::Turn,
        message(APPROVED),
        tool("write_file", "/p/greet.txt"),
        changed(),
        AgentEvent::Turn,
        message(LAST_WORD),
        last(LAST_WORD),
    ];
    assert_eq!(events(Protocol::Vibe, VIBE), expected);
    assert_eq!(
        last_word(Protocol::Vibe, &VIBE[..3]),
        None,
        "what was said before a tool is not the last word"
    );
    let mut stream = EventStream::new(Protocol::Vibe, &Secrets::default());
    let mut all = stream.push(VIBE.join("\n").as_bytes());
    all.extend(stream.end(false));
    assert_eq!(all, expected[..7]);
}

#[test]
fn a_tool_of_vibe_that_prints_more_than_can_be_read_leaves_the_last_word_and_a_long_message_does_not() {
    let long = |line: &str| line.replace("APPROVED\"", &format!("{}\"", "x".repeat(5 << 20)));
    let (effect, message) = (long(VIBE[2]), long(VIBE[1]));
    let effect_before = [VIBE[0], VIBE[1], effect.as_str(), VIBE[3]];
    assert_eq!(last_word(Protocol::Vibe, &effect_before).as_deref(), Some(LAST_WORD));
    assert_eq!(last_word(Protocol::Vibe, &[VIBE[0], VIBE[1], effect.as_str()]), None);
    assert_eq!(last_word(Protocol::Vibe, &[VIBE[0], message.as_str(), VIBE[2], VIBE[3]]), None);
}

#[test]
fn an_error_counts_for_aider_only_if_no_answer_follows_it() {
    let answer = ["It looks right.", "", "litellm.RateLimitError: is what users see.", "", "APPROVED", ""];
    let tokens = "Tokens: 1.2k sent, 34 received. Cost: $0.01 message, $0.02 session.";
    let said = answer.join("\n");
    let approved = [&["Repo-map: using 1024 tokens, auto refresh"], &answer[..], &[tokens]].concat();
    assert_eq!(last_word(Protocol::Aider, &approved).as_deref(), Some(said.trim()));
    let retried = ["litellm.RateLimitError: wait", "Retrying in 0.2 seconds...", "", "REJECTED", tokens];
    let rejected = [&approved[..], &retried].concat();
    let activity = activity(Protocol::Aider, &rejected);
    assert_eq!((activity.turns, activity.retries, activity.error), (2, 1, None));
    assert_eq!(activity.final_message.as_deref(), Some("REJECTED"));
    let failed = [&approved[..], &["litellm.AuthenticationError: no", "such key."]].concat();
    assert_eq!(failure(Protocol::Aider, &failed).kind, Some(ErrorKind::NotLoggedIn));
    assert_eq!(last_word(Protocol::Aider, &answer), None);
}
