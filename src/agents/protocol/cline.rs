//! Reads `cline --json`.
//!
//! `run_result` ends the work; `finishReason` tells how. Its `text` is the final message, or the error.

use serde_json::Value;

use super::errors::{error, error_in_words};
use super::fields::Fields;
use super::reader::{Ending, Reader};
use super::tools::{Edits, tool};
use super::totals::known_cost;
use crate::agents::event::{AgentError, AgentEvent, ErrorKind};
use crate::record::{Tokens, Usage};

/// The tools that change the file that their parameters name.
const EDITORS: &[&str] = &["editor", "write_to_file", "replace_in_file", "apply_patch"];

/// Reads the stream.
#[derive(Debug, Default)]
pub(super) struct Cline {
    session: String,
    edits: Edits,
    error: Option<AgentError>,
    ending: Option<Ending>,
}

impl Reader for Cline {
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        if let Some(session) = object.text("/taskId").filter(|session| *session != self.session) {
            session.clone_into(&mut self.session);
            events.push(AgentEvent::Session(session.to_owned()));
        }
        match object.text("/type") {
            Some("agent_event") => {
                self.event(object.pointer("/event").unwrap_or(&Value::Null), events);
            }
            Some("run_result") => self.result(object, events),
            _ => {}
        }
    }

    fn ending(&mut self, _exited_well: bool) -> Option<Ending> {
        self.ending.take().or_else(|| self.error.take().map(Ending::Failed))
    }
}

impl Cline {
    fn event(&mut self, event: &Value, events: &mut Vec<AgentEvent>) {
        match (event.text("/type"), event.text("/contentType")) {
            (Some("iteration_end"), _) => {
                events.push(AgentEvent::Turn);
                self.error = None;
            }
            (Some("content_end"), Some("text")) => {
                events.extend(event.text("/text").map(|text| AgentEvent::Message(text.to_owned())));
            }
            (Some("content_start"), Some("tool")) => self.tool_start(event, events),
            (Some("content_end"), Some("tool")) => {
                let succeeded = event.flag("/output/success") == Some(true);
                events.extend(self.edits.end(event, "/toolCallId", succeeded));
            }
            (Some("usage"), _) => {
                let names = ["totalInputTokens", "totalOutputTokens", "totalCacheReadTokens"];
                events.push(AgentEvent::Usage(usage(event, names)));
            }
            (Some("error"), _) => self.error(event, events),
            _ => {}
        }
    }

    fn tool_start(&mut self, event: &Value, events: &mut Vec<AgentEvent>) {
        let name = event.text("/toolName").unwrap_or_default();
        let input = event.pointer("/input").unwrap_or(&Value::Null);
        events.push(tool(name, input));
        if let Some(id) = event.text("/toolCallId").filter(|_| EDITORS.contains(&name)) {
            self.edits.begin(id, input);
        }
    }

    fn error(&mut self, event: &Value, events: &mut Vec<AgentEvent>) {
        let mut failure = error_in_words(event.text("/error/message").unwrap_or_default());
        let class = event.text("/errorClass").unwrap_or_default();
        failure.kind = failure.kind.or_else(|| error("", None, &[class]).kind);
        if event.flag("/recoverable") == Some(true) {
            events.push(AgentEvent::Retries(failure));
        } else {
            self.error = Some(failure);
        }
    }

    fn result(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        // All that it used includes the agents that it has started.
        let used = object.pointer("/aggregateUsage").or_else(|| object.pointer("/usage"));
        let names = ["inputTokens", "outputTokens", "cacheReadTokens"];
        events.extend(used.map(|used| AgentEvent::Usage(usage(used, names))));
        let text = object.text("/text");
        self.ending = match (object.text("/finishReason"), text) {
            (Some("completed"), text) => text.map(|text| Ending::Final(text.to_owned())),
            (reason, text) => {
                let said = || error_in_words(text.unwrap_or_default());
                let mut failure = self.error.take().unwrap_or_else(said);
                if reason == Some("max_iterations") {
                    failure.kind = Some(ErrorKind::TurnLimit);
                }
                Some(Ending::Failed(failure))
            }
        };
    }
}

/// The input includes what came from a cache. `names` are those of input, output and cache.
fn usage(usage: &Value, names: [&str; 3]) -> Usage {
    let [input, output, cached] = names.map(|name| usage.count(&format!("/{name}")));
    let tokens = Tokens { input: input.map(|all| all.saturating_sub(cached.unwrap_or(0))), output, cached };
    Usage { tokens, cost: usage.number("/totalCost").and_then(|dollars| known_cost(dollars, &tokens)) }
}
