//! Tests the stream of codex.

use super::samples::{CODEX, LAST_WORD};
use super::*;

#[test]
fn codex_tells_its_session_answers_tools_usage_and_its_last_word() {
    let expected = [
        AgentEvent::Session("s1".to_owned()),
        AgentEvent::Turn,
        message("It looks right.\n\nAPPROVED"),
        tool("shell", "cat greet.txt"),
        AgentEvent::Turn,
        message(LAST_WORD),
        AgentEvent::Usage(usage(400, 68, 2000)),
        last(LAST_WORD),
    ];
    assert_eq!(events(Protocol::Codex, CODEX), expected);
}

#[test]
fn a_patch_changes_its_files_when_it_was_applied() {
    let item = |kind: &str, status: &str| {
        format!(
            r#"{{"type":"item.{kind}","item":{{"id":"item_1","type":"file_change","changes":[{{"path":"/p/a","kind":"add"}},{{"path":"/p/b","kind":"update"}}],"status":"{status}"}}}}"#
        )
    };
    let done = events(Protocol::Codex, &[&item("started", "in_progress"), &item("completed", "completed")]);
    let changed = ["/p/a", "/p/b"].map(|path| AgentEvent::FileChanged(path.to_owned()));
    assert_eq!(done, [vec![AgentEvent::Turn, tool("apply_patch", "/p/a /p/b")], changed.to_vec()].concat());
    assert!(activity(Protocol::Codex, &[&item("completed", "failed")]).files.is_empty());
}

#[test]
fn the_turn_decides_and_an_item_that_is_an_error_may_be_a_warning() {
    let warning = r#"{"type":"item.completed","item":{"id":"item_3","type":"error","message":"an option is deprecated"}}"#;
    let (end, work) = CODEX.split_last().expect("there are lines");
    let lines = [work, &[warning, end]].concat();
    assert_eq!(last_word(Protocol::Codex, &lines).as_deref(), Some(LAST_WORD));
    let failed = r#"{"type":"turn.failed","error":{"message":"stream disconnected before completion: x"}}"#;
    assert_eq!(failure(Protocol::Codex, &[work, &[failed]].concat()).cause, Some(Cause::Service));
    assert_eq!(last_word(Protocol::Codex, work), None, "the turn has not ended");
    assert_eq!(last_word(Protocol::Codex, &[CODEX[0], end]), None, "nothing was said");
}

#[test]
fn words_before_the_last_tool_are_not_the_last_ones() {
    let lines = [&CODEX[..5], &CODEX[6..]].concat();
    assert_eq!(last_word(Protocol::Codex, &lines), None);
}

#[test]
fn a_reconnection_is_a_retry_and_another_error_counts_only_if_the_turn_does_not_end() {
    let retry = r#"{"type":"error","message":"Reconnecting... 1/5 (unexpected status 503 Service Unavailable: x, url: y)"}"#;
    let retrying = activity(Protocol::Codex, &[retry]).retrying.expect("it retries");
    assert_eq!(retrying.cause, Some(Cause::Service));
    let all = [&[retry], CODEX].concat();
    assert_eq!(last_word(Protocol::Codex, &all).as_deref(), Some(LAST_WORD));
    let error = r#"{"type":"error","message":"You’ve hit your usage limit. Try again at 11:00 PM."}"#;
    let failure = failure(Protocol::Codex, &[error]);
    assert_eq!(failure.cause, Some(Cause::LIMIT));
    assert_eq!(failure.message, "You’ve hit your usage limit. Try again at 11:00 PM.");
    assert_eq!(last_word(Protocol::Codex, &[&[error], CODEX].concat()).as_deref(), Some(LAST_WORD));
}

#[test]
fn the_words_of_codex_tell_the_kind_of_error() {
    for (words, expected) in [
        ("unexpected status 401 Unauthorized: x, url: http://h/500/v1", Some(Cause::NotLoggedIn)),
        ("unexpected status 402 Payment Required: x", Some(Cause::NoCredit)),
        ("exceeded retry limit, last status: 429 Too Many Requests", Some(Cause::LIMIT)),
        ("We’re currently experiencing high demand, which may cause temporary errors.", Some(Cause::Service)),
        ("The model `mock-model` does not exist.", Some(Cause::Refused)),
        ("{\"error\": {\"type\": \"invalid_request_error\", \"message\": \"No.\"}}", Some(Cause::Refused)),
        ("something else in line 404", None),
    ] {
        let message = serde_json::to_string(words).expect("text is JSON");
        let line = format!(r#"{{"type":"turn.failed","error":{{"message":{message}}}}}"#);
        assert_eq!(cause(Protocol::Codex, &[&line]), expected, "{words}");
    }
}
