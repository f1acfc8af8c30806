//! Chooses and finds runners. A runner is one of the known agents, or any command that git config defines as
//! `arborist.runner.<name>.command`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeZone};

use super::JobResult;
use super::outcome::error_patterns::OTHERS;
use super::outcome::zone::LocalZone;
use super::outcome::{Cause, LocalClock, Unavailable, unavailable};
use super::table::AGENTS;
use crate::config::{Config, Environment, Value};
use crate::error::{Error, Kind, Result};
use crate::record::Role;
use crate::suggest;

/// The option with which claude refuses to run as root, unless `IS_SANDBOX=1` is set.
const REFUSED_TO_ROOT: &str = "--dangerously-skip-permissions";

/// A runner that was found and can be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    name: String,
    model: Option<String>,
    program: Program,
    zone: LocalZone,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Program {
    /// A known agent: its position in [`AGENTS`], and the absolute path of its program.
    Agent(usize, PathBuf),
    /// A command of the user, for this shell.
    Command { shell: PathBuf, command: String },
}

/// A program and its arguments, ready to be started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Invocation {
    /// The absolute path.
    pub program: PathBuf,
    /// The arguments. They do not include the prompt, so that it does not show up in the process list.
    pub args: Vec<OsString>,
}

/// Looks for programs.
#[derive(Clone, Debug)]
pub struct Lookup {
    path: Option<OsString>,
    top: PathBuf,
    zone: LocalZone,
}

impl Lookup {
    /// Looks for programs on the PATH of this environment, but not inside the work tree at `top`: a plan must not
    /// supply the program that works on it.
    #[must_use]
    pub fn new(environment: &Environment, top: &Path) -> Self {
        Self {
            path: environment.path("PATH").map(PathBuf::into_os_string),
            top: top.to_owned(),
            zone: LocalZone::of(environment),
        }
    }

    /// The top of the work tree, at which commands run.
    #[must_use]
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The absolute path of a program, if it exists.
    ///
    /// # Errors
    /// [`Kind::Environment`] if the only one is inside the work tree.
    pub fn find(&self, name: &str) -> Result<Option<PathBuf>> {
        let Ok(mut found) = which::which_in_all(name, self.path.as_ref(), &self.top) else {
            return Ok(None);
        };
        let Some(first) = found.next() else { return Ok(None) };
        let outside = |path: &PathBuf| !path.starts_with(&self.top);
        if outside(&first) {
            return Ok(Some(first));
        }
        found.find(outside).map(Some).ok_or_else(|| {
            Error::new(
                Kind::Environment,
                format!("the only {name} on PATH is inside this work tree ({})", first.display()),
                "Install it elsewhere, or remove the folder from PATH.",
            )
        })
    }
}

impl Runner {
    /// The runner that the settings choose for `role`; if they choose none, the first agent that is installed. A role for
    /// which there may be several has [`Runner::choose_all`].
    ///
    /// # Errors
    /// [`Kind::Input`] for an unknown name, [`Kind::Environment`] if the program is missing.
    pub fn choose(config: &Config, lookup: &Lookup, role: Role) -> Result<Self> {
        let model = config.model_for(role).map(|value| value.text);
        match config.runner_for(role) {
            Some(chosen) => Self::named(config, lookup, &chosen, model),
            None => Self::first_installed(lookup, model),
        }
    }

    /// The runner with the name that a setting has.
    pub(super) fn named(
        config: &Config,
        lookup: &Lookup,
        chosen: &Value,
        model: Option<String>,
    ) -> Result<Self> {
        let name = chosen.text.clone();
        if let Some(command) = config.runner_command(&name) {
            return Self::of_command(&name, command, model, lookup);
        }
        let Some(place) = AGENTS.iter().position(|agent| agent.name == name) else {
            return Err(unknown_runner(&name, config, &chosen.origin.to_string()));
        };
        match lookup.find(AGENTS[place].name)? {
            Some(path) => {
                Ok(Self { name, model, program: Program::Agent(place, path), zone: lookup.zone.clone() })
            }
            None => Err(Error::new(
                Kind::Environment,
                format!("the runner {name} is not installed: no program {name} on PATH ({})", chosen.origin),
                format!("Install it (`{}`), or choose another with --runner.", AGENTS[place].install),
            )),
        }
    }

