//! Reads `gemini --output-format stream-json`.
//!
//! `result` tells how the work has ended. The final message is what the model has said after the last tool, in pieces.

use serde_json::Value;

use super::answers::Answers;
use super::errors::{error_in_words, kind_of_name};
use super::fields::Fields;
use super::order::Order;
use super::reader::{Ending, LastWords, Reader};
use super::tools::{Edits, tool};
use crate::agents::event::{AgentError, AgentEvent, ErrorKind};
use crate::record::{Tokens, Usage};

/// The tools that change the file that their parameters name.
const EDITORS: &[&str] = &["write_file", "replace", "edit"];

/// Reads the stream.
#[derive(Debug, Default)]
pub(super) struct Gemini {
    answers: Answers,
    words: LastWords,
    edits: Edits,
    order: Order,
    /// The last error that is no warning.
    error: Option<AgentError>,
    /// Whether the result is a success, and nothing came after it.
    is_successful: bool,
    /// Why it is none.
    failure: Option<AgentError>,
}

impl Reader for Gemini {
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        match object.text("/type") {
            Some("init") => {
                events.extend(object.text("/session_id").map(|id| AgentEvent::Session(id.to_owned())));
            }
            Some("message") if object.text("/role") == Some("assistant") => self.message(object, events),
            Some("tool_use") => self.tool_use(object, events),
            Some("tool_result") => self.tool_result(object, events),
            Some("error") if object.text("/severity") != Some("warning") => {
                self.error = Some(error_in_words(object.text("/message").unwrap_or_default()));
            }
            Some("result") => self.result(object, events),
            _ => {}
        }
    }

    fn missed(&mut self, beginning: &str) {
        if beginning.starts_with("{\"type\":\"tool_result\"") {
            self.words.forget();
        } else {
            self.words.lose();
        }
    }

    fn ending(&mut self, _exited_well: bool) -> Option<Ending> {
        if let (true, Some(words)) = (self.is_successful, self.words.get()) {
            return Some(Ending::Final(words.to_owned()));
        }
        self.failure.take().or_else(|| self.error.take()).map(Ending::Failed)
    }
}

impl Gemini {
    fn message(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        let Some(text) = object.text("/content") else { return };
        self.answers.heard(events);
        self.is_successful = false;
        match (self.order.keeps(object, "/timestamp"), object.flag("/delta")) {
            (false, _) => self.words.lose(),
            (true, Some(true)) => self.words.go_on(text),
            (true, _) => self.words.are(text),
        }
    }

    /// What was said before this object, which belongs to a tool, is not the final message.
    fn not_the_last_word(&mut self, object: &Value) {
        if self.order.keeps(object, "/timestamp") {
            self.words.forget();
        } else {
            self.words.lose();
        }
        self.is_successful = false;
    }

    fn tool_use(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        self.answers.heard(events);
        events.extend(self.words.get().map(|said| AgentEvent::Message(said.to_owned())));
        self.not_the_last_word(object);
        let name = object.text("/tool_name").unwrap_or_default();
        let parameters = object.pointer("/parameters").unwrap_or(&Value::Null);
        events.push(tool(name, parameters));
        if let Some(id) = object.text("/tool_id").filter(|_| EDITORS.contains(&name)) {
            self.edits.begin(id, parameters);
        }
    }

    fn tool_result(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        self.answers.asked();
        self.not_the_last_word(object);
        let succeeded = object.text("/status") == Some("success");
        events.extend(self.edits.end(object, "/tool_id", succeeded));
        let denied = ["policy_violation", "execution_denied"];
        if object.text("/error/type").is_some_and(|kind| denied.contains(&kind)) {
            events.push(AgentEvent::Denied(object.text("/tool_id").unwrap_or_default().to_owned()));
        }
    }

    fn result(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        events.extend(object.pointer("/stats").map(usage).map(AgentEvent::Usage));
        self.is_successful = object.text("/status") == Some("success");
        if !self.is_successful {
            self.failure = Some(self.failure(object));
        }
    }

    fn failure(&mut self, object: &Value) -> AgentError {
        let mut failure = object.text("/error/message").map_or_else(AgentError::default, error_in_words);
        let earlier = self.error.take().unwrap_or_default();
        if failure.message.is_empty() {
            failure.message = earlier.message;
        }
        failure.kind = failure.kind.or(earlier.kind).or_else(|| kind_of_name(object.text("/error/type")?));
        if object.text("/error/type").and_then(kind_of_name) == Some(ErrorKind::TurnLimit) {
            failure.kind = Some(ErrorKind::TurnLimit);
        }
        failure.status = failure.status.or(earlier.status);
        failure
    }
}

/// The input includes what came from a cache, and the output does not include the thoughts.
fn usage(stats: &Value) -> Usage {
    let all_input = stats.count("/input_tokens");
    let cached = stats.count("/cached");
    let said = stats.count("/output_tokens");
    let thought = || stats.count("/total_tokens")?.checked_sub(all_input?);
    let tokens = Tokens {
        input: all_input.map(|all| all.saturating_sub(cached.unwrap_or(0))),
        output: said.map(|said| thought().map_or(said, |all| all.max(said))),
        cached,
    };
    Usage { tokens, cost: None }
}
