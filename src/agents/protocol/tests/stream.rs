//! Tests what holds for every stream: names, noise, secrets and sizes.

use std::ffi::OsString;

use super::samples::{ALL, CLAUDE, LAST_WORD};
use super::*;
use crate::workflow::{Verdict, read_review};

#[test]
fn every_protocol_has_a_name_of_its_own() {
    for name in Protocol::NAMES {
        assert_eq!(Protocol::named(name).map(Protocol::name), Some(name));
    }
    assert_eq!(Protocol::named("Claude"), None);
    assert_eq!(Protocol::named(""), None);
    assert_eq!(
        Protocol::NAMES.iter().collect::<std::collections::BTreeSet<_>>().len(),
        Protocol::NAMES.len()
    );
}

#[test]
fn plain_text_is_the_final_message_if_the_program_exits_well() {
    let mut stream = EventStream::new(Protocol::Text, &Secrets::default());
    assert_eq!(stream.push(b"one\n\n  two\nthr"), [message("one"), message("two")]);
    assert_eq!(stream.push(b"ee"), []);
    let mut other = EventStream::new(Protocol::Text, &Secrets::default());
    assert_eq!(other.push(b"APPROVED\n"), [message("APPROVED")]);
    assert_eq!(stream.end(true), [message("three"), last("one\n\n  two\nthree")]);
    assert_eq!(other.end(false), []);
}

#[test]
fn lines_that_are_no_events_are_ignored() {
    for (protocol, lines) in ALL {
        let noise = [
            "(node:1) Warning: x",
            "",
            "null",
            "7",
            "\"APPROVED\"",
            "[]",
            "[7]",
            "{}",
            "{\"type\":7}",
            "{\"type\":null}",
            "{\"type\":\"unknown\",\"result\":\"APPROVED\",\"is_error\":false,\"text\":\"APPROVED\"}",
        ];
        let mixed: Vec<&str> = lines.iter().flat_map(|line| noise.iter().chain([line]).copied()).collect();
        assert_eq!(events(*protocol, &mixed), events(*protocol, lines), "{protocol:?}");
    }
}

#[test]
fn a_list_of_events_in_one_line_is_read() {
    let line = format!("[{}]", CLAUDE.join(","));
    assert_eq!(events(Protocol::Claude, &[&line]), events(Protocol::Claude, CLAUDE));
}

#[test]
fn escapes_hide_neither_secrets_nor_control_characters() {
    let variable = (OsString::from("API_TOKEN"), OsString::from("tok-93hf83hf9"));
    let secrets = Secrets::of([(&variable.0, &variable.1)]);
    let mut stream = EventStream::new(Protocol::Claude, &secrets);
    let hidden = r"\u0074ok-93hf\u00383hf9 \u001b[31mred\u001b[0m\u0007";
    let lines = format!(
        r#"{{"type":"assistant","message":{{"id":"a","content":[{{"type":"text","text":"{hidden}"}},{{"type":"tool_use","id":"t","name":"{hidden}","input":{{"command":"x\n{hidden}"}}}}]}}}}
{{"type":"result","is_error":false,"result":"{hidden}\nline 2"}}
"#
    );
    let mut all = stream.push(lines.as_bytes());
    all.extend(stream.end(true));
    let expected =
        [AgentEvent::Turn, message("*** red"), tool("*** red", "x *** red"), last("*** red\nline 2")];
    assert_eq!(all, expected);
}

#[test]
fn long_texts_are_cut_and_a_cut_message_approves_nothing() {
    let sentence = "All is well with this line. ";
    let long = sentence.repeat((3 << 20) / sentence.len());
    for (protocol, output) in [
        (Protocol::Text, format!("{long}\n\nAPPROVED")),
        (
            Protocol::Claude,
            format!("{{\"type\":\"result\",\"is_error\":false,\"result\":\"{long}\\n\\nAPPROVED\"}}\n"),
        ),
    ] {
        let all = events_of(protocol, output.as_bytes());
        let Some(AgentEvent::Final(text)) = all.last() else {
            panic!("there is no final message: {protocol:?}")
        };
        assert!(text.len() < 1_100_000, "{} bytes", text.len());
        assert!(text.starts_with("All is well") && text.contains("APPROVED\n[This message is not complete"));
        assert_eq!(read_review(text.as_bytes()).verdict, Verdict::Unclear, "{protocol:?}");
    }
    let text = format!(
        r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{long}"}},{{"type":"tool_use","name":"{long}","input":{{"command":"{long}"}}}}]}}}}"#
    );
    let short = format!(
        r#"{{"type":"assistant","message":{{"content":[{{"type":"text","text":"{}"}}]}}}}"#,
        &long[..5000]
    );
    assert_eq!(events(Protocol::Claude, &[&text]), [], "the line is too long");
    let Some(AgentEvent::Message(text)) = events(Protocol::Claude, &[&short]).pop() else {
        panic!("no message")
    };
    assert_eq!(text.chars().count(), 4000);
}

#[test]
fn a_line_of_eight_megabytes_is_skipped_and_the_rest_is_read() {
    long_line(8 << 20);
}

#[test]
#[ignore = "takes a while"]
fn a_line_of_a_hundred_megabytes_is_skipped_and_the_rest_is_read() {
    long_line(100 << 20);
}

/// Puts a line of so many bytes before each line of a stream whose final message is told in one line.
fn long_line(length: usize) {
    let mut stream = EventStream::new(Protocol::Claude, &Secrets::default());
    let mut all = Vec::new();
    let piece = [b'x'; 64 << 10];
    all.extend(stream.push(CLAUDE[0].as_bytes()));
    all.extend(stream.push(b"\n{\"type\":\"result\",\"is_error\":false,\"result\":\""));
    for _ in 0..length / piece.len() {
        all.extend(stream.push(&piece));
        assert!(stream.held() <= 4 << 20, "{} bytes are held", stream.held());
    }
    all.extend(stream.push(b"\\n\\nAPPROVED\"}\n"));
    all.extend(stream.push(CLAUDE[5].as_bytes()));
    all.extend(stream.end(true));
    assert_eq!(all.last(), Some(&last(LAST_WORD)));
    assert_eq!(all.iter().filter(|event| matches!(event, AgentEvent::Final(_))).count(), 1);
}
