//! Reads what agents print: text, or a stream of JSON objects, one per line. Four agents have a stream of their own; all of
//! them become [`AgentEvent`](super::AgentEvent)s.
//!
//! The output of an agent is data from outside. A line that is not JSON, an unknown event or a field of another type is
//! ignored, and a line that is too long is skipped. Only what the stream marks as the final message is one. What an agent
//! said before, what tools printed and what it quoted never is. Where the final message is on another line than the mark,
//! a line that could not be read takes it away, because it may have been the true one, unless a complete one follows.

mod claude;
mod codex;
mod gemini;
mod lines;
mod opencode;
mod stream;
mod work;

use serde_json::Value;

use super::event::AgentError;
pub(super) use lines::{Line, Lines};
pub use stream::EventStream;
use work::Work;

/// How an agent reports what it does, as `arborist.runner.NAME.protocol` says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// Plain text: all of standard output is the final message.
    Text,
    /// `claude --output-format stream-json`, which others print as well.
    Claude,
    /// `codex exec --json`
    Codex,
    /// `gemini --output-format stream-json`
    Gemini,
    /// `opencode run --format json`
    Opencode,
}

impl Protocol {
    /// The names of all protocols.
    pub const NAMES: [&'static str; 5] = ["text", "claude", "codex", "gemini", "opencode"];

    /// The protocol of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        let all = [Self::Text, Self::Claude, Self::Codex, Self::Gemini, Self::Opencode];
        all.into_iter().find(|protocol| protocol.name() == name)
    }

    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize]
    }

    /// Whether its stream tells when a tool begins and when it ends.
    pub(in crate::agents) fn tells_running_tools(self) -> bool {
        matches!(self, Self::Claude | Self::Codex | Self::Gemini)
    }

    /// The error in a line of standard error in which such an agent says that it waits for its service. The streams of the others
    /// tell that.
    pub(in crate::agents) fn wait_in(self, line: &str) -> Option<AgentError> {
        match self {
            Self::Gemini => gemini::wait(line),
            Self::Opencode => opencode::wait(line),
            Self::Text | Self::Claude | Self::Codex => None,
        }
    }

    /// Reads an object of its stream.
    fn read(self, object: &Value, work: &mut Work) {
        match self {
            Self::Text => {}
            Self::Claude => claude::read(object, work),
            Self::Codex => codex::read(object, work),
            Self::Gemini => gemini::read(object, work),
            Self::Opencode => opencode::read(object, work),
        }
    }
}

#[cfg(test)]
mod tests;
