//! Where agents keep what they need from one call to the next: logins, sessions, settings.

use std::path::PathBuf;

use crate::config::Environment;

/// The state of an agent on this machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentState {
    /// The folder in which the agent keeps most of it. The agent makes it if it is missing.
    pub folder: PathBuf,
    /// Other files and folders, which may be missing.
    pub others: Vec<PathBuf>,
}

/// A row of the table: the agent, the variable that moves its folder, and paths from the home folder.
struct Row {
    agent: &'static str,
    /// Empty if there is none.
    variable: &'static str,
    folder: &'static str,
    others: &'static [&'static str],
}

/// The states of all agents that are known.
const ROWS: &[Row] = &[
    Row {
        agent: "claude",
        variable: "CLAUDE_CONFIG_DIR",
        folder: ".claude",
        others: &[".claude.json", ".claude.json.backup"],
    },
    Row { agent: "codex", variable: "CODEX_HOME", folder: ".codex", others: &[] },
    Row { agent: "gemini", variable: "", folder: ".gemini", others: &[] },
    Row { agent: "agy", variable: "", folder: ".gemini", others: &[".antigravity"] },
    Row { agent: "qwen", variable: "", folder: ".qwen", others: &[] },
    Row {
        agent: "opencode",
        variable: "",
        folder: ".local/share/opencode",
        others: &[".local/state/opencode", ".config/opencode"],
    },
    Row { agent: "copilot", variable: "", folder: ".copilot", others: &[".config/github-copilot"] },
    Row { agent: "aider", variable: "", folder: ".aider", others: &[] },
    Row { agent: "amp", variable: "", folder: ".local/share/amp", others: &[".config/amp", ".amp"] },
    Row {
        agent: "goose",
        variable: "",
        folder: ".local/share/goose",
        others: &[".local/state/goose", ".config/goose"],
    },
    Row { agent: "cursor-agent", variable: "", folder: ".cursor", others: &[".config/cursor"] },
    Row { agent: "cursor", variable: "", folder: ".cursor", others: &[".config/cursor"] },
    Row { agent: "pi", variable: "PI_CODING_AGENT_DIR", folder: ".pi", others: &[] },
    Row { agent: "vibe", variable: "VIBE_HOME", folder: ".vibe", others: &[] },
];

/// The variables that move a folder of the home folder, and that folder.
const BASES: [[&str; 2]; 3] = [
    ["XDG_DATA_HOME", ".local/share/"],
    ["XDG_STATE_HOME", ".local/state/"],
    ["XDG_CONFIG_HOME", ".config/"],
];

impl AgentState {
    /// The state of the agent with this name; `None` if it is not known.
    #[must_use]
    pub fn of(agent: &str, environment: &Environment) -> Option<Self> {
        ROWS.iter().find(|row| row.agent == agent)?.state(environment)
    }

    /// The states of all agents that are known.
    #[must_use]
    pub fn of_all(environment: &Environment) -> Vec<Self> {
        ROWS.iter().filter_map(|row| row.state(environment)).collect()
    }

    /// All paths.
    pub fn paths(&self) -> impl Iterator<Item = &PathBuf> {
        std::iter::once(&self.folder).chain(&self.others)
    }
}

impl Row {
    /// The paths in an environment; `None` if it has no home folder.
    fn state(&self, environment: &Environment) -> Option<AgentState> {
        let absolute = |name: &str| environment.path(name).filter(|path| path.is_absolute());
        let home = absolute("HOME")?;
        let place = |path: &str| {
            let moved = BASES
                .iter()
                .find_map(|[variable, base]| Some(absolute(variable)?.join(path.strip_prefix(base)?)));
            moved.unwrap_or_else(|| home.join(path))
        };
        Some(AgentState {
            folder: absolute(self.variable).unwrap_or_else(|| place(self.folder)),
            others: self.others.iter().map(|path| place(path)).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::AGENTS;
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

    #[test]
    fn every_agent_of_the_table_has_a_state() {
        let environment = Environment::of(&[("HOME", "/h")]);
        for agent in AGENTS {
            assert!(AgentState::of(agent.name, &environment).is_some(), "{}", agent.name);
        }
    }
}
