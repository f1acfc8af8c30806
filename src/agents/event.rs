//! What agents report about their work while they work, in the same form for all agents.

use chrono::{DateTime, Utc};

use super::cause::Cause;
use crate::record::Usage;

/// Something that an agent has told. All texts are clean and without secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AgentEvent {
    /// The name by which the agent can continue this session.
    Session(String),
    /// It said something, which is not yet its last word.
    Message(String),
    /// A turn was completed: the model has answered.
    Turn,
    /// It called a tool.
    Tool {
        /// The tool, as the agent calls it.
        name: String,
        /// What it was called for, in a few words, for example a path or a command; may be empty.
        subject: String,
    },
    /// It changed the file at this path.
    FileChanged(String),
    /// All that it has used so far.
    Usage(Usage),
    /// It has hit a rate or usage limit.
    Limit {
        /// When it can work again, if it says so.
        resets: Option<DateTime<Utc>>,
    },
    /// It was not allowed to use this tool.
    Denied(String),
    /// Its call of the service failed, and it may try again.
    Retries(AgentError),
    /// It failed.
    Error(AgentError),
    /// Its final message. It has ended well.
    Final(String),
}

/// An error that an agent reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentError {
    /// What keeps it from working, if a field or known words tell.
    pub cause: Option<Cause>,
    /// Whether it has used all turns or dollars that it was given, so that the error is its own.
    pub is_used_up: bool,
    /// Its words.
    pub message: String,
}
