//! Reads `codex exec --json`.
//!
//! `turn.completed` and `turn.failed` decide how the work has ended. The final message is the last `agent_message`. An item
//! of type `error` may be a warning, and an `error` that says `Reconnecting` is a retry. Errors have no fields but their
//! words, which are those of codex itself.

use serde_json::Value;

use super::answers::Answers;
use super::errors::error_in_words;
use super::fields::Fields;
use super::reader::{Ending, LastWords, Reader};
use super::tools::tool;
use crate::agents::event::{AgentError, AgentEvent};
use crate::record::{Tokens, Usage};

/// Items that belong to tools, as they stand in a line that could not be read.
const TOOLS: &[&str] = &["command_execution", "file_change", "mcp_tool_call", "web_search"];
/// Other items that are no message.
const NO_MESSAGE: &[&str] = &["todo_list", "reasoning"];

/// Reads the stream.
#[derive(Debug, Default)]
pub(super) struct Codex {
    answers: Answers,
    words: LastWords,
    /// The number of the last item that is a message or a tool.
    last_item: Option<u64>,
    /// Whether the turn was completed.
    is_completed: bool,
    /// Why it failed.
    error: Option<AgentError>,
}

impl Reader for Codex {
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        match object.text("/type") {
            Some("thread.started") => {
                events.extend(object.text("/thread_id").map(|id| AgentEvent::Session(id.to_owned())));
            }
            Some("item.started") => self.started(object, events),
            Some("item.completed") => self.completed(object, events),
            Some("turn.completed") => {
                events.extend(object.pointer("/usage").map(usage).map(AgentEvent::Usage));
                self.is_completed = true;
                self.error = None;
            }
            Some("turn.failed") => {
                self.is_completed = false;
                self.error = Some(failure(object, "/error/message"));
            }
            Some("error") => self.error(failure(object, "/message"), events),
            _ => {}
        }
    }

    fn missed(&mut self, beginning: &str) {
        let is_one_of = |items: &[&str]| {
            beginning.starts_with('{')
                && items.iter().any(|item| beginning.contains(&format!("\"type\":\"{item}\"")))
        };
        if is_one_of(TOOLS) {
            self.words.forget();
        } else if !is_one_of(NO_MESSAGE) {
            self.words.lose();
        }
    }

    fn ending(&mut self, _exited_well: bool) -> Option<Ending> {
        if let Some(error) = self.error.take() {
            return Some(Ending::Failed(error));
        }
        let words = self.words.get().filter(|_| self.is_completed)?;
        Some(Ending::Final(words.to_owned()))
    }
}

impl Codex {
    fn started(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        let item = object.pointer("/item").unwrap_or(&Value::Null);
        let (name, subject) = match item.text("/type") {
            Some("command_execution") => ("shell", item),
            Some("mcp_tool_call") => {
                (item.text("/tool").unwrap_or_default(), item.pointer("/arguments").unwrap_or(item))
            }
            Some("web_search") => ("web_search", item),
            _ => return,
        };
        self.tool_called(item, events);
        events.push(tool(name, subject));
    }

    fn completed(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        let item = object.pointer("/item").unwrap_or(&Value::Null);
        match item.text("/type") {
            Some("agent_message") => {
                self.answers.heard(events);
                self.message(item, events);
            }
            Some("reasoning") => self.answers.heard(events),
            Some("file_change") => {
                self.tool_called(item, events);
                self.file_change(item, events);
            }
            Some("command_execution" | "mcp_tool_call" | "web_search") => {
                self.tool_called(item, events);
                if item.text("/status") == Some("declined") {
                    events.push(AgentEvent::Denied("shell".to_owned()));
                }
                self.answers.asked();
            }
            _ => {}
        }
    }

    fn message(&mut self, item: &Value, events: &mut Vec<AgentEvent>) {
        let Some(text) = item.text("/text") else { return };
        events.push(AgentEvent::Message(text.to_owned()));
        if self.is_last(item) {
            self.words.are(text);
        }
    }

    /// Whether this item is the last so far. Items are numbered, so one that arrives late is known.
    fn is_last(&mut self, item: &Value) -> bool {
        let number = item.text("/id").and_then(|id| id.strip_prefix("item_")?.parse().ok());
        let is_last = number >= self.last_item;
        self.last_item = self.last_item.max(number);
        is_last
    }

    /// What was said before a tool was called is not the final message.
    fn tool_called(&mut self, item: &Value, events: &mut Vec<AgentEvent>) {
        self.answers.heard(events);
        if self.is_last(item) {
            self.words.forget();
        }
    }

    fn file_change(&mut self, item: &Value, events: &mut Vec<AgentEvent>) {
        let paths: Vec<&str> =
            item.list("/changes").iter().filter_map(|change| change.text("/path")).collect();
        let subject = paths.join(" ");
        events.push(AgentEvent::Tool { name: "apply_patch".to_owned(), subject });
        if item.text("/status") == Some("completed") {
            events.extend(paths.into_iter().map(|path| AgentEvent::FileChanged(path.to_owned())));
        }
        self.answers.asked();
    }

    fn error(&mut self, error: AgentError, events: &mut Vec<AgentEvent>) {
        if error.message.starts_with("Reconnecting") {
            events.push(AgentEvent::Retries(error));
        } else {
            self.error = Some(error);
        }
    }
}

fn failure(object: &Value, words: &str) -> AgentError {
    error_in_words(object.text(words).unwrap_or_default())
}

/// The input includes what came from a cache.
fn usage(usage: &Value) -> Usage {
    let cached = usage.count("/cached_input_tokens");
    let input = usage.count("/input_tokens").map(|all| all.saturating_sub(cached.unwrap_or(0)));
    Usage { tokens: Tokens { input, output: usage.count("/output_tokens"), cached }, cost: None }
}
