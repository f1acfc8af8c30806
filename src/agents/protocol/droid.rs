//! Reads `droid exec --output-format stream-json`.
//!
//! `completion` ends the work well and holds the final message. There is no cost.

use serde_json::Value;

use super::answers::Answers;
use super::errors::error_in_words;
use super::fields::Fields;
use super::reader::{Ending, Reader};
use super::tools::{Edits, tool};
use crate::agents::event::{AgentError, AgentEvent};
use crate::record::{Tokens, Usage};

/// The tools that change the file that their parameters name.
const EDITORS: &[&str] = &["Create", "Edit", "MultiEdit", "ApplyPatch"];

/// Reads the stream.
#[derive(Debug, Default)]
pub(super) struct Droid {
    answers: Answers,
    edits: Edits,
    error: Option<AgentError>,
    last_word: Option<String>,
}

impl Reader for Droid {
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        match object.text("/type") {
            Some("system") if object.text("/subtype") == Some("init") => {
                events.extend(object.text("/session_id").map(|id| AgentEvent::Session(id.to_owned())));
            }
            Some("message") if object.text("/role") == Some("assistant") => {
                self.answers.heard(events);
                events.extend(object.text("/text").map(|text| AgentEvent::Message(text.to_owned())));
            }
            Some("tool_call") => self.tool_call(object, events),
            Some("tool_result") => {
                self.answers.asked();
                let succeeded = object.flag("/isError") == Some(false);
                events.extend(self.edits.end(object, "/id", succeeded));
            }
            Some("error") => self.error(object),
            Some("completion") => {
                events.extend(object.pointer("/usage").map(usage).map(AgentEvent::Usage));
                self.last_word = object.text("/finalText").map(str::to_owned);
                self.error = None;
            }
            _ => {}
        }
    }

    fn ending(&mut self, _exited_well: bool) -> Option<Ending> {
        let failed = self.error.take().map(Ending::Failed);
        failed.or_else(|| self.last_word.take().map(Ending::Final))
    }
}

impl Droid {
    fn tool_call(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        self.answers.heard(events);
        let name = object.text("/toolName").unwrap_or_default();
        let parameters = object.pointer("/parameters").unwrap_or(&Value::Null);
        events.push(tool(name, parameters));
        if let Some(id) = object.text("/id").filter(|_| EDITORS.contains(&name)) {
            self.edits.begin(id, parameters);
        }
    }

    /// The error of the program itself only says that there was one.
    fn error(&mut self, object: &Value) {
        if self.error.is_none() || object.text("/source") != Some("cli") {
            self.error = Some(error_in_words(object.text("/message").unwrap_or_default()));
        }
    }
}

fn usage(usage: &Value) -> Usage {
    let written = usage.count("/cache_creation_input_tokens").unwrap_or(0);
    let tokens = Tokens {
        input: usage.count("/input_tokens").map(|read| read.saturating_add(written)),
        output: usage.count("/output_tokens"),
        cached: usage.count("/cache_read_input_tokens"),
    };
    Usage { tokens, cost: None }
}
