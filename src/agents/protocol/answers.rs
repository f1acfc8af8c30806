//! Counts the answers of a model where the stream does not say where one ends.

use crate::agents::event::AgentEvent;

/// Whether an answer of the model is arriving. What the model says or calls after the result of a tool belongs to its
/// next answer.
#[derive(Debug, Default)]
pub(super) struct Answers {
    is_answering: bool,
}

impl Answers {
    /// The model has said something or called a tool.
    pub(super) fn heard(&mut self, events: &mut Vec<AgentEvent>) {
        if !std::mem::replace(&mut self.is_answering, true) {
            events.push(AgentEvent::Turn);
        }
    }

    /// The model is asked again, with the result of a tool.
    pub(super) fn asked(&mut self) {
        self.is_answering = false;
    }
}
