//! Reads `opencode run --format json`, and `kilo run --format json`, which prints the same.
//!
//! The work has ended well if the last step finished with the reason `stop`. The final message is the text of that step.

use chrono::Utc;
use serde_json::Value;

use super::errors::{error, error_in_words, resets_in_headers, status};
use super::fields::Fields;
use super::reader::{Ending, LastWords, Reader};
use super::tools::{path, tool};
use super::totals::{Totals, known_cost};
use crate::agents::event::{AgentError, AgentEvent, ErrorKind};
use crate::record::{Tokens, Usage};

/// The tools that change the file that their parameters name.
const EDITORS: &[&str] = &["edit", "write", "multiedit", "patch"];

/// Reads the stream.
#[derive(Debug, Default)]
pub(super) struct Opencode {
    session: String,
    words: LastWords,
    /// The message that the words belong to.
    message: String,
    /// Whether the last step has finished, and with it the work.
    has_stopped: bool,
    totals: Totals,
    /// Whether this step has said or done something.
    has_answered: bool,
    error: Option<AgentError>,
}

impl Reader for Opencode {
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        if let Some(session) = object.text("/sessionID").filter(|session| *session != self.session) {
            session.clone_into(&mut self.session);
            events.push(AgentEvent::Session(session.to_owned()));
        }
        match object.text("/type") {
            Some("step_start") => self.begin(object.text("/part/messageID").unwrap_or_default()),
            Some("text") => self.text(object, events),
            Some("tool_use") => self.tool_use(object, events),
            Some("step_finish") => self.step_finish(object, events),
            Some("error") => self.error = Some(failure(object.pointer("/error").unwrap_or(&Value::Null))),
            _ => {}
        }
    }

    fn missed(&mut self, beginning: &str) {
        if !beginning.starts_with("{\"type\":\"tool_use\"") {
            self.words.lose();
        }
    }

    fn ending(&mut self, exited_well: bool) -> Option<Ending> {
        if let Some(error) = self.error.take() {
            return Some(Ending::Failed(error));
        }
        let words = self.words.get().filter(|_| self.has_stopped && exited_well)?;
        Some(Ending::Final(words.to_owned()))
    }
}

impl Opencode {
    /// What follows belongs to this message, unless a later one has begun: their names are in order.
    fn begin(&mut self, message: &str) {
        if message < self.message.as_str() {
            return;
        }
        self.words.forget();
        self.has_stopped = false;
        message.clone_into(&mut self.message);
    }

    fn text(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        let Some(text) = object.text("/part/text") else { return };
        self.has_answered = true;
        events.push(AgentEvent::Message(text.to_owned()));
        let message = object.text("/part/messageID").unwrap_or_default();
        // What belongs to an earlier message is not the last word.
        if message < self.message.as_str() {
            return;
        }
        if message > self.message.as_str() {
            self.begin(message);
        }
        if self.words.get().is_some() {
            self.words.go_on("\n");
        }
        self.words.go_on(text);
    }

    fn tool_use(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        let name = object.text("/part/tool").unwrap_or_default();
        let input = object.pointer("/part/state/input").unwrap_or(&Value::Null);
        self.has_answered = true;
        events.push(tool(name, input));
        match object.text("/part/state/status") {
            Some("completed") if EDITORS.contains(&name) => {
                events.extend(path(input).map(|path| AgentEvent::FileChanged(path.to_owned())));
            }
            Some("error") if object.text("/part/state/error").is_some_and(is_refusal) => {
                events.push(AgentEvent::Denied(name.to_owned()));
            }
            _ => {}
        }
    }

    fn step_finish(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        // A service that answers nothing gives steps without anything in them.
        if std::mem::take(&mut self.has_answered) {
            events.push(AgentEvent::Turn);
        }
        self.totals.add(usage(object.pointer("/part").unwrap_or(&Value::Null)));
        events.push(AgentEvent::Usage(self.totals.usage()));
        let is_of_these_words = object.text("/part/messageID").is_none_or(|message| message == self.message);
        self.has_stopped = is_of_these_words && object.text("/part/reason") == Some("stop");
        // An error that it has got over.
        self.error = None;
    }
}

fn is_refusal(words: &str) -> bool {
    words.contains("rejected permission") || words.contains("prevents you from using this specific tool call")
}

fn failure(error_object: &Value) -> AgentError {
    let name = error_object.text("/name").unwrap_or_default();
    let message = error_object.text("/data/message").or_else(|| error_object.text("/message"));
    let message = message.unwrap_or(name);
    let body = error_object.text("/data/responseBody").map(error_in_words).unwrap_or_default();
    let status = status(error_object, "/data/statusCode");
    let mut failure = match status {
        Some(_) => error(message, status, &[name]),
        None => error_in_words(message),
    };
    if body.kind == Some(ErrorKind::NoCredit) {
        failure.kind = body.kind;
    }
    failure.kind =
        failure.kind.or_else(|| error(message, None, &[name]).kind).or(body.kind).or_else(|| {
            (error_object.flag("/data/isRetryable") == Some(true)).then_some(ErrorKind::Unreachable)
        });
    if let Some(headers) = error_object.pointer("/data/responseHeaders") {
        failure.resets = resets_in_headers(headers, Utc::now());
    }
    failure
}

/// The input does not include what came from a cache. Where the output does not include the reasoning, the total shows it.
fn usage(part: &Value) -> Usage {
    let count = |name: &str| part.count(&format!("/tokens/{name}"));
    let (input, said, cached) = (count("input"), count("output"), count("cache/read"));
    let written = count("cache/write").unwrap_or(0);
    let reasoned = count("reasoning").unwrap_or(0);
    let read = input.unwrap_or(0).saturating_add(cached.unwrap_or(0)).saturating_add(written);
    let output = said.map(|said| {
        let with_reasoning = said.saturating_add(reasoned);
        count("total").map_or(with_reasoning, |all| all.saturating_sub(read).clamp(said, with_reasoning))
    });
    let tokens = Tokens { input: input.map(|read| read.saturating_add(written)), output, cached };
    Usage { tokens, cost: part.number("/cost").and_then(|dollars| known_cost(dollars, &tokens)) }
}
