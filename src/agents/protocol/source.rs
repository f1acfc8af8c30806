//! What the lines of an output are.

use serde_json::Value;

use super::aider::Aider;
use super::bounded::Bounded;
use super::lines::Line;
use super::reader::{Ending, Reader};
use crate::agents::event::AgentEvent;

/// What the lines are.
pub(super) enum Source {
    /// Plain text, and all of it.
    Text(Bounded),
    /// The text of aider.
    Aider(Aider),
    /// Objects.
    Objects(Box<dyn Reader>),
}

impl Source {
    /// Reads a line, and adds the events that it tells.
    pub(super) fn read(&mut self, line: &Line<'_>, events: &mut Vec<AgentEvent>) {
        let line_text = match line {
            Line::Whole(bytes) | Line::Beginning(bytes) => String::from_utf8_lossy(bytes),
        };
        let text = line_text.trim();
        match self {
            Self::Text(_) if text.is_empty() => {}
            Self::Text(_) => events.push(AgentEvent::Message(text.to_owned())),
            Self::Aider(aider) => match line {
                Line::Whole(_) => aider.read(line_text.trim_end(), events),
                Line::Beginning(_) => aider.missed(),
            },
            Self::Objects(reader) => match (line, serde_json::from_str(text)) {
                (Line::Whole(_), Ok(Value::Array(objects))) => {
                    objects.iter().for_each(|object| reader.read(object, events));
                }
                (Line::Whole(_), Ok(object)) => reader.read(&object, events),
                _ if looks_like_json(text) => reader.missed(text),
                _ => {}
            },
        }
    }

    /// How the work has ended, once the output has.
    pub(super) fn ending(&mut self, exited_well: bool) -> Option<Ending> {
        match self {
            Self::Text(all) => exited_well.then(|| Ending::Final(std::mem::take(all).finish())),
            Self::Aider(aider) => aider.ending(exited_well),
            Self::Objects(reader) => reader.ending(exited_well),
        }
    }
}

/// Whether a line that is no JSON was perhaps meant to be. Other lines are warnings and the like.
fn looks_like_json(line: &str) -> bool {
    line.starts_with('{') || line.ends_with('}') || line.contains("{\"")
}
