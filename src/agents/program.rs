//! The program of a runner, and what it gets from the environment in which it was found.

use std::path::PathBuf;

use super::agent::Agent;
use super::inspect::LoginSign;
use super::lookup::Lookup;
use super::protocol::Protocol;

/// The program of a runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Program {
    /// A known agent, and the absolute path of its program.
    Agent(&'static Agent, PathBuf),
    /// A command of a user.
    Command {
        /// The shell that runs it.
        shell: PathBuf,
        command: String,
        /// The stream that it prints.
        protocol: Protocol,
    },
}

/// What was found in the environment of a runner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct FoundEnvironment {
    /// Variables that it gets because the user has not set them.
    pub(super) env: Vec<(&'static str, &'static str)>,
    /// The same when it reviews.
    pub(super) review_env: Vec<(&'static str, &'static str)>,
    /// Whether there is nothing of a login, where it is known what there usually is.
    pub(super) has_no_login: bool,
}

impl FoundEnvironment {
    pub(super) fn of(agent: &Agent, lookup: &Lookup) -> Self {
        let unset = |variables: &[(&'static str, &'static str)]| {
            variables.iter().filter(|(name, _)| !lookup.environment.has(name)).copied().collect()
        };
        let has_no_login = matches!(agent.login_sign(&lookup.environment), Some(LoginSign::Nothing { .. }));
        Self { env: unset(agent.env), review_env: unset(agent.review_env), has_no_login }
    }
}
