//! What the lines of an output are, and how they are read.

use serde_json::Value;

use super::aider::Aider;
use super::bounded::Bounded;
use super::lines::Line;
use super::work::{Work, WorkEnding};
use crate::agents::event::AgentEvent;

/// How the objects of a stream are understood.
pub(super) struct Objects {
    /// Reads an object.
    pub(super) read: fn(&Value, &mut Work),
    /// A line could not be read; this is its beginning.
    pub(super) missed: fn(&str, &mut Work),
    /// Whether the last words are the final message only if the program exits with 0, or if an error that it has overcome explains
    /// its status.
    pub(super) needs_good_exit: bool,
}

impl Objects {
    /// Objects of which one tells how the work has ended, so that a line that could not be read does not matter.
    pub(super) const fn of(read: fn(&Value, &mut Work)) -> Self {
        Self { read, missed: |_, _| {}, needs_good_exit: false }
    }
}

/// What the lines are.
pub(super) enum Source {
    /// Plain text, and all of it.
    Text(Bounded),
    /// The text of aider.
    Aider(Aider),
    /// Objects.
    Objects(&'static Objects),
}

impl Source {
    /// Reads a line. Returns whether it may have been an event that could not be read.
    pub(super) fn read(&mut self, line: &Line<'_>, work: &mut Work) -> bool {
        let line_text = match line {
            Line::Whole(bytes) | Line::Beginning(bytes) => String::from_utf8_lossy(bytes),
        };
        let text = line_text.trim();
        match self {
            Self::Text(_) if text.is_empty() => {}
            Self::Text(_) => work.events.push(AgentEvent::Message(text.to_owned())),
            Self::Aider(aider) => match line {
                Line::Whole(_) => aider.read(line_text.trim_end(), work),
                Line::Beginning(_) => aider.missed(),
            },
            Self::Objects(objects) => match (line, serde_json::from_str(text)) {
                (Line::Whole(_), Ok(Value::Array(list))) => {
                    list.iter().for_each(|object| (objects.read)(object, work));
                }
                (Line::Whole(_), Ok(object)) => (objects.read)(&object, work),
                _ if looks_like_json(text) => {
                    (objects.missed)(text, work);
                    return true;
                }
                _ => {}
            },
        }
        false
    }

    /// How the work has ended, once the output has. `exited_well` tells whether the program has exited with 0.
    pub(super) fn ending(&mut self, work: &mut Work, exited_well: bool) -> Option<WorkEnding> {
        match self {
            Self::Text(all) => exited_well.then(|| WorkEnding::Final(std::mem::take(all).finish())),
            Self::Aider(aider) => aider.ending(exited_well),
            Self::Objects(objects) => {
                work.has_ended_well &= exited_well || work.has_overcome || !objects.needs_good_exit;
                work.ending()
            }
        }
    }
}

/// Whether a line that is not JSON may have been meant as JSON: its beginning, its end, or something that another program has
/// written into it. Other lines are warnings and the like.
fn looks_like_json(line: &str) -> bool {
    line.starts_with('{') || line.contains("{\"") || (line.ends_with('}') && line.contains('"'))
}
