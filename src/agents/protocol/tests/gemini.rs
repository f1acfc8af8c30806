//! Tests the stream of gemini.

use super::samples::{GEMINI, LAST_WORD};
use super::*;

#[test]
fn gemini_tells_its_session_answers_tools_files_usage_and_its_last_word() {
    let expected = [
        AgentEvent::Session("s1".to_owned()),
        AgentEvent::Turn,
        message("It looks right.\n\nAPPROVED"),
        tool("write_file", "/p/greet.txt"),
        AgentEvent::FileChanged("/p/greet.txt".to_owned()),
        AgentEvent::Turn,
        AgentEvent::Usage(usage(600, 110, 3000)),
        last(LAST_WORD),
    ];
    assert_eq!(events(Protocol::Gemini, GEMINI), expected);
}

#[test]
fn without_a_good_result_after_the_last_words_there_is_no_last_word() {
    let (result, work) = GEMINI.split_last().expect("there are lines");
    assert_eq!(last_word(Protocol::Gemini, work), None);
    assert_eq!(last_word(Protocol::Gemini, &[GEMINI[0], result]), None);
    let failed = result.replace("success", "error");
    assert_eq!(last_word(Protocol::Gemini, &[work, &[&failed]].concat()), None);
    let tool_last = [&GEMINI[..5], &[result]].concat();
    assert_eq!(
        last_word(Protocol::Gemini, &tool_last),
        None,
        "what was said before a tool is not the last word"
    );
}

#[test]
fn words_of_which_a_part_is_missing_are_no_last_word() {
    let broken = [&GEMINI[..5], &[&GEMINI[5][..90]], &GEMINI[6..]].concat();
    assert_eq!(last_word(Protocol::Gemini, &broken), None);
}

#[test]
fn the_result_of_gemini_says_what_failed() {
    for (error, expected, words) in [
        (
            r#"{"type":"unknown","message":"[API Error: {\"error\":{\"code\":401,\"status\":\"UNAUTHENTICATED\",\"message\":\"No.\"}}]"}"#,
            Some(Cause::NotLoggedIn),
            "No.",
        ),
        (
            r#"{"type":"unknown","message":"[API Error: You have exhausted your daily quota on this model.]"}"#,
            Some(Cause::LIMIT),
            "[API Error: You have exhausted your daily quota on this model.]",
        ),
        (r#"{"type":"FatalAuthenticationError","message":"log in"}"#, Some(Cause::NotLoggedIn), "log in"),
        ("7", None, ""),
    ] {
        let line = format!(r#"{{"type":"result","status":"error","error":{error}}}"#);
        let failure = failure(Protocol::Gemini, &[&line]);
        assert_eq!((failure.cause, failure.message.as_str()), (expected, words));
    }
    let enough =
        r#"{"type":"result","status":"error","error":{"type":"FatalTurnLimitedError","message":"enough"}}"#;
    assert!(failure(Protocol::Gemini, &[enough]).is_used_up);
}

#[test]
fn a_warning_of_gemini_is_no_error() {
    let event =
        |severity: &str| format!(r#"{{"type":"error","severity":"{severity}","message":"Loop detected"}}"#);
    assert_eq!(activity(Protocol::Gemini, &[&event("warning")]).error, None);
    assert_eq!(failure(Protocol::Gemini, &[&event("error")]).message, "Loop detected");
    let error = event("error");
    let all = [&[error.as_str()], GEMINI].concat();
    assert_eq!(last_word(Protocol::Gemini, &all).as_deref(), Some(LAST_WORD));
}
