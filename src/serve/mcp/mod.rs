//! The Model Context Protocol as this program speaks it over standard input and output: three tools and nothing else.
//!
//! This module is pure: it reads and writes messages, and decides what a message asks for. Both lifecycles are there, that
//! which begins with `initialize` (2025-06-18, 2025-11-25), and the one in which every request says for itself what it needs
//! to know (2026-07-28). A client may mix them.

mod fit;
mod message;
mod session;
mod tools;

pub use fit::fit;
pub use message::{INVALID_REQUEST, Reply, Request, RequestId, parse};
pub use session::{ClientSession, SessionAnswer, ToolCall};
pub use tools::Tool;
