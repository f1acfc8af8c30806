//! Reads streams that look like that of claude, and differ in what they mean.

use serde_json::Value;

use super::claude::{Claude, Dialect};
use super::errors::error_in_words;
use super::fields::Fields;
use super::reader::{Ending, LastWords, Reader};
use super::tools::tool;
use crate::agents::event::AgentEvent;

/// What begins an error that qwen reports as a success, as its message or at the end of it.
const QWEN_ERROR: &str = "[API Error:";

/// `qwen --output-format stream-json`. If its service refuses or the connection breaks, it reports a success whose message is
/// the error, or ends in it.
#[derive(Debug)]
pub(super) struct Qwen {
    stream: Claude,
    has_only_failed: bool,
}

impl Default for Qwen {
    fn default() -> Self {
        Self { stream: Claude::of(Dialect::Qwen), has_only_failed: false }
    }
}

impl Reader for Qwen {
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        match object.text("/type") {
            // The error stands in the place of an answer.
            Some("assistant") if object.text("/message/content/0/text").and_then(error_at_end).is_some() => {
                return;
            }
            Some("result") => self.has_only_failed = has_only_failed(object),
            _ => {}
        }
        self.stream.read(object, events);
    }

    fn ending(&mut self, exited_well: bool) -> Option<Ending> {
        Some(match self.stream.ending(exited_well)? {
            Ending::Final(message) => match error_at_end(&message) {
                Some(error) => Ending::Failed(error_in_words(error)),
                None if self.has_only_failed => Ending::Failed(error_in_words(&message)),
                None => Ending::Final(message),
            },
            // The status is only in the words.
            Ending::Failed(error) if error.kind.is_none() => Ending::Failed(error_in_words(&error.message)),
            ending @ Ending::Failed(_) => ending,
        })
    }
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

/// `cursor-agent --print --output-format stream-json`. Its `result` repeats all that the agent has said, so only the end
/// of it, which was said after the last tool, is the final message. Tools have objects of their own.
#[derive(Debug, Default)]
pub(super) struct Cursor {
    stream: Claude,
    words: LastWords,
}

impl Reader for Cursor {
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        match object.text("/type") {
            Some("tool_call") => {
                self.words.forget();
                if object.text("/subtype") == Some("started") {
                    events.extend(called(object));
                }
                if object.text("/subtype") == Some("completed") {
                    events.extend(changed(object));
                }
            }
            Some("assistant") => {
                for part in object.list("/message/content") {
                    part.text("/text").into_iter().for_each(|text| self.words.go_on(text));
                }
                self.stream.read(object, events);
            }
            _ => self.stream.read(object, events),
        }
    }

    fn missed(&mut self, _beginning: &str) {
        self.words.lose();
    }

    fn ending(&mut self, exited_well: bool) -> Option<Ending> {
        Some(match (self.stream.ending(exited_well)?, self.words.get()) {
            (Ending::Final(all), Some(last)) if all.trim_end().ends_with(last.trim_end()) => {
                Ending::Final(last.to_owned())
            }
            (ending, _) => ending,
        })
    }
}

/// The call of a tool, which is in a field named `readToolCall` or similar.
fn called(object: &Value) -> Option<AgentEvent> {
    let (name, call) = object.pointer("/tool_call")?.as_object()?.iter().next()?;
    let name = name.strip_suffix("ToolCall").unwrap_or(name);
    Some(tool(name, call.pointer("/args").unwrap_or(&Value::Null)))
}

/// The file that a tool has changed.
fn changed(object: &Value) -> Option<AgentEvent> {
    let (name, call) = object.pointer("/tool_call")?.as_object()?.iter().next()?;
    let edits = ["editToolCall", "writeToolCall", "deleteToolCall"].contains(&name.as_str());
    let path = call.text("/args/path").filter(|_| edits && call.pointer("/result/success").is_some())?;
    Some(AgentEvent::FileChanged(path.to_owned()))
}
