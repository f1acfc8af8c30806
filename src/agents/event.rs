//! What agents report about their work while they work, in the same form for all agents.

use chrono::{DateTime, Utc};

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
    /// Its kind, if the agent names it.
    pub kind: Option<ErrorKind>,
    /// The status of the HTTP response of its service, if the agent names it.
    pub status: Option<u16>,
    /// When it makes sense to try again, if the agent says so.
    pub resets: Option<DateTime<Utc>>,
    /// Its words.
    pub message: String,
}

/// A kind of error, as a field of a stream or known words tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// A rate or usage limit.
    UsageLimit,
    /// The service does not answer, is overloaded, or the connection broke.
    Unreachable,
    /// There is no credit left.
    NoCredit,
    /// The agent is not logged in, or its login is not valid.
    NotLoggedIn,
    /// The service refuses the request as it is: for example, there is no such model.
    Refused,
    /// The conversation has become longer than the model can take.
    ContextTooLong,
    /// It refuses to run as root without asking for permission.
    NotAsRoot,
    /// A disk that it writes to is full.
    DiskFull,
    /// The machine is short of processes or memory.
    ShortMachine,
    /// The agent has used all turns that it may.
    TurnLimit,
    /// The agent has spent all that it may.
    BudgetLimit,
}

impl ErrorKind {
    /// The kind of error that the status of an HTTP response means; `None` if the response is no error.
    #[must_use]
    pub fn of_status(status: u16) -> Option<Self> {
        Some(match status {
            401 | 403 => Self::NotLoggedIn,
            402 => Self::NoCredit,
            429 => Self::UsageLimit,
            408 | 425 | 500..=599 => Self::Unreachable,
            400..=499 => Self::Refused,
            _ => return None,
        })
    }
}
