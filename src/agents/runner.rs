//! Chooses and finds runners. A runner is one of the known agents, or any command that git config defines as
//! `arborist.runner.<name>.command`.

use std::path::{Path, PathBuf};

use super::agent::Agent;
use super::lookup::Lookup;
use super::protocol::Protocol;
use super::session::PastSession;
use super::table::AGENTS;
use super::zone::LocalZone;
use crate::config::{Config, Value};
use crate::error::{Error, Kind, Result};
use crate::record::{Role, Usage};
use crate::suggest;
use crate::text::shell_word;

/// A runner that was found and can be started.
#[derive(Clone, Debug, PartialEq)]
pub struct Runner {
    name: String,
    pub(super) model: Option<String>,
    pub(super) program: Program,
    /// How much its model is to think, if that is chosen.
    pub(super) effort: Option<String>,
    /// What its program says of its options, if that was asked.
    pub(super) help: Option<String>,
    /// Whether it works without asking for any permission, even where it could be kept to the work tree.
    pub(super) bypasses: bool,
    /// The time zone in which it names times of day.
    pub(super) zone: LocalZone,
    /// Variables that it gets because the user has not set them.
    pub(super) env: Vec<(&'static str, &'static str)>,
    /// Further ones when it reviews.
    pub(super) review_env: Vec<(&'static str, &'static str)>,
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
        if let Some(command) = config.runner_command(&name) {
            let protocol = protocol_of(config, &name)?;
            let program = program_of(&name, command, protocol, lookup)?;
            return Ok(Self::new(name, model, program, lookup));
        }
        let Some(agent) = Agent::named(&name) else {
            return Err(unknown_runner(&name, config, &chosen.origin.to_string()));
        };
        match lookup.find(agent.program)? {
            Some(path) => Ok(Self::new(name, model, Program::Agent(agent, path), lookup)),
            None => Err(Error::new(
                Kind::Environment,
                format!(
                    "the runner {name} is not installed: no program {} on PATH ({})",
                    agent.program, chosen.origin
                ),
                format!(
                    "Install it (`{}`), or choose another with {}.",
                    agent.install,
                    config.chooses_runner_for(role)
                ),
            )),
        }
    }

    fn new(name: String, model: Option<String>, program: Program, lookup: &Lookup) -> Self {
        let unset = |variables: &[(&'static str, &'static str)]| -> Vec<_> {
            variables.iter().filter(|(name, _)| !lookup.environment.has(name)).copied().collect()
        };
        let (env, review_env) = match &program {
            Program::Agent(agent, _) => (unset(agent.env), unset(agent.review_env)),
            Program::Command { .. } => (Vec::new(), Vec::new()),
        };
        let zone = LocalZone::of(&lookup.environment);
        Self { name, model, program, effort: None, help: None, bypasses: false, zone, env, review_env }
    }

    /// The program and the arguments with which it lists its options, if what it is started with depends on them.
    #[must_use]
    pub fn question(&self) -> Option<(&Path, &'static [&'static str])> {
        let depends = |agent: &&Agent| !agent.implement_asked.is_empty() || !agent.review_asked.is_empty();
        self.agent().filter(depends).map(|agent| (self.program(), agent.help))
    }

    /// Takes note of what the program has said about its options.
    pub fn take_help(&mut self, help: String) {
        self.help = Some(help);
    }

    /// The same runner, which asks for no permission at all if it `bypasses` them.
    pub(super) fn with_permissions(self, bypasses: bool) -> Self {
        Self { bypasses, ..self }
    }

    /// The same runner, whose model is to think so much.
    pub(super) fn with_effort(self, effort: Option<String>) -> Self {
        Self { effort, ..self }
    }

    /// The first agent that is installed.
    pub(super) fn first_installed(config: &Config, lookup: &Lookup, model: Option<String>) -> Result<Self> {
        for agent in defaults() {
            if let Some(path) = lookup.find(agent.program)? {
                let program = Program::Agent(agent, path);
                return Ok(Self::new(agent.name.to_owned(), model, program, lookup));
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
        self.agent().is_some_and(|agent| agent.schema.is_some())
    }

    /// How it reports what it does.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        match self.program {
            Program::Agent(agent, _) => agent.protocol,
            Program::Command { protocol, .. } => protocol,
        }
    }

    /// The account that its limits and logins concern: runners that start the same agent share one.
    #[must_use]
    pub fn account(&self) -> &str {
        &self.name
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

    /// The name, without a model.
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
