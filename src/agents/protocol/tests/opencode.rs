//! Tests the stream of opencode.

use super::samples::{LAST_WORD, OPENCODE};
use super::*;
use chrono::{TimeDelta, Utc};

#[test]
fn opencode_tells_its_session_answers_tools_files_usage_and_its_last_word() {
    let expected = [
        AgentEvent::Session("s1".to_owned()),
        message("It looks right.\n\nAPPROVED"),
        tool("write", "/p/greet.txt"),
        AgentEvent::FileChanged("/p/greet.txt".to_owned()),
        AgentEvent::Turn,
        AgentEvent::Usage(with_cost(usage(200, 34, 1000), 0.000_368)),
        message(LAST_WORD),
        AgentEvent::Turn,
        AgentEvent::Usage(with_cost(usage(400, 78, 2000), 0.000_736)),
        last(LAST_WORD),
    ];
    assert_eq!(events(Protocol::Opencode, OPENCODE), expected);
}

#[test]
fn only_the_text_of_a_step_that_stopped_is_the_last_word() {
    assert_eq!(last_word(Protocol::Opencode, &OPENCODE[..6]), None, "the step has not finished");
    assert_eq!(last_word(Protocol::Opencode, &OPENCODE[..4]), None, "the step called a tool");
    let next = OPENCODE[4].replace("msg_8", "msg_9");
    let again = [OPENCODE, &[&next]].concat();
    assert_eq!(last_word(Protocol::Opencode, &again), None, "it has begun another step");
    let length = OPENCODE[6].replace("\"stop\"", "\"length\"");
    assert_eq!(last_word(Protocol::Opencode, &[&OPENCODE[..6], &[&length]].concat()), None);
    let mut stream = EventStream::new(Protocol::Opencode, &Secrets::default());
    let mut all = stream.push(OPENCODE.join("\n").as_bytes());
    all.extend(stream.end(false));
    assert!(!all.iter().any(|event| matches!(event, AgentEvent::Final(_))), "it exited with an error");
}

#[test]
fn a_step_with_nothing_in_it_is_no_answer() {
    let finish = OPENCODE[6];
    let told = events(Protocol::Opencode, &[OPENCODE[4], finish]);
    let retries = |event: &&AgentEvent| matches!(event, AgentEvent::Retries(error) if error.cause == Some(Cause::Service));
    assert_eq!(told.iter().filter(retries).count(), 1, "{told:?}");
    assert!(!told.contains(&AgentEvent::Turn), "{told:?}");
}

#[test]
fn a_cost_of_nothing_for_some_tokens_is_unknown() {
    let free = OPENCODE.iter().map(|line| line.replace("0.000368", "0")).collect::<Vec<_>>();
    let free: Vec<&str> = free.iter().map(String::as_str).collect();
    assert_eq!(activity(Protocol::Opencode, &free).usage, usage(400, 78, 2000));
}

