//! Reads `pi --print --mode json`.
//!
//! `agent_end` ends the work, unless it tries again after an error. The final message is that of the last turn, if the
//! model stopped by itself. pi exits with 0 after an error, too.

use serde_json::Value;

use super::errors::error_in_words;
use super::fields::{Fields, UsageFields};
use super::source::Objects;
use super::work::{ToolFields, Work};
use crate::agents::event::AgentEvent;

pub(super) const OBJECTS: Objects = Objects { read, missed, needs_good_exit: false };

const TOOL: ToolFields =
    ToolFields { name: "/toolName", input: "/args", id: "/toolCallId", editors: &["edit", "write"] };

const USAGE: UsageFields = UsageFields {
    input: "/input",
    output: "/output",
    cached: "/cacheRead",
    written: "/cacheWrite",
    cost: "/cost/total",
    ..UsageFields::NONE
};

/// How lines begin that may be long and tell nothing about the final message.
const NO_MESSAGE: &[&str] = &[
    "{\"type\":\"message_update\"",
    "{\"type\":\"message_end\",\"message\":{\"role\":\"toolResult\"",
    "{\"type\":\"message_start\"",
    "{\"type\":\"tool_execution_",
    "{\"type\":\"turn_end\"",
];

fn read(object: &Value, work: &mut Work) {
    match object.text("/type") {
        Some("session") => work.session(object.text("/id")),
        Some("agent_start" | "turn_start") => work.has_ended_well = false,
        Some("message_end") if object.text("/message/role") == Some("assistant") => {
            answer(object.pointer("/message").unwrap_or(&Value::Null), work);
        }
        Some("tool_execution_start") => work.calls(object, &TOOL),
        Some("tool_execution_end") => {
            work.call_ended(object.text("/toolCallId"), object.flag("/isError") == Some(false));
        }
        Some("auto_retry_start") => {
            let words = object.text("/errorMessage").unwrap_or_default();
            work.events.push(AgentEvent::Retries(error_in_words(words)));
            work.error = None;
        }
        Some("auto_retry_end") if object.flag("/success") == Some(false) => {
            work.fails(error_in_words(object.text("/finalError").unwrap_or_default()));
        }
        Some("agent_end") => end(object, work),
        _ => {}
    }
}

fn missed(beginning: &str, work: &mut Work) {
    if beginning.starts_with("{\"type\":\"agent_end\"") {
        work.has_ended_well = true;
    } else if !NO_MESSAGE.iter().any(|line| beginning.starts_with(line)) {
        work.words.lose();
    }
}

/// The work has ended, unless it begins again. The object may repeat all messages.
fn end(object: &Value, work: &mut Work) {
    work.has_ended_well = true;
    let is_answer = |message: &&Value| message.text("/role") == Some("assistant");
    let Some(last) = object.list("/messages").iter().rfind(is_answer) else { return };
    match (last.text("/stopReason"), text_of(last)) {
        (Some("stop"), text) => work.words.are(&text),
        _ => work.words.forget(),
    }
}

fn answer(message: &Value, work: &mut Work) {
    work.words.forget();
    work.error = None;
    let text = text_of(message);
    if let Some(usage) = message.pointer("/usage") {
        work.adds_usage(USAGE.of(usage));
    }
    match message.text("/stopReason") {
        Some("error" | "aborted") => {
            return work.fails(error_in_words(message.text("/errorMessage").unwrap_or_default()));
        }
        Some("stop") => work.words.are(&text),
        _ => {}
    }
    work.events.push(AgentEvent::Turn);
    work.says(Some(text.as_str()).filter(|text| !text.is_empty()));
}

/// What an answer says.
fn text_of(message: &Value) -> String {
    let parts = message.list("/content").iter().filter(|part| part.text("/type") == Some("text"));
    parts.filter_map(|part| part.text("/text")).collect::<Vec<_>>().join("\n")
}
