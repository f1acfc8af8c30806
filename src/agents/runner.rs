//! Chooses and finds runners. A runner is one of the known agents, or any command that git config defines as
//! `arborist.runner.<name>.command`.

use std::path::{Path, PathBuf};

use super::agent::{Agent, SchemaBy};
use super::lookup::Lookup;
use super::protocol::Protocol;
use super::session::PastSession;
use super::table::AGENTS;
use crate::config::{Config, Origin, Permissions, Setting, Value};
use crate::error::{Error, Kind, Result};
use crate::record::{Role, Usage};
use crate::suggest;
use crate::text::shell_word;

/// A runner that was found and can be started.
#[derive(Clone, Debug)]
pub struct Runner {
    name: String,
    pub(super) model: Option<String>,
    pub(super) program: Program,
    /// How much its model is to think, if that is chosen.
    pub(super) effort: Option<String>,
    /// Whether it works without asking for any permission, even where it could be kept to the work tree.
    pub(super) bypasses: bool,
    /// Where it was found.
    pub(super) lookup: Lookup,
}

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

impl Runner {
    /// The runner with the name that a setting has.
    pub(super) fn named(
        config: &Config,
        lookup: &Lookup,
        chosen: &Value,
        model: Option<String>,
        role: Role,
    ) -> Result<Self> {
        let name = chosen.text.clone();
        let program = match (config.runner_command(&name), Agent::named(&name)) {
            (Some(command), _) => program_of(&name, command, protocol_of(config, &name)?, lookup)?,
            (None, None) => return Err(unknown_runner(&name, config, &chosen.origin.to_string())),
            (None, Some(agent)) => match lookup.find(agent.program)? {
                Some(path) => Program::Agent(agent, path),
                None => {
                    let Agent { program, install, .. } = agent;
                    let origin = &chosen.origin;
                    let other = config.chooses_runner_for(role);
                    return Err(Error::new(
                        Kind::Environment,
                        format!(
                            "the runner {name} is not installed: no program {program} on PATH ({origin})"
                        ),
                        format!("Install it (`{install}`), or choose another with {other}."),
                    ));
                }
            },
        };
        let bypasses = config.choice(Setting::Permissions, Permissions::from_word) == Permissions::Bypass;
        let effort = config.effort_for(role);
        Ok(Self { name, model, program, effort, bypasses, lookup: lookup.clone() })
    }

    /// Whether its program lists an option.
    pub(super) fn lists(&self, option: &str) -> bool {
        self.agent().is_some_and(|agent| self.lookup.lists(agent, self.program(), option))
    }

