//! Reads `copilot --output-format json`.
//!
//! `result` ends the work; its `exitCode` tells whether it ended well. The final message is the last message that calls no
//! tool. Tokens and cost are not told, only requests.

use serde_json::Value;

use super::errors::{error, error_in_words, status};
use super::fields::Fields;
use super::order::Order;
use super::reader::{Ending, LastWords, Reader};
use super::tools::tool;
use crate::agents::event::{AgentError, AgentEvent};

/// How lines begin that may be long and tell nothing about the final message.
const NO_MESSAGE: &[&str] = &[
    "{\"type\":\"tool.",
    "{\"type\":\"session.",
    "{\"type\":\"user.",
    "{\"type\":\"model.",
    "{\"type\":\"assistant.tool_",
];

/// Reads the stream.
#[derive(Debug, Default)]
pub(super) struct Copilot {
    words: LastWords,
    order: Order,
    /// Why the last request has failed.
    request: Option<AgentError>,
    error: Option<AgentError>,
    exit_code: Option<u64>,
}

impl Reader for Copilot {
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        let data = object.pointer("/data").unwrap_or(&Value::Null);
        match object.text("/type") {
            Some("assistant.message") => self.message(object, events),
            Some("tool.execution_start") => {
                let arguments = data.pointer("/arguments").unwrap_or(&Value::Null);
                events.push(tool(data.text("/toolName").unwrap_or_default(), arguments));
            }
            Some("tool.execution_complete") if data.flag("/success") == Some(true) => {
                let paths = data.list("/fileEdits").iter().filter_map(|edit| edit.text("/path"));
                events.extend(paths.map(|path| AgentEvent::FileChanged(path.to_owned())));
            }
            Some("model.call_failure") => self.request = Some(request_failure(data)),
            Some("assistant.turn_retry") => {
                let reason = data.text("/reason").unwrap_or_default();
                let failed = self.request.take().unwrap_or_else(|| error(reason, None, &[reason]));
                events.push(AgentEvent::Retries(failed));
            }
            Some("session.error") => self.error = Some(self.failure(data)),
            Some("result") => self.result(object, events),
            _ => {}
        }
    }

    fn missed(&mut self, beginning: &str) {
        if !NO_MESSAGE.iter().any(|line| beginning.starts_with(line)) {
            self.words.lose();
        }
    }

    fn ending(&mut self, _exited_well: bool) -> Option<Ending> {
        match (self.exit_code, self.error.take()) {
            (Some(0), _) => self.words.get().map(|words| Ending::Final(words.to_owned())),
            (_, Some(error)) => Some(Ending::Failed(error)),
            (Some(_), None) => Some(Ending::Failed(self.request.take().unwrap_or_default())),
            (None, None) => None,
        }
    }
}

impl Copilot {
    fn message(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        // What the agents say that this one has started is only for this one.
        if object.text("/data/parentToolCallId").or_else(|| object.text("/agentId")).is_some() {
            return;
        }
        events.push(AgentEvent::Turn);
        self.error = None;
        let text = object.text("/data/content").unwrap_or_default();
        if !text.is_empty() {
            events.push(AgentEvent::Message(text.to_owned()));
        }
        match (self.order.keeps(object, "/timestamp"), object.list("/data/toolRequests")) {
            (false, _) => self.words.lose(),
            (true, []) => self.words.are(text),
            (true, _) => self.words.forget(),
        }
    }

    fn failure(&mut self, data: &Value) -> AgentError {
        let message = data.text("/message").unwrap_or_default();
        let name = data.text("/errorType").unwrap_or_default();
        let mut failure = error(message, status(data, "/statusCode"), &[name]);
        let request = self.request.take().filter(|request| request.status == failure.status);
        failure.resets = request.and_then(|request| request.resets);
        failure
    }

    fn result(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        events.extend(object.text("/sessionId").map(|id| AgentEvent::Session(id.to_owned())));
        self.exit_code = object.count("/exitCode");
    }
}

fn request_failure(data: &Value) -> AgentError {
    let words = error_in_words(data.text("/errorMessage").unwrap_or_default());
    let names = ["/errorCode", "/errorType"].map(|place| data.text(place).unwrap_or_default());
    let failure = error(&words.message, status(data, "/statusCode"), &names);
    AgentError { resets: words.resets, ..failure }
}
