//! Reads `pi --print --mode json`.
//!
//! `agent_end` ends the work, unless it tries again after an error. The final message is that of the last turn, if the
//! model stopped by itself. pi exits with 0 after an error, too.

use serde_json::Value;

use super::errors::error_in_words;
use super::fields::Fields;
use super::reader::{Ending, LastWords, Reader};
use super::tools::{Edits, tool};
use super::totals::{Totals, known_cost};
use crate::agents::event::{AgentError, AgentEvent};
use crate::record::{Tokens, Usage};

/// The tools that change the file that their parameters name.
const EDITORS: &[&str] = &["edit", "write"];
/// How lines begin that may be long and tell nothing about the final message.
const NO_MESSAGE: &[&str] = &[
    "{\"type\":\"message_update\"",
    "{\"type\":\"message_end\",\"message\":{\"role\":\"toolResult\"",
    "{\"type\":\"message_start\"",
    "{\"type\":\"tool_execution_",
    "{\"type\":\"turn_end\"",
];

/// Reads the stream.
#[derive(Debug, Default)]
pub(super) struct Pi {
    words: LastWords,
    totals: Totals,
    edits: Edits,
    /// Whether the work has ended.
    has_ended: bool,
    /// Why the last answer is none.
    error: Option<AgentError>,
}

impl Reader for Pi {
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        match object.text("/type") {
            Some("session") => {
                events.extend(object.text("/id").map(|id| AgentEvent::Session(id.to_owned())));
            }
            Some("agent_start" | "turn_start") => self.has_ended = false,
            Some("message_end") if object.text("/message/role") == Some("assistant") => {
                self.answer(object.pointer("/message").unwrap_or(&Value::Null), events);
            }
            Some("tool_execution_start") => self.tool_start(object, events),
            Some("tool_execution_end") => {
                let succeeded = object.flag("/isError") == Some(false);
                events.extend(self.edits.end(object, "/toolCallId", succeeded));
            }
            Some("auto_retry_start") => {
                let words = object.text("/errorMessage").unwrap_or_default();
                events.push(AgentEvent::Retries(error_in_words(words)));
                self.error = None;
            }
            Some("auto_retry_end") if object.flag("/success") == Some(false) => {
                let words = object.text("/finalError").unwrap_or_default();
                self.error = Some(error_in_words(words));
            }
            Some("agent_end") => self.end(object),
            _ => {}
        }
    }

    fn missed(&mut self, beginning: &str) {
        if beginning.starts_with("{\"type\":\"agent_end\"") {
            self.has_ended = true;
        } else if !NO_MESSAGE.iter().any(|line| beginning.starts_with(line)) {
            self.words.lose();
        }
    }

    fn ending(&mut self, _exited_well: bool) -> Option<Ending> {
        if let Some(error) = self.error.take() {
            return Some(Ending::Failed(error));
        }
        let words = self.words.get().filter(|_| self.has_ended)?;
        Some(Ending::Final(words.to_owned()))
    }
}

impl Pi {
    /// The work has ended, unless it begins again. The object may repeat all messages.
    fn end(&mut self, object: &Value) {
        self.has_ended = true;
        let is_answer = |message: &&Value| message.text("/role") == Some("assistant");
        let Some(last) = object.list("/messages").iter().rfind(is_answer) else { return };
        match (last.text("/stopReason"), text_of(last)) {
            (Some("stop"), text) => self.words.are(&text),
            _ => self.words.forget(),
        }
    }

    fn answer(&mut self, message: &Value, events: &mut Vec<AgentEvent>) {
        self.words.forget();
        self.error = None;
        let text = text_of(message);
        if let Some(usage) = message.pointer("/usage") {
            self.totals.add(usage_of(usage));
            events.push(AgentEvent::Usage(self.totals.usage()));
        }
        match message.text("/stopReason") {
            Some("error" | "aborted") => {
                let words = message.text("/errorMessage").unwrap_or_default();
                self.error = Some(error_in_words(words));
                return;
            }
            Some("stop") => self.words.are(&text),
            _ => {}
        }
        events.push(AgentEvent::Turn);
        if !text.is_empty() {
            events.push(AgentEvent::Message(text));
        }
    }

    fn tool_start(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        let name = object.text("/toolName").unwrap_or_default();
        let parameters = object.pointer("/args").unwrap_or(&Value::Null);
        events.push(tool(name, parameters));
        if let Some(id) = object.text("/toolCallId").filter(|_| EDITORS.contains(&name)) {
            self.edits.begin(id, parameters);
        }
    }
}

/// What an answer says.
fn text_of(message: &Value) -> String {
    let parts = message.list("/content").iter().filter(|part| part.text("/type") == Some("text"));
    parts.filter_map(|part| part.text("/text")).collect::<Vec<_>>().join("\n")
}

fn usage_of(usage: &Value) -> Usage {
    let written = usage.count("/cacheWrite").unwrap_or(0);
    let tokens = Tokens {
        input: usage.count("/input").map(|read| read.saturating_add(written)),
        output: usage.count("/output"),
        cached: usage.count("/cacheRead"),
    };
    Usage { tokens, cost: usage.number("/cost/total").and_then(|dollars| known_cost(dollars, &tokens)) }
}
