//! Why an agent could not work.

use chrono::{DateTime, Utc};

use crate::process::Shortage;

/// Why an agent could not work. This does not count as an attempt (docs/agents.md).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unavailable {
    /// The cause.
    pub cause: Cause,
    /// The line in which it said so, without control characters, at most 200 characters; may be empty. If the cause is in the
    /// environment, a clause without its subject.
    pub said: String,
}

impl Unavailable {
    /// A trouble of the environment, told by a clause without its subject.
    pub(super) fn by(trouble: Trouble, said: impl Into<String>) -> Self {
        Self { cause: Cause::Environment(trouble), said: said.into() }
    }

    /// What happened to the runner of this name, as a clause.
    #[must_use]
    pub fn words(&self, name: &str) -> String {
        let what = match self.cause {
            Cause::Limit { .. } => format!("{name} has hit its usage limit"),
            Cause::NotLoggedIn => format!("{name} is not logged in"),
            Cause::NoCredit => format!("{name} has no credit left"),
            Cause::Refused => format!("the service of {name} refuses the request"),
            Cause::Service => format!("the service of {name} does not answer"),
            Cause::Environment(_) => return format!("{name} {}", self.said),
        };
        if self.said.is_empty() { what } else { format!("{what} (it says: {})", self.said) }
    }
}

/// Why an agent could not work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    /// A rate or usage limit.
    Limit {
        /// When it can work again at the latest, if it said so clearly.
        resets: Option<DateTime<Utc>>,
    },
    /// It is not logged in, or its login has expired.
    NotLoggedIn,
    /// Its credit is used up, so waiting does not help.
    NoCredit,
    /// Its service refuses the request as it is, for example because there is no such model, or the conversation has become longer
    /// than the model can take.
    Refused,
    /// The service behind it is overloaded, out of order or out of reach, or nothing has come from it for a long time.
    Service,
    /// Its program, or the machine on which it runs.
    Environment(Trouble),
}

/// What is wrong with the program of an agent, or with the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// The program is missing, cannot be executed, or has ended before it did anything.
    NotStarted,
    /// The machine is short of something.
    Machine(Shortage),
    /// The program was killed, broke off, or ended without a final message.
    BrokeOff,
    /// It was not allowed to use a tool without which it cannot work.
    Denied,
}

impl Cause {
    /// A limit of which nobody says when it resets.
    pub const LIMIT: Self = Self::Limit { resets: None };

    /// The same; of a limit that does not say so itself, one that resets at this time.
    pub(super) fn until(self, time: impl FnOnce() -> Option<DateTime<Utc>>) -> Self {
        match self {
            Self::Limit { resets: None } => Self::Limit { resets: time() },
            other => other,
        }
    }

    /// Whether it may be over after a while, without anybody's help.
    #[must_use]
    pub fn passes_by_itself(self) -> bool {
        matches!(self, Self::Limit { .. } | Self::Service)
    }

    /// Whether another agent steps in. On a machine that is short of something, it would fare no better.
    #[must_use]
    pub fn calls_for_fallback(self) -> bool {
        !matches!(self, Self::Environment(Trouble::Machine(_)))
    }

    /// Whether only a person can help, so that the agent is left alone for the rest of a run. All else may be over after a while,
    /// or with another task.
    #[must_use]
    pub fn needs_person(self) -> bool {
        matches!(self, Self::NotLoggedIn | Self::NoCredit | Self::Environment(Trouble::NotStarted))
    }
}
