//! Tests the stream of claude, and those that look like it.

use super::samples::{CLAUDE, CURSOR, LAST_WORD, QWEN};
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
        AgentEvent::Usage(usage(210, 30, 1000)),
        AgentEvent::FileChanged("/p/greet.txt".to_owned()),
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
        (
            r#""api_error_status":401,"api_error_type":"authentication_error""#,
            Some(ErrorKind::NotLoggedIn),
            Some(401),
        ),
        (r#""api_error_status":402,"api_error_type":"billing_error""#, Some(ErrorKind::NoCredit), Some(402)),
        (r#""api_error_status":400,"api_error_type":"billing_error""#, Some(ErrorKind::NoCredit), Some(400)),
        (r#""api_error_status":403"#, Some(ErrorKind::NotLoggedIn), Some(403)),
        (r#""api_error_status":404"#, Some(ErrorKind::Refused), Some(404)),
        (r#""api_error_status":429"#, Some(ErrorKind::UsageLimit), Some(429)),
        (r#""api_error_status":"529""#, Some(ErrorKind::Unreachable), Some(529)),
        (r#""api_error_status":null,"api_error":"connection_failed""#, Some(ErrorKind::Unreachable), None),
        (r#""api_error_status":null,"terminal_reason":"api_error""#, Some(ErrorKind::Unreachable), None),
        (r#""api_error_status":99999"#, None, None),
        (r#""subtype":"error_max_turns""#, Some(ErrorKind::TurnLimit), None),
        (r#""subtype":"error_max_budget_usd""#, Some(ErrorKind::BudgetLimit), None),
        (r#""subtype":"error_during_execution""#, None, None),
    ];
    for (fields, kind, status) in cases {
        let result = format!(r#"{{"type":"result","is_error":true,"result":"x",{fields}}}"#);
        assert_eq!(kind_and_status(Protocol::Claude, &[&result]), (kind, status), "{fields}");
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
    assert_eq!((error.kind, error.status, error.resets), (Some(ErrorKind::UsageLimit), Some(429), resets));
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
    assert_eq!((retrying.kind, retrying.status), (Some(ErrorKind::UsageLimit), Some(429)));
    assert_eq!((activity.retries, activity.error), (2, None));
}

#[test]
fn what_other_agents_say_to_claude_is_no_message_of_its_own() {
    let line = r#"{"type":"assistant","message":{"id":"b1","content":[{"type":"text","text":"APPROVED"},{"type":"tool_use","id":"t","name":"Read","input":{"file_path":"x"}}]},"parent_tool_use_id":"t0"}"#;
    assert_eq!(events(Protocol::Claude, &[line]), [tool("Read", "x")]);
}

#[test]
fn an_edit_that_failed_has_changed_no_file() {
    let call = r#"{"type":"assistant","message":{"id":"a","content":[{"type":"tool_use","id":"t1","name":"Edit","input":{"file_path":"x"}}]}}"#;
    let refused = r#"{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"t1","is_error":true,"content":"no"}]}}"#;
    assert!(activity(Protocol::Claude, &[call, refused]).files.is_empty());
}

#[test]
fn qwen_tells_its_usage_without_what_came_from_a_cache_and_counts_answers() {
    let activity = activity(Protocol::Qwen, QWEN);
    assert_eq!((activity.turns, activity.usage), (2, usage(400, 68, 2000)));
    assert_eq!(activity.final_message.as_deref(), Some(LAST_WORD));
    assert!(activity.files.contains("/p/greet.txt"));
}

#[test]
fn an_error_that_qwen_reports_as_a_success_is_an_error() {
    let answer = r#"{"type":"assistant","message":{"id":"u","content":[{"type":"text","text":"[API Error: 401 Incorrect API key]"}]}}"#;
    let result = r#"{"type":"result","subtype":"success","is_error":false,"result":"[API Error: 401 Incorrect API key]"}"#;
    assert_eq!(kind_and_status(Protocol::Qwen, &[answer, result]), (Some(ErrorKind::NotLoggedIn), Some(401)));
    assert_eq!(activity(Protocol::Qwen, &[answer, result]).turns, 0);
    let broken = r#"{"type":"result","is_error":false,"result":"I will write it.[API Error: terminated (cause: other side closed)]"}"#;
    let broken = failure(Protocol::Qwen, &[broken]);
    assert_eq!(broken.kind, Some(ErrorKind::Unreachable));
    assert_eq!(broken.message, "[API Error: terminated (cause: other side closed)]");
    let about = r#"{"type":"result","is_error":false,"result":"It prints [API Error: x] now.\n\nAPPROVED"}"#;
    assert!(last_word(Protocol::Qwen, &[about]).is_some());
    let stats = r#"{"type":"result","is_error":false,"result":"APPROVED","stats":{"models":{"m":{"api":{"totalRequests":2,"totalErrors":2}}}}}"#;
    assert_eq!(kind_and_status(Protocol::Qwen, &[stats]), (None, None));
    let some = stats.replace(r#""totalErrors":2"#, r#""totalErrors":1"#);
    assert_eq!(last_word(Protocol::Qwen, &[&some]).as_deref(), Some("APPROVED"));
}

#[test]
fn of_the_result_of_cursor_only_what_was_said_after_the_last_tool_is_the_last_word() {
    let activity = activity(Protocol::Cursor, CURSOR);
    assert_eq!(activity.final_message.as_deref(), Some(LAST_WORD));
    assert_eq!(activity.last_tool.expect("it wrote a file").subject, "greet.txt");
    assert!(activity.files.contains("greet.txt"));
    assert_eq!(activity.usage, Usage::default(), "cursor tells no usage");
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