    fn first_installed(lookup: &Lookup, model: Option<String>) -> Result<Self> {
        for (place, agent) in AGENTS.iter().enumerate() {
            if let Some(path) = lookup.find(agent.name)? {
                let program = Program::Agent(place, path);
                return Ok(Self { name: agent.name.to_owned(), model, program, zone: lookup.zone.clone() });
            }
        }
        let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
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

    fn of_command(name: &str, command: &str, model: Option<String>, lookup: &Lookup) -> Result<Self> {
        if command.trim().is_empty() {
            return Err(Error::new(
                Kind::Input,
                format!("the command of the runner {name} is empty"),
                format!("Set it: `git config arborist.runner.{name}.command 'my-agent --some-option'`."),
            ));
        }
        let shell = lookup.find("sh")?.unwrap_or_else(|| PathBuf::from("/bin/sh"));
        let program = Program::Command { shell, command: command.to_owned() };
        Ok(Self { name: name.to_owned(), model, program, zone: lookup.zone.clone() })
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

    /// The program to start for a role. An agent that reviews is started in a mode in which it can only read, if it has
    /// one.
    #[must_use]
    pub fn invocation(&self, role: Role) -> Invocation {
        match &self.program {
            Program::Command { shell, command } => {
                Invocation { program: shell.clone(), args: vec!["-c".into(), command.into()] }
            }
            Program::Agent(place, path) => {
                let agent = &AGENTS[*place];
                let base = if role == Role::Reviewer { agent.review } else { agent.implement };
                let mut args: Vec<OsString> = base.iter().map(Into::into).collect();
                if let Some(model) = &self.model {
                    args.extend([agent.model.into(), model.into()]);
                }
                args.extend(agent.last.iter().map(OsString::from));
                Invocation { program: path.clone(), args }
            }
        }
    }

    /// Why this runner could not work; `None` if it could. `now` is in the time zone of the machine.
    #[must_use]
    pub fn unavailable<Z: TimeZone>(&self, result: &JobResult, now: &DateTime<Z>) -> Option<Unavailable> {
        let clock = LocalClock { now, is_zone: &|name| self.zone.is_called(name) };
        match &self.program {
            Program::Agent(place, _) => unavailable(&[AGENTS[*place].error_patterns], result, &clock),
            // A command of the user usually starts one of the agents.
            Program::Command { .. } => {
                let known = AGENTS.iter().map(|agent| agent.error_patterns);
                unavailable(&known.chain([&OTHERS]).collect::<Vec<_>>(), result, &clock)
            }
        }
    }

    /// What a person can do so that this runner can work again, as a sentence; `None` if only time helps.
    #[must_use]
    pub fn remedy(&self, cause: Cause) -> Option<String> {
        match cause {
            Cause::NotLoggedIn => {
                let login = match &self.program {
                    Program::Agent(place, _) => AGENTS[*place].error_patterns.login,
                    Program::Command { .. } => OTHERS.login,
                };
                Some(format!("To log in, {login}."))
            }
            Cause::NotAsRoot => Some(
                "In a container or on a disposable machine, set IS_SANDBOX=1 in the environment; anywhere else, run \
                 as another user."
                    .to_owned(),
            ),
            Cause::NoCredit => {
                Some("Add credit to its account, or choose another runner with --runner.".to_owned())
            }
            Cause::DiskFull => Some("Free some space on the disk that it writes to.".to_owned()),
            Cause::UsageLimit { .. } | Cause::Unreachable => None,
        }
    }

    /// Whether it refuses to work in this role as root, because it would not ask for permission.
    #[must_use]
    pub fn refuses_root(&self, role: Role) -> bool {
        match &self.program {
            Program::Agent(place, _) => {
                role != Role::Reviewer && AGENTS[*place].implement.contains(&REFUSED_TO_ROOT)
            }
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
        if let Program::Command { command, .. } = &self.program {
            return command.clone();
        }
        let Invocation { args, .. } = self.invocation(role);
        let mut words = vec![self.name.clone()];
        words.extend(args.iter().map(|arg| arg.to_string_lossy().into_owned()));
        words.join(" ")
    }
}

fn unknown_runner(name: &str, config: &Config, origin: &str) -> Error {
    let agents = AGENTS.iter().map(|agent| agent.name);
    let known: Vec<&str> = agents.chain(config.runner_names()).collect();
    let hint = if name.contains(',') {
        "Only reviews may have several runners. ".to_owned()
    } else {
        suggest::question(suggest::nearest(name, known.iter().copied()))
    };
    Error::new(
        Kind::Input,
        format!("there is no runner named {name} ({origin}); the known runners are {}", known.join(", ")),
        format!(
            "{hint}Define it with `git config arborist.runner.{name}.command 'COMMAND'`, or choose a known one."
        ),
    )
}

#[cfg(test)]
mod tests;