    /// The places outside of the repository from which it takes instructions when it reviews.
    #[must_use]
    pub fn watched(&self) -> Vec<PathBuf> {
        let place = |agent: &'static Agent| {
            let watched = agent.watched.iter();
            watched.filter_map(|path| agent.state.place(path, &self.lookup.environment))
        };
        self.agent().into_iter().flat_map(place).collect()
    }

    /// The name of the first agent that is installed.
    pub(super) fn first_installed(config: &Config, lookup: &Lookup) -> Result<Value> {
        for agent in defaults() {
            if lookup.find(agent.program)?.is_some() {
                return Ok(Value { text: agent.name.to_owned(), origin: Origin::Default });
            }
        }
        if let Some(name) = config.runner_names().next() {
            return Err(Error::new(
                Kind::Environment,
                "no runner is chosen, although the settings define some",
                format!("`git config arborist.runner {}` chooses one.", shell_word(name)),
            ));
        }
        let names: Vec<&str> = defaults().map(|agent| agent.name).collect();
        Err(Error::new(
            Kind::Environment,
            format!("no agent was found on PATH (looked for {})", names.join(", ")),
            format!(
                "Install one (for example `{}`), or use any command that reads a prompt from standard input:\n\
                 \x20 git config arborist.runner.mine.command 'my-agent --some-option'\n\
                 \x20 git config arborist.runner mine",
                AGENTS[0].install
            ),
        ))
    }

    /// The name, followed by a slash and the model if there is one, as in the `Arborist-Runner` trailer.
    #[must_use]
    pub fn label(&self) -> String {
        match &self.model {
            Some(model) => format!("{}/{model}", self.name),
            None => self.name.clone(),
        }
    }

    /// The model, if one is chosen.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.model.as_deref()
    }

    /// Whether it is a command of the user, run by the shell.
    #[must_use]
    pub fn is_command(&self) -> bool {
        self.agent().is_none()
    }

    /// The name of the agent; `None` for a command of the user.
    #[must_use]
    pub fn known_agent(&self) -> Option<&str> {
        (!self.is_command()).then_some(&*self.name)
    }

    /// The instructions for agents of any vendor that it reads by itself. What a command of the user reads is not known.
    #[must_use]
    pub fn reads(&self) -> &'static [&'static str] {
        self.agent().map_or(&[], |agent| agent.reads)
    }

    /// Its row of the table; `None` for a command of the user.
    pub(super) fn agent(&self) -> Option<&'static Agent> {
        match self.program {
            Program::Agent(agent, _) => Some(agent),
            Program::Command { .. } => None,
        }
    }

    /// Whether it can be bound to the schema of an answer.
    #[must_use]
    pub fn takes_schema(&self) -> bool {
        self.schema().is_some()
    }

    /// How it is bound to the schema of an answer; `None` if it cannot be.
    pub(super) fn schema(&self) -> Option<SchemaBy> {
        let (SchemaBy::Text(option) | SchemaBy::File(option)) = self.agent()?.schema?;
        self.agent()?.schema.filter(|_| self.lists(option))
    }

    /// How it reports what it does.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        match self.program {
            Program::Agent(agent, _) => agent.protocol,
            Program::Command { protocol, .. } => protocol,
        }
    }

    /// Whether it can continue a session.
    #[must_use]
    pub fn resumes(&self) -> bool {
        self.agent().is_some_and(|agent| agent.resume.is_some())
    }

    /// What it has reported about a session before, and counts again when it continues that session.
    #[must_use]
    pub fn counted_again(&self, session: &PastSession) -> Option<Usage> {
        session.counted_again(self.agent()?)
    }

    /// The program that is started.
    #[must_use]
    pub fn program(&self) -> &Path {
        match &self.program {
            Program::Agent(_, path) => path,
            Program::Command { shell, .. } => shell,
        }
    }

    /// Whether it refuses to work in this role as root, because it would not ask for permission.
    #[must_use]
    pub fn refuses_root(&self, role: Role) -> bool {
        self.agent().is_some_and(|agent| {
            let invocation = self.invocation(role, Path::new(""));
            let bypasses = invocation.args.iter().any(|arg| arg == "bypassPermissions");
            role != Role::Reviewer && !agent.works_as_root && bypasses
        })
    }

    /// The user's command, which the shell runs; `None` for a known agent.
    #[must_use]
    pub fn own_command(&self) -> Option<&str> {
        match &self.program {
            Program::Command { command, .. } => Some(command),
            Program::Agent(..) => None,
        }
    }

    /// The name, without a model. Runners of the same name share an account, which their limits and logins concern.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }
}

/// The agents that are looked for if none is configured.
fn defaults() -> impl Iterator<Item = &'static Agent> {
    AGENTS.iter().filter(|agent| agent.is_default)
}

fn unknown_runner(name: &str, config: &Config, origin: &str) -> Error {
    let agents = AGENTS.iter().map(|agent| agent.name);
    let known: Vec<&str> = agents.chain(config.runner_names()).collect();
    let hint = suggest::question(suggest::nearest(name, known.iter().copied()));
    Error::new(
        Kind::Input,
        format!("there is no runner named {name} ({origin}); the known runners are {}", known.join(", ")),
        format!(
            "{hint}Define it with `git config arborist.runner.{name}.command 'COMMAND'`, or choose a known one."
        ),
    )
}

/// A command of the user as a program.
fn program_of(name: &str, command: &str, protocol: Protocol, lookup: &Lookup) -> Result<Program> {
    if command.trim().is_empty() {
        return Err(Error::new(
            Kind::Input,
            format!("the command of the runner {name} is empty"),
            format!("Set it: `git config arborist.runner.{name}.command 'my-agent --some-option'`."),
        ));
    }
    let shell = lookup.shell()?;
    Ok(Program::Command { shell, command: command.to_owned(), protocol })
}

/// The stream that a command of the user prints; text unless git config names another.
fn protocol_of(config: &Config, runner: &str) -> Result<Protocol> {
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

#[cfg(test)]
mod tests;
