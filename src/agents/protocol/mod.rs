//! Reads what agents print: text, or a stream of JSON objects, one per line. Every agent has its own stream; all of
//! them become [`AgentEvent`](super::AgentEvent)s.
//!
//! The output of an agent is data from outside. A line that is not JSON, an unknown event or a field of another type is
//! ignored, and a line that is too long is skipped. Only what the stream marks as the final message is one. What an agent
//! said before, what tools printed and what it quoted never is. Where the final message is on another line than the mark,
//! a line that could not be read takes it away, because it may have been the true one, unless a complete one follows.

mod aider;
mod bounded;
mod claude;
mod claude_like;
mod codex;
mod errors;
mod fields;
mod gemini;
mod lines;
mod named;
mod opencode;
mod others;
mod pi;
mod source;
mod stream;
mod work;

pub(super) use lines::{Line, Lines};
pub use named::Protocol;
pub use stream::EventStream;

#[cfg(test)]
mod tests;
