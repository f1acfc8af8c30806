//! Chooses and finds runners. A runner is one of the known agents, or any command that git config defines as
//! `arborist.runner.<name>.command`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::agent::{Agent, PromptBy, SchemaBy};
use super::cli::AGENTS;
use super::lookup::Lookup;
use super::outcome::Cause;
use super::outcome::error_patterns::{ErrorPatterns, OTHERS};
use super::outcome::zone::LocalZone;
use super::protocol::Protocol;
use super::session::PastSession;
use crate::config::{Config, Value};
use crate::error::{Error, Kind, Result};
use crate::record::{Role, Usage};
use crate::suggest;

/// The JSON schema of the answer of a reviewer.
pub const REVIEW_SCHEMA: &str = include_str!("review-schema.json");

/// The file with [`REVIEW_SCHEMA`], in the folder of the file with the prompt.
pub const SCHEMA_FILE: &str = "review-schema.json";

/// A runner that was found and can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    name: String,
    model: Option<String>,
    program: Program,
    zone: LocalZone,
    /// Variables that it gets because the user has not set them.
    env: Vec<(&'static str, &'static str)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Program {
    /// A known agent, and the absolute path of its program.
    Agent(&'static Agent, PathBuf),
    /// A command of the user, for this shell, and the stream that it prints.
    Command { shell: PathBuf, command: String, protocol: Protocol },
}

/// A program and its arguments, ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The absolute path.
    pub program: PathBuf,
    /// The arguments. They do not include the prompt, so that it does not show up in the process list.
    pub args: Vec<OsString>,
    /// Variables that the program gets besides those that it inherits.
    pub env: Vec<(&'static str, &'static str)>,
    /// Whether the program reads its prompt from standard input.
    pub takes_stdin: bool,
}

