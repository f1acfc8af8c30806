//! Where agents keep what they need from one call to the next: logins, sessions, settings.

use std::path::{Path, PathBuf};

use super::agent::{Agent, StatePlace};
use super::table::AGENTS;
use crate::config::Environment;

/// The state of an agent on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentState {
    /// Folders, which the agent makes if they are missing.
    pub folders: Vec<PathBuf>,
    /// Files.
    pub files: Vec<PathBuf>,
}

/// The variables that move a folder of the home folder, and that folder.
const BASES: [[&str; 2]; 3] =
    [["XDG_DATA_HOME", ".local/share"], ["XDG_STATE_HOME", ".local/state"], ["XDG_CONFIG_HOME", ".config"]];

impl AgentState {
    /// The state of the agent with this name; `None` if it is not known.
    #[must_use]
    pub fn of(agent: &str, environment: &Environment) -> Option<Self> {
        Agent::named(agent)?.state.in_environment(environment)
    }

    /// The states of all known agents.
    #[must_use]
    pub fn of_all(environment: &Environment) -> Vec<Self> {
        AGENTS.iter().filter_map(|agent| agent.state.in_environment(environment)).collect()
    }

    /// All paths.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        self.folders.iter().chain(&self.files)
    }
}

impl StatePlace {
    /// The paths in an environment; `None` if it has no home folder.
    fn in_environment(&self, environment: &Environment) -> Option<AgentState> {
        let places = |paths: &[&str]| paths.iter().map(|path| self.place(path, environment)).collect();
        let (folders, files): (Option<_>, Option<_>) = (places(self.folders), places(self.files));
        Some(AgentState { folders: folders?, files: files? })
    }

    /// Where a path from the home folder is in an environment; `None` if it has no home folder.
    pub(super) fn place(&self, path: &str, environment: &Environment) -> Option<PathBuf> {
        let absolute = |name: &str| environment.path(name).filter(|path| path.is_absolute());
        let home = absolute("HOME")?;
        let own =
            self.variable.zip(self.folders.first().copied()).map(|(variable, folder)| [variable, folder]);
        let moved = |[variable, base]: [&str; 2]| {
            Some(absolute(variable)?.join(Path::new(path).strip_prefix(base).ok()?))
        };
        let place = BASES.into_iter().chain(own).find_map(moved).unwrap_or_else(|| home.join(path));
        // Without the slash of an empty rest.
        Some(place.components().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(agent: &str, variables: &[(&str, &str)]) -> Vec<String> {
        let state = AgentState::of(agent, &Environment::of(variables));
        state.iter().flat_map(AgentState::paths).map(|path| path.display().to_string()).collect()
    }

    #[test]
    fn the_state_of_an_agent_follows_the_variables_that_move_it() {
        let home = ("HOME", "/h");
        assert_eq!(state("claude", &[home]), ["/h/.claude", "/h/.claude.json", "/h/.claude.json.backup"]);
        assert_eq!(state("claude", &[home, ("CLAUDE_CONFIG_DIR", "/c")])[0], "/c");
        assert_eq!(state("codex", &[home, ("CODEX_HOME", "relative")]), ["/h/.codex"]);
        let moved = [home, ("XDG_DATA_HOME", "/d"), ("XDG_CONFIG_HOME", "/g")];
        assert_eq!(state("opencode", &moved), ["/d/opencode", "/h/.local/state/opencode", "/g/opencode"]);
        assert_eq!(state("unheard-of", &[home]), Vec::<String>::new());
        assert_eq!(state("codex", &[]), Vec::<String>::new());
    }
}
