//! Reads `vibe --prompt --output streaming`.
//!
//! Nothing in the stream marks its end, so the last message is the final one if no tool was used after it and the program
//! exits with 0. Errors are not in the stream, and neither are tokens and cost.

use serde_json::Value;

use super::answers::Answers;
use super::fields::Fields;
use super::order::Order;
use super::reader::{Ending, LastWords, Reader};
use super::tools::{path, tool};
use crate::agents::event::AgentEvent;

/// Reads the stream.
#[derive(Debug, Default)]
pub(super) struct Vibe {
    session: String,
    answers: Answers,
    order: Order,
    words: LastWords,
}

impl Reader for Vibe {
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        if let Some(session) = object.text("/sessionId").filter(|session| *session != self.session) {
            session.clone_into(&mut self.session);
            events.push(AgentEvent::Session(session.to_owned()));
        }
        match (object.text("/type"), object.text("/role")) {
            (Some("message"), Some("assistant")) => self.message(object, events),
            (Some("effect"), _) => self.effect(object, events),
            _ => {}
        }
    }

    fn missed(&mut self, _beginning: &str) {
        self.words.lose();
    }

    fn ending(&mut self, exited_well: bool) -> Option<Ending> {
        let words = self.words.get().filter(|_| exited_well)?;
        Some(Ending::Final(words.to_owned()))
    }
}

impl Vibe {
    fn message(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        let parts = object.list("/content").iter().filter_map(|part| part.text("/text"));
        let text = parts.collect::<Vec<_>>().join("\n");
        self.answers.heard(events);
        events.push(AgentEvent::Message(text.clone()));
        if self.order.keeps(object, "/createdAt") {
            self.words.are(&text);
        } else {
            self.words.lose();
        }
    }

    fn effect(&mut self, object: &Value, events: &mut Vec<AgentEvent>) {
        self.answers.heard(events);
        self.answers.asked();
        if self.order.keeps(object, "/createdAt") {
            self.words.forget();
        } else {
            self.words.lose();
        }
        let input = object.pointer("/detail/input").unwrap_or(&Value::Null);
        events.push(tool(object.text("/detail/toolName").unwrap_or_default(), input));
        let is_change = matches!(object.text("/detail/kind"), Some("file_write" | "file_edit"));
        if is_change && object.text("/state/status") == Some("completed") {
            events.extend(path(input).map(|path| AgentEvent::FileChanged(path.to_owned())));
        }
    }
}