impl Runner {
    /// The runner with the name that a setting has.
    pub(super) fn named(
        config: &Config,
        lookup: &Lookup,
        chosen: &Value,
        model: Option<String>,
    ) -> Result<Self> {
        let name = chosen.text.clone();
        if let Some(command) = config.runner_command(&name) {
            let protocol = protocol_of(config, &name)?;
            let program = own_program(&name, command, protocol, lookup)?;
            return Ok(Self::new(name, model, program, lookup));
        }
        let Some(agent) = AGENTS.iter().find(|agent| agent.name == name) else {
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
                format!("Install it (`{}`), or choose another with {}.", agent.install, option_over(chosen)),
            )),
        }
    }

    fn new(name: String, model: Option<String>, program: Program, lookup: &Lookup) -> Self {
        let env = match &program {
            Program::Agent(agent, _) => agent.env,
            Program::Command { .. } => &[],
        };
        let env = env.iter().filter(|(name, _)| !lookup.environment.has(name)).copied().collect();
        Self { name, model, program, zone: LocalZone::of(&lookup.environment), env }
    }

    /// The first agent that is installed.
    pub(super) fn first_installed(lookup: &Lookup, model: Option<String>) -> Result<Self> {
        for agent in defaults() {
            if let Some(path) = lookup.find(agent.program)? {
                let program = Program::Agent(agent, path);
                return Ok(Self::new(agent.name.to_owned(), model, program, lookup));
            }
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
        matches!(self.program, Program::Command { .. })
    }

    /// The name of the agent; `None` for a command of the user.
    #[must_use]
    pub fn known_agent(&self) -> Option<&str> {
        (!self.is_command()).then_some(&*self.name)
    }

    /// The instructions for agents of any vendor that it reads by itself. What a command of the user reads is not known.
    #[must_use]
    pub fn reads(&self) -> &'static [&'static str] {
        match &self.program {
            Program::Agent(agent, _) => agent.reads,
            Program::Command { .. } => &[],
        }
    }

    /// How it reports what it does.
    #[must_use]
    pub fn protocol(&self) -> Protocol {
        match &self.program {
            Program::Agent(agent, _) => agent.protocol,
            Program::Command { protocol, .. } => *protocol,
        }
    }

    /// The account that its limits and logins concern: runners that start the same agent share one.
    #[must_use]
    pub fn account(&self) -> &str {
        &self.name
    }

    /// The program to start for a role, with its prompt in this file. An agent that reviews is started in a mode in which it
    /// can only read, if it has one.
    #[must_use]
    pub fn invocation(&self, role: Role, prompt_file: &Path) -> Invocation {
        self.invocation_in(None, role, prompt_file)
    }

    /// The same, in an earlier session if the agent can continue one.
    pub(super) fn invocation_in(
        &self,
        session: Option<&PastSession>,
        role: Role,
        prompt_file: &Path,
    ) -> Invocation {
        match &self.program {
            Program::Command { shell, command, .. } => Invocation {
                program: shell.clone(),
                args: vec!["-c".into(), command.into()],
                env: self.env.clone(),
                takes_stdin: true,
            },
            Program::Agent(agent, path) => {
                let base = if role == Role::Reviewer { agent.review } else { agent.implement };
                let mut args: Vec<OsString> = base.iter().map(Into::into).collect();
                if let (Some(option), Some(model)) = (agent.model, &self.model) {
                    args.extend([option.into(), model.into()]);
                }
                let session = session.and_then(|session| session.arguments(agent));
                args.extend(session.into_iter().flatten().map(OsString::from));
                match agent.schema.filter(|_| role == Role::Reviewer) {
                    Some(SchemaBy::Text(option)) => args.extend([option.into(), REVIEW_SCHEMA.into()]),
                    Some(SchemaBy::File(option)) => {
                        args.extend([option.into(), prompt_file.with_file_name(SCHEMA_FILE).into()]);
                    }
                    None => {}
                }
                match agent.prompt {
                    PromptBy::Stdin => {}
                    PromptBy::File(option) => args.extend([option.into(), prompt_file.into()]),
                    PromptBy::Mention(option) => {
                        args.extend([option.into(), mention(prompt_file)]);
                    }
                }
                args.extend(agent.last.iter().map(OsString::from));
                let takes_stdin = agent.prompt == PromptBy::Stdin;
                Invocation { program: path.clone(), args, env: self.env.clone(), takes_stdin }
            }
        }
    }

    /// Whether it can continue an earlier session.
    #[must_use]
    pub fn resumes(&self) -> bool {
        matches!(&self.program, Program::Agent(agent, _) if agent.resume.is_some())
    }

    /// What it has reported about a session before, and counts again when it continues that session.
    #[must_use]
    pub fn counted_again(&self, session: &PastSession) -> Option<Usage> {
        match &self.program {
            Program::Agent(agent, _) => session.counted_again(agent),
            Program::Command { .. } => None,
        }
    }

    /// The program that is started.
    #[must_use]
    pub fn program(&self) -> &Path {
        match &self.program {
            Program::Agent(_, path) => path,
            Program::Command { shell, .. } => shell,
        }
    }

    /// The error messages of the agents that it may start.
    pub(super) fn error_patterns(&self) -> Vec<&'static ErrorPatterns> {
        match &self.program {
            Program::Agent(agent, _) => vec![agent.error_patterns],
            // A command of the user usually starts one of the agents.
            Program::Command { .. } => {
                AGENTS.iter().map(|agent| agent.error_patterns).chain([&OTHERS]).collect()
            }
        }
    }

    /// The time zone in which it names times of day.
    pub(super) fn zone(&self) -> &LocalZone {
        &self.zone
    }

    /// What a person can do so that this runner can work again, as a sentence; `None` if only time helps.
    #[must_use]
    pub fn remedy(&self, cause: Cause) -> Option<String> {
        Some(match cause {
            Cause::NotLoggedIn => {
                let login = match &self.program {
                    Program::Agent(agent, _) => agent.login.advice,
                    Program::Command { .. } => "log in to the agent that its command starts",
                };
                format!("To log in, {login}.")
            }
            Cause::NotAsRoot => AS_ROOT.to_owned(),
            Cause::NoCredit => {
                "Add credit to its account, or choose another runner with --runner.".to_owned()
            }
            Cause::DiskFull => "Free some space on the disk that it writes to.".to_owned(),
            Cause::Refused => {
                "Choose a model that its service has with --model, or correct its settings.".to_owned()
            }
            Cause::Silent => format!(
                "Try it by hand (`{}`), or give it more time with --runner-timeout.",
                self.command_line(Role::Implementer)
            ),
            Cause::NoTurn => {
                "`git arborist doctor agents` checks whether this version of it takes our options.".to_owned()
            }
            Cause::ContextTooLong => "Divide the task, or choose another model with --model.".to_owned(),
            Cause::Killed => "If memory was short, free some, or let fewer agents work (--jobs).".to_owned(),
            Cause::Crashed | Cause::Unreadable => {
                "`git arborist show TASK --transcript` shows what it did until then.".to_owned()
            }
            Cause::NoReview => "Ask it again, or choose another with --review-runner.".to_owned(),
            Cause::NotStarted => format!(
                "Correct {}.",
                if self.is_command() { "its command in git config" } else { "its installation" }
            ),
            Cause::UsageLimit { .. } | Cause::Unreachable | Cause::Hangs => return None,
        })
    }

    /// Whether it refuses to work in this role as root, because it would not ask for permission.
    #[must_use]
    pub fn refuses_root(&self, role: Role) -> bool {
        match &self.program {
            Program::Agent(agent, _) => role != Role::Reviewer && !agent.works_as_root,
            Program::Command { .. } => false,
        }
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

    /// The command line as `--dry-run` shows it.
    #[must_use]
    pub fn command_line(&self, role: Role) -> String {
        match &self.program {
            Program::Command { command, .. } => command.clone(),
            Program::Agent(agent, _) => {
                let Invocation { args, .. } = self.invocation(role, Path::new("PROMPT_FILE"));
                let args = args.iter().map(|arg| match arg.to_string_lossy() {
                    schema if schema == REVIEW_SCHEMA => "REVIEW_SCHEMA".into(),
                    arg => arg,
                });
                std::iter::once(agent.program.into()).chain(args).collect::<Vec<_>>().join(" ")
            }
        }
    }
}