#[test]
fn the_fields_of_an_error_of_opencode_say_what_happened() {
    for (data, expected) in [
        (r#""statusCode":401,"isRetryable":false"#, Some(Cause::NotLoggedIn)),
        (
            r#""statusCode":429,"responseBody":"{\"error\":{\"code\":\"insufficient_quota\"}}""#,
            Some(Cause::NoCredit),
        ),
        (r#""statusCode":404"#, Some(Cause::Refused)),
        (r#""statusCode":503,"isRetryable":true"#, Some(Cause::Service)),
        (r#""isRetryable":true"#, Some(Cause::Service)),
        (r#""isRetryable":false"#, None),
    ] {
        let line = format!(
            r#"{{"type":"error","sessionID":"s","error":{{"name":"APIError","data":{{"message":"x",{data}}}}}}}"#
        );
        assert_eq!(cause(Protocol::Opencode, &[&line]), expected, "{data}");
    }
    let auth = r#"{"type":"error","error":{"name":"ProviderAuthError","data":{"message":"no key"}}}"#;
    assert_eq!(failure(Protocol::Opencode, &[auth]).cause, Some(Cause::NotLoggedIn));
}

#[test]
fn a_header_says_when_to_try_again() {
    for (headers, seconds) in [
        (r#""retry-after":"30""#, Some(30)),
        (r#""Retry-After":"1.5""#, Some(2)),
        (r#""retry-after-ms":"2500","retry-after":"90""#, Some(3)),
        (r#""retry-after":"soon""#, None),
        (r#""retry-after":"-1""#, None),
        (r#""retry-after":"1e300""#, None),
    ] {
        let line = format!(
            r#"{{"type":"error","error":{{"name":"APIError","data":{{"message":"x","statusCode":429,"responseHeaders":{{{headers}}}}}}}}}"#
        );
        let before = Utc::now();
        let Some(Cause::Limit { resets }) = cause(Protocol::Opencode, &[&line]) else { panic!("{headers}") };
        let after = Utc::now();
        let expected = seconds.map(|seconds| (before, after + TimeDelta::seconds(seconds)));
        assert_eq!(resets.is_some(), expected.is_some(), "{headers}");
        let within = resets.zip(expected).is_none_or(|(at, (from, to))| from < at && at <= to);
        assert!(within, "{headers}");
    }
    let date = r#"{"type":"error","error":{"data":{"statusCode":429,"responseHeaders":{"retry-after":"Sun, 22 Nov 2026 20:39:01 GMT"}}}}"#;
    let resets = "2026-11-22T20:39:01Z".parse().ok();
    assert_eq!(cause(Protocol::Opencode, &[date]), Some(Cause::Limit { resets }));
}

#[test]
fn a_tool_that_opencode_was_not_allowed_to_use_is_denied() {
    let line = r#"{"type":"tool_use","sessionID":"s","part":{"tool":"bash","state":{"status":"error","input":{"command":"rm x"},"error":"The user rejected permission to use this specific tool call."}}}"#;
    let expected =
        [AgentEvent::Session("s".to_owned()), tool("bash", "rm x"), AgentEvent::Denied("bash".to_owned())];
    assert_eq!(events(Protocol::Opencode, &[line]), expected);
}

#[test]
fn a_step_without_anything_in_it_is_no_answer() {
    let finish = OPENCODE[6].replace("\"stop\"", "\"unknown\"");
    assert_eq!(activity(Protocol::Opencode, &[OPENCODE[4], &finish]).turns, 0);
}

#[test]
fn the_status_of_an_error_that_was_overcome_takes_no_last_word_away() {
    let too_long = r#"{"type":"error","sessionID":"s1","error":{"name":"ContextOverflowError","data":{"message":"Too large."}}}"#;
    let last_word = |lines: &[&str]| {
        let mut stream = EventStream::new(Protocol::Opencode, &Secrets::default());
        let mut activity = Activity::default();
        stream.push((lines.join("\n") + "\n").as_bytes()).iter().for_each(|event| activity.add(event));
        stream.end(false).iter().for_each(|event| activity.add(event));
        activity.final_message
    };
    let shortened = [&OPENCODE[..4], &[too_long], &OPENCODE[4..]].concat();
    assert_eq!(
        last_word(&shortened).as_deref(),
        Some(LAST_WORD),
        "it has shortened the conversation and gone on"
    );
    assert_eq!(last_word(&[OPENCODE, &[too_long]].concat()), None, "it ended with an error");
}

#[test]
fn the_log_of_opencode_says_that_it_waits() {
    let logged = |error: &str| {
        let line = format!(
            "timestamp=2026-11-22T22:20:36.245Z level=ERROR run=e7ba9de9 message=\"stream error\" providerID=mock {error}"
        );
        Protocol::Opencode.wait_in(&line).map(|error| (error.cause, error.message))
    };
    let limit = logged("error.error=\"AI_APICallError: The usage limit has been reached\"");
    let words = "AI_APICallError: The usage limit has been reached".to_owned();
    assert_eq!(limit, Some((Some(Cause::LIMIT), words)));
    let in_answer =
        "error.error.message=\"Rate limit reached for requests\" error.error.type=rate_limit_error";
    assert_eq!(logged(in_answer).and_then(|(cause, _)| cause), Some(Cause::LIMIT));
    let broken = logged("error.error=\"AI_APICallError: Cannot connect to API: read ECONNRESET\"");
    assert_eq!(broken.and_then(|(cause, _)| cause), Some(Cause::Service));
    let model =
        "message=failed ref=err_1 error=\"ProviderModelNotFoundError: Model not found: x/y.\" cause=\"x\"";
    assert_eq!(logged(model).and_then(|(cause, _)| cause), Some(Cause::Refused));
    assert_eq!(logged("error.error=\"something else\""), None);
    assert_eq!(Protocol::Opencode.wait_in("Error: The usage limit has been reached"), None);
}
