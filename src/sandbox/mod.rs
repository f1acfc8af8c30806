//! Sandboxes: agents and tests may write to the work tree and to what belongs to them, and to nothing else.
//!
//! The user chooses a tool: `bwrap`, `sandbox-exec`, or a command of their own. It is put in front of the program
//! ([`Front`]); so the code that starts programs knows nothing about sandboxes. Which paths a program may write to is decided
//! here (see `paths`). The supervision of programs (see `process`) works as without a sandbox, because the tool starts
//! the program as its own child, in the same process namespace, and hands down open files and limits.
//!
//! A sandbox never fails silently: it is tried before the first program runs in it (see `probe`), and if it does not
//! protect what it should, nothing runs.

mod caches;
mod paths;
mod probe;
mod tool;

use std::path::{Path, PathBuf};

use caches::{caches, temporary_folder};
use paths::Rules;
use tool::SandboxTool;

use crate::agents::{AgentState, Lookup};
use crate::config::{Config, Environment, Origin, Setting, Value};
use crate::error::Result;
use crate::git::WorkTree;
use crate::process::Front;

/// The sandbox that the user has chosen for some programs.
#[derive(Clone, Debug)]
pub struct Sandbox {
    tool: SandboxTool,
    /// The setting that chooses it.
    setting: Setting,
    origin: Origin,
    environment: Environment,
    /// The work tree of the command.
    top: PathBuf,
    /// The shell that tries it.
    shell: PathBuf,
    /// The folder for temporary files if the usual one may not be written to.
    temporary: PathBuf,
}

impl Sandbox {
    /// The tool of this system.
    pub const USUAL: &str = if cfg!(target_os = "macos") { "sandbox-exec" } else { "bwrap" };

    /// The sandbox that this setting chooses; `None` if it is `none`.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment) if it cannot work on this system, or is not installed.
    pub fn chosen(
        config: &Config,
        setting: Setting,
        environment: &Environment,
        lookup: &Lookup,
    ) -> Result<Option<Self>> {
        let Some(value) = config.sandbox(setting) else { return Ok(None) };
        Self::made(value, setting, environment, lookup).map(Some)
    }

    /// The sandbox that a user of this system would choose for agents.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment) if it is not installed.
    pub fn usual(environment: &Environment, lookup: &Lookup) -> Result<Self> {
        let value = Value { text: Self::USUAL.to_owned(), origin: Origin::Default };
        Self::made(value, Setting::Sandbox, environment, lookup)
    }

    fn made(value: Value, setting: Setting, environment: &Environment, lookup: &Lookup) -> Result<Self> {
        let Value { text, origin } = value;
        let tool =
            SandboxTool::of(text.trim(), lookup).and_then(|tool| Ok((tool, temporary_folder(environment)?)));
        if let Some(folder) = environment.cache_folder() {
            // In the sandbox it could not be made. A program that needs it and does not find it reports that.
            let _ = std::fs::create_dir_all(folder);
        }
        let (tool, temporary) = tool.map_err(|problem| problem.error(setting, &origin))?;
        let shell = lookup.shell()?;
        let (environment, top) = (environment.clone(), lookup.top().to_owned());
        Ok(Self { tool, setting, origin, environment, top, shell, temporary })
    }

    /// What is put in front of the runner of this name in a work tree. The runner may write to its own state; a command of
    /// the user, to the states of all agents, because it usually starts one of them.
    #[must_use]
    pub fn around_agent(&self, tree: &WorkTree, agent: Option<&str>) -> Front {
        let states = match agent {
            Some(name) => {
                let state: Vec<AgentState> = AgentState::of(name, &self.environment).into_iter().collect();
                // In the sandbox, the agent could not make them. If they cannot be made at all, the agent reports that.
                for folder in state.iter().flat_map(|state| &state.folders) {
                    let _ = std::fs::create_dir_all(folder);
                }
                state
            }
            None => AgentState::of_all(&self.environment),
        };
        self.front(tree, &states)
    }

    /// What is put in front of a test command in a work tree.
    #[must_use]
    pub fn around_tests(&self, tree: &WorkTree) -> Front {
        self.front(tree, &[])
    }

    /// The tool, as messages name it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.tool.name()
    }

    fn front(&self, tree: &WorkTree, states: &[AgentState]) -> Front {
        let rules = self.rules(tree, states);
        let usual = self.environment.temporary_folder();
        let temporary = if rules.may_write_in(&usual) { &usual } else { &self.temporary };
        self.tool.front(&rules, temporary)
    }

    fn rules(&self, tree: &WorkTree, states: &[AgentState]) -> Rules {
        let states = states.iter().flat_map(AgentState::paths).cloned();
        // Some programs know no other folder than /tmp.
        let temporary = ["/tmp".into(), self.environment.temporary_folder(), self.temporary.clone()];
        let others: &[&Path] = if tree.top == self.top { &[] } else { &[&self.top] };
        Rules::of(tree, others, states.chain(caches(&self.environment)).chain(temporary))
    }
}