/// What to do about an agent that refuses to run as root.
pub const AS_ROOT: &str = "In a container or on a disposable machine, set IS_SANDBOX=1 in the environment; anywhere else, run as \
                           another user.";

/// The agents that are looked for if none is configured.
fn defaults() -> impl Iterator<Item = &'static Agent> {
    AGENTS.iter().filter(|agent| agent.is_default)
}

/// The argument that tells an agent to read its prompt from a file.
fn mention(prompt_file: &Path) -> OsString {
    let mut words = OsString::from("Your task is in the file ");
    words.push(prompt_file);
    words.push(". Read all of it first, then do what it says.");
    words
}

/// A command of the user as a program.
fn own_program(name: &str, command: &str, protocol: Protocol, lookup: &Lookup) -> Result<Program> {
    if command.trim().is_empty() {
        return Err(Error::new(
            Kind::Input,
            format!("the command of the runner {name} is empty"),
            format!("Set it: `git config arborist.runner.{name}.command 'my-agent --some-option'`."),
        ));
    }
    let shell = lookup.find("sh")?.unwrap_or_else(|| PathBuf::from("/bin/sh"));
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

/// The option that takes precedence over where this runner was chosen. `--runner` is for all steps but those that have a
/// runner of their own.
fn option_over(chosen: &Value) -> &'static str {
    let origin = chosen.origin.to_string().to_lowercase();
    if origin.contains("review") {
        "--review-runner"
    } else if origin.contains("implement") {
        "--implement-runner"
    } else {
        "--runner"
    }
}

#[cfg(test)]
mod tests;
