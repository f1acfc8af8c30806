//! Sessions of agents that a later call may continue. They lie beside the outputs of their calls.

use serde::{Deserialize, Serialize};

use super::activity::Activity;
use super::agent::Agent;
use crate::record::Usage;

/// The longest name of a session.
const LONGEST: usize = 200;

/// A session of an agent that a later call may continue.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PastSession {
    /// Its name, which is safe as an argument.
    name: String,
    /// What it has used, as the agent has reported that; unknown what it has not reported.
    reported: Usage,
}

impl PastSession {
    /// The session of a call that has just ended; `None` if the agent has not named it.
    #[must_use]
    pub fn of_activity(activity: &Activity) -> Option<Self> {
        let name = activity.session.clone().filter(|name| is_name(name))?;
        Some(Self { name, reported: activity.usage })
    }

    /// Its name.
    pub(super) fn name(&self) -> &str {
        &self.name
    }

    /// The session, unless its name cannot be one: it was read from a file.
    pub(super) fn checked(self) -> Option<Self> {
        is_name(&self.name).then_some(self)
    }

    /// The arguments with which an agent continues it; none if the agent cannot.
    pub(super) fn arguments(&self, agent: &Agent) -> Option<[String; 2]> {
        Some([agent.resume?.word.to_owned(), self.name.clone()])
    }

    /// What an agent has reported before, and counts again when it continues this session.
    pub(super) fn counted_again(&self, agent: &Agent) -> Option<Usage> {
        agent.resume?.counts_again.then_some(self.reported)
    }
}

/// Whether this can be the name of a session. It comes from the output of an agent, and must not be an option.
fn is_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    name.len() <= LONGEST
        && name.bytes().all(fits)
        && name.starts_with(|first: char| first.is_ascii_alphanumeric())
}
