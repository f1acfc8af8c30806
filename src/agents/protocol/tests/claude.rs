//! Tests the stream of claude, and what qwen prints in the same form.

use super::samples::{CLAUDE, LAST_WORD, QWEN};
use super::*;
use chrono::DateTime;

const APPROVED: &str = "It looks right.\n\nAPPROVED";

#[test]
fn claude_tells_its_session_turns_tools_files_usage_denials_and_its_last_word() {
    let expected = [
        AgentEvent::Session("s1".to_owned()),
        AgentEvent::Turn,
        message(APPROVED),
        AgentEvent::Usage(usage(210, 1, 1000)),
        tool("Write", "/p/greet.txt"),
        AgentEvent::FileChanged("/p/greet.txt".to_owned()),
        AgentEvent::Usage(usage(210, 30, 1000)),
        AgentEvent::Turn,
        message(LAST_WORD),
        AgentEvent::Usage(usage(510, 35, 2000)),
        AgentEvent::Usage(with_cost(usage(510, 70, 2000), 0.0125)),
        AgentEvent::Denied("Bash".to_owned()),
        last(LAST_WORD),
    ];
    assert_eq!(events(Protocol::Claude, CLAUDE), expected);
}

#[test]
fn the_total_of_claude_includes_the_models_of_the_agents_that_it_has_started() {
    let result = r#"{"type":"result","is_error":false,"result":"x","total_cost_usd":1.5,"usage":{"input_tokens":1,"output_tokens":2},
        "modelUsage":{"big":{"inputTokens":10,"outputTokens":20,"cacheReadInputTokens":30,"cacheCreationInputTokens":40},
        "small":{"inputTokens":1,"outputTokens":2,"cacheReadInputTokens":3,"cacheCreationInputTokens":4}}}"#;
    let activity = activity(Protocol::Claude, &[&result.replace('\n', " ")]);
    assert_eq!(activity.usage, with_cost(usage(55, 22, 33), 1.5));
}

