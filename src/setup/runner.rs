//! Which names of runners are known.

use crate::agents::AGENTS;
use crate::error::{Error, Kind, Result};
use crate::session::Session;
use crate::text::one_line;

/// Refuses a runner, or a list of runners that step in for each other, if one is not known.
pub(crate) fn check_runner(session: &Session, names: &str) -> Result<()> {
    let is_known = |name: &str| {
        AGENTS.iter().any(|agent| agent.name == name) || session.config.runner_command(name).is_some()
    };
    let Some(name) = names.split(',').map(str::trim).find(|name| !is_known(name)) else { return Ok(()) };
    let agents: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
    Err(Error::new(
        Kind::Input,
        format!("the agent `{}` is not known", one_line(name)),
        format!(
            "The known agents are {}. `git config arborist.runner.NAME.command COMMAND` defines another one.",
            agents.join(", ")
        ),
    ))
}
