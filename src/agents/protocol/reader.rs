//! What the reader of a stream does.

use serde_json::Value;

use crate::agents::event::{AgentError, AgentEvent};

/// How the work of an agent has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// Well, with this final message.
    Final(String),
    /// It failed.
    Failed(AgentError),
}

/// Understands the objects of one stream. It remembers what later objects need, in bounded memory.
pub(super) trait Reader {
    /// Reads an object of the stream, and adds the events that it tells.
    fn read(&mut self, object: &Value, events: &mut Vec<AgentEvent>);

    /// A line could not be read. This is its beginning.
    fn missed(&mut self, _beginning: &str) {}

    /// How the work has ended, once the stream has; `None` if the stream does not tell. `exited_well` tells whether the
    /// program has exited with 0.
    fn ending(&mut self, exited_well: bool) -> Option<Ending>;
}

/// The longest message that is put together, in bytes.
const LONGEST: usize = 4 << 20;

/// The last words of an agent so far, for streams that mark the end of the work on another line.
#[derive(Debug, Default)]
pub(super) enum LastWords {
    /// It has said nothing since the last tool.
    #[default]
    None,
    /// These.
    Said(String),
    /// Nobody knows, and nobody ever will: some words are missing, or they are not in order.
    Unknown,
}

impl LastWords {
    /// They are these, and no earlier ones.
    pub(super) fn are(&mut self, text: &str) {
        self.forget();
        self.go_on(text);
    }

    /// They go on like this.
    pub(super) fn go_on(&mut self, text: &str) {
        match self {
            Self::None if text.len() <= LONGEST => *self = Self::Said(text.to_owned()),
            Self::Said(said) if said.len() + text.len() <= LONGEST => said.push_str(text),
            Self::None | Self::Said(_) | Self::Unknown => *self = Self::Unknown,
        }
    }

    /// What was said so far was not the last.
    pub(super) fn forget(&mut self) {
        if matches!(self, Self::Said(_)) {
            *self = Self::None;
        }
    }

    /// Some of them are missing, or they are not in order.
    pub(super) fn lose(&mut self) {
        *self = Self::Unknown;
    }

    /// The words, unless there are none.
    pub(super) fn get(&self) -> Option<&str> {
        match self {
            Self::Said(said) => Some(said.as_str()).filter(|said| !said.trim().is_empty()),
            Self::None | Self::Unknown => None,
        }
    }
}
