//! Tests the stream of pi.

use super::samples::{LAST_WORD, PI};
use super::*;

const FAILED: &str = r#"{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"429 Rate limit reached."}}"#;
const END: &str = r#"{"type":"agent_end","messages":[{"role":"assistant","content":[],"stopReason":"error","errorMessage":"429 Rate limit reached."}]}"#;
const RETRY: &str = r#"{"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"429 Rate limit reached."}"#;

#[test]
fn pi_tells_its_session_answers_tools_files_usage_and_its_last_word() {
    let expected = [
        AgentEvent::Session("s1".to_owned()),
        AgentEvent::Usage(with_cost(usage(200, 34, 1000), 0.25)),
        AgentEvent::Turn,
        message("It looks right.\n\nAPPROVED"),
        tool("write", "greet.txt"),
        AgentEvent::FileChanged("greet.txt".to_owned()),
        AgentEvent::Usage(with_cost(usage(400, 68, 2000), 0.5)),
        AgentEvent::Turn,
        message(LAST_WORD),
        last(LAST_WORD),
    ];
    assert_eq!(events(Protocol::Pi, PI), expected);
}

#[test]
fn an_end_that_is_too_long_to_be_read_is_an_end() {
    let long = format!("{} {}", PI[10], " ".repeat(5 << 20));
    let lines = [&PI[..10], &[&long]].concat();
    assert_eq!(last_word(Protocol::Pi, &lines).as_deref(), Some(LAST_WORD));
    assert_eq!(last_word(Protocol::Pi, &PI[..10]), None);
}

#[test]
fn pi_has_failed_after_an_error_unless_it_tries_again_with_success() {
    assert_eq!(kind_and_status(Protocol::Pi, &[FAILED, END]), (Some(ErrorKind::UsageLimit), Some(429)));
    let tried = activity(Protocol::Pi, &[FAILED, END, RETRY]);
    assert_eq!((tried.error, tried.retries, tried.turns), (None, 1, 0));
    let given_up =
        r#"{"type":"auto_retry_end","success":false,"attempt":3,"finalError":"429 Rate limit reached."}"#;
    let lines = [FAILED, END, RETRY, FAILED, END, given_up];
    assert_eq!(kind_and_status(Protocol::Pi, &lines), (Some(ErrorKind::UsageLimit), Some(429)));
    let lines = [&[FAILED, END, RETRY], PI].concat();
    assert_eq!(last_word(Protocol::Pi, &lines).as_deref(), Some(LAST_WORD));
}
