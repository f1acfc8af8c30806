//! Reads streams that look like that of claude, and differ in what they mean.

use serde_json::Value;

use super::claude::{self, ClaudeDialect};
use super::errors::error_in_words;
use super::fields::{Fields, UsageFields};
use super::source::Objects;
use super::work::{LastWords, Work, WorkEnding, tool};

/// `qwen --output-format stream-json`. If its service refuses or the connection breaks, it reports a success whose message is
/// the error, or ends in it.
pub(super) const QWEN: Objects = Objects::of(qwen);

/// `cursor-agent --print --output-format stream-json`. Its `result` repeats all that the agent has said, so only the end
/// of it, which was said after the last tool, is the final message. Tools have objects of their own.
pub(super) const CURSOR: Objects =
    Objects { read: cursor, missed: |_, work| work.words.lose(), needs_good_exit: false };

/// What begins an error that qwen reports as a success, as its message or at the end of it.
const QWEN_ERROR: &str = "[API Error:";

/// An answer comes in several objects with different names.
const QWEN_DIALECT: ClaudeDialect = ClaudeDialect {
    usage: UsageFields { input_includes_cached: true, ..claude::DIALECT.usage },
    names_answers: false,
    ..claude::DIALECT
};

fn qwen(object: &Value, work: &mut Work) {
    // The error takes the place of an answer.
    let is_error = || object.text("/message/content/0/text").is_some_and(|text| error_at_end(text).is_some());
    if object.text("/type") == Some("assistant") && is_error() {
        return;
    }
    claude::read(object, work, &QWEN_DIALECT);
    work.ending = work.ending.take().map(|ending| match ending {
        WorkEnding::Final(message) => match error_at_end(&message) {
            Some(error) => WorkEnding::Failed(error_in_words(error)),
            None if has_only_failed(object) => WorkEnding::Failed(error_in_words(&message)),
            None => WorkEnding::Final(message),
        },
        // The status is only in the words.
        WorkEnding::Failed(error) if error.kind.is_none() => {
            WorkEnding::Failed(error_in_words(&error.message))
        }
        ending @ WorkEnding::Failed(_) => ending,
    });
}

/// The error in the place of an answer, or at the end of one that has broken off.
fn error_at_end(message: &str) -> Option<&str> {
    let error = &message[message.rfind(QWEN_ERROR)?..];
    (error.len() == message.trim_start().len() || error.trim_end().ends_with(']')).then_some(error)
}

/// Whether all requests to the service have failed.
fn has_only_failed(result: &Value) -> bool {
    let Some(models) = result.pointer("/stats/models").and_then(Value::as_object) else { return false };
    let sum = |name: &str| models.values().filter_map(|model| model.count(name)).fold(0, u64::saturating_add);
    let failed = sum("/api/totalErrors");
    failed > 0 && failed == sum("/api/totalRequests")
}

/// What is said belongs together until a tool is called.
const CURSOR_DIALECT: ClaudeDialect = ClaudeDialect { said: LastWords::go_on, ..claude::DIALECT };

fn cursor(object: &Value, work: &mut Work) {
    if object.text("/type") != Some("tool_call") {
        claude::read(object, work, &CURSOR_DIALECT);
        if let Some(WorkEnding::Final(all)) = &work.ending
            && let Some(last) = work.words.get()
            && all.trim_end().ends_with(last.trim_end())
        {
            work.ending = Some(WorkEnding::Final(last.to_owned()));
        }
        return;
    }
    work.words.forget();
    // The call is in a field named `readToolCall` or similar.
    let calls = object.pointer("/tool_call").and_then(Value::as_object);
    let Some((name, call)) = calls.and_then(|calls| calls.iter().next()) else { return };
    match object.text("/subtype") {
        Some("started") => {
            let name = name.strip_suffix("ToolCall").unwrap_or(name);
            work.events.push(tool(name, call.pointer("/args").unwrap_or(&Value::Null)));
        }
        Some("completed") => {
            let edits = ["editToolCall", "writeToolCall", "deleteToolCall"].contains(&name.as_str());
            let has_changed = edits && call.pointer("/result/success").is_some();
            work.changed(call.text("/args/path").filter(|_| has_changed));
        }
        _ => {}
    }
}