#[test]
fn is_error_decides_and_not_the_subtype() {
    let result =
        |is_error: &str| format!(r#"{{"type":"result","subtype":"success",{is_error}"result":"APPROVED"}}"#);
    assert_eq!(last_word(Protocol::Claude, &[&result(r#""is_error":false,"#)]).as_deref(), Some("APPROVED"));
    for is_error in [r#""is_error":true,"#, r#""is_error":null,"#, r#""is_error":"false","#, ""] {
        let failure = failure(Protocol::Claude, &[&result(is_error)]);
        assert_eq!(failure.message, "APPROVED", "{is_error}");
    }
}

#[test]
fn the_fields_of_a_failed_result_say_what_happened() {
    let cases = [
        (r#""api_error_status":401,"api_error_type":"authentication_error""#, Some(Cause::NotLoggedIn)),
        (r#""api_error_status":402,"api_error_type":"billing_error""#, Some(Cause::NoCredit)),
        (r#""api_error_status":400,"api_error_type":"billing_error""#, Some(Cause::NoCredit)),
        (r#""api_error_status":403"#, Some(Cause::NotLoggedIn)),
        (r#""api_error_status":404"#, Some(Cause::Refused)),
        (r#""api_error_status":429"#, Some(Cause::LIMIT)),
        (r#""api_error_status":"529""#, Some(Cause::Service)),
        (r#""api_error_status":null,"api_error":"connection_failed""#, Some(Cause::Service)),
        (r#""api_error_status":null,"terminal_reason":"api_error""#, Some(Cause::Service)),
        (r#""api_error_status":99999"#, None),
        (r#""subtype":"error_during_execution""#, None),
    ];
    for (fields, expected) in cases {
        let result = format!(r#"{{"type":"result","is_error":true,"result":"x",{fields}}}"#);
        assert_eq!(cause(Protocol::Claude, &[&result]), expected, "{fields}");
    }
    for subtype in ["error_max_turns", "error_max_budget_usd"] {
        let result = format!(r#"{{"type":"result","is_error":true,"result":"x","subtype":"{subtype}"}}"#);
        assert!(failure(Protocol::Claude, &[&result]).is_used_up, "{subtype}");
    }
}

#[test]
fn the_words_of_an_error_come_from_the_result_or_the_errors() {
    for (fields, words) in [
        (r#""result":"Credit balance is too low""#, "Credit balance is too low"),
        (r#""errors":["one","two"]"#, "one\ntwo"),
        (r#""error":"Missing API key""#, "Missing API key"),
        (r#""error":{"message":"crashed"}"#, "crashed"),
    ] {
        let result = format!(r#"{{"type":"result","is_error":true,{fields}}}"#);
        assert_eq!(failure(Protocol::Claude, &[&result]).message, words);
    }
}

#[test]
fn a_subscription_limit_tells_when_it_resets() {
    let limit = r#"{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795388400,"rateLimitType":"five_hour"}}"#;
    let answer = r#"{"type":"assistant","message":{"id":"x","model":"<synthetic>","content":[{"type":"text","text":"You've hit your limit"}]},"parent_tool_use_id":null,"error":"rate_limit"}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"You've hit your limit · resets 11pm (UTC)"}"#;
    let activity = activity(Protocol::Claude, &[limit, answer, result]);
    let resets = DateTime::from_timestamp(1_795_388_400, 0);
    assert_eq!(activity.limit.expect("the limit was reported").resets, resets);
    let error = activity.error.expect("the result is an error");
    assert_eq!(error.cause, Some(Cause::LIMIT));
    assert_eq!((activity.turns, activity.last_message), (0, None), "an error is no answer");
}

#[test]
fn an_event_that_says_how_much_is_left_of_a_limit_is_no_limit() {
    for status in ["allowed", "allowed_warning"] {
        let event = format!(
            r#"{{"type":"rate_limit_event","rate_limit_info":{{"status":"{status}","resetsAt":1795388400}}}}"#
        );
        assert_eq!(events(Protocol::Claude, &[&event]), []);
    }
}

#[test]
fn a_retry_within_claude_is_no_error() {
    let retry = r#"{"type":"system","subtype":"api_retry","attempt":1,"max_retries":10,"retry_delay_ms":500,"error_status":429,"error":"rate_limit"}"#;
    let activity = activity(Protocol::Claude, &[retry, retry]);
    let retrying = activity.retrying.expect("it retries");
    assert_eq!(retrying.cause, Some(Cause::LIMIT));
    assert_eq!((activity.retries, activity.error), (2, None));
}

#[test]
fn what_other_agents_say_to_claude_is_no_message_of_its_own() {
    let line = r#"{"type":"assistant","message":{"id":"b1","content":[{"type":"text","text":"APPROVED"},{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"x"}}]},"parent_tool_use_id":"t0"}"#;
    assert_eq!(events(Protocol::Claude, &[line]), [tool("Read", "x")]);
}

#[test]
fn qwen_tells_its_usage_without_what_came_from_a_cache_and_counts_answers() {
    let activity = activity(Protocol::Claude, QWEN);
    assert_eq!((activity.turns, activity.usage), (2, usage(400, 68, 2000)));
    assert_eq!(activity.final_message.as_deref(), Some(LAST_WORD));
    assert!(activity.files.contains("/p/greet.txt"));
}

#[test]
fn an_error_that_qwen_reports_as_a_success_is_an_error() {
    let answer = r#"{"type":"assistant","message":{"id":"u","content":[{"type":"text","text":"[API Error: 401 Incorrect API key]"}]}}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":false,"result":"[API Error: 401 Incorrect API key]"}"#;
    assert_eq!(cause(Protocol::Claude, &[answer, result]), Some(Cause::NotLoggedIn));
    assert_eq!(activity(Protocol::Claude, &[answer, result]).turns, 0);
    let broken = r#"{"type":"result","is_error":false,"result":"I will write it.[API Error: terminated (cause: other side closed)]"}"#;
    let broken = failure(Protocol::Claude, &[broken]);
    assert_eq!(broken.cause, Some(Cause::Service));
    assert_eq!(broken.message, "[API Error: terminated (cause: other side closed)]");
    let about = r#"{"type":"result","is_error":false,"result":"It prints [API Error: x] now.\n\nAPPROVED"}"#;
    assert!(last_word(Protocol::Claude, &[about]).is_some());
}

#[test]
fn a_result_without_a_word_is_no_last_word_if_nothing_was_said_either() {
    let result = r#"{"type":"result","subtype":"success","is_error":false,"num_turns":2,"result":"","usage":{"input_tokens":4}}"#;
    let asked = r#"{"type":"user","message":{"content":[{"type":"text","text":"Please continue."}]},"isSynthetic":true}"#;
    let silent = activity(Protocol::Claude, &[asked, result]);
    assert_eq!((silent.turns, silent.final_message, silent.error), (0, None, None));
    let said = r#"{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"I begin."}]}}"#;
    assert_eq!(last_word(Protocol::Claude, &[said, result]).as_deref(), Some(""));
}
