//! A command of the user as a runner.

use super::lookup::Lookup;
use super::program::Program;
use super::protocol::Protocol;
use crate::config::Config;
use crate::error::{Error, Kind, Result};
use crate::suggest;

/// A command of the user as a program.
pub(super) fn program(name: &str, command: &str, protocol: Protocol, lookup: &Lookup) -> Result<Program> {
    if command.trim().is_empty() {
        return Err(Error::new(
            Kind::Input,
            format!("the command of the runner {name} is empty"),
            format!("Set it: `git config arborist.runner.{name}.command 'my-agent --some-option'`."),
        ));
    }
    let shell = lookup.shell()?;
    Ok(Program::Command { shell, command: command.to_owned(), shown: command.to_owned(), protocol })
}

/// The stream that a command of the user prints; text unless git config names another.
pub(super) fn protocol(config: &Config, runner: &str) -> Result<Protocol> {
    let Some(name) = config.runner_protocol(runner) else { return Ok(Protocol::Text) };
    Protocol::named(name).ok_or_else(|| {
        let nearest = suggest::question(suggest::nearest(name, Protocol::NAMES.iter().copied()));
        Error::new(
            Kind::Input,
            format!("arborist.runner.{runner}.protocol is `{name}`, which is no protocol"),
            format!("{nearest}It must be one of: {}.", Protocol::NAMES.join(", ")),
        )
    })
}
