//! The known agents by name, and what can be told about an installed agent without a request to its service: whether it lists
//! the options with which it is started, and whether it is probably logged in.

use std::path::{Path, PathBuf};

use regex_lite::Regex;

use super::agent::{Agent, PromptBy};
use super::state::AgentState;
use super::table::AGENTS;
use crate::config::Environment;

/// The signs of a login.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoginSign {
    /// This variable is set.
    Variable(&'static str),
    /// There is this file.
    File(PathBuf),
    /// Neither the variables nor the files that were looked for.
    Nothing {
        /// The variables.
        variables: &'static [&'static str],
        /// The files.
        files: Vec<PathBuf>,
    },
}

impl Agent {
    /// The known agent with this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Self> {
        AGENTS.iter().find(|agent| agent.name == name)
    }

    /// The options with which it is started, each once.
    #[must_use]
    pub fn options(&self) -> Vec<&'static str> {
        let prompt = match self.prompt {
            PromptBy::Stdin => None,
            PromptBy::File(option) | PromptBy::Mention(option) => Some(option),
        };
        let asked = self.implement_asked.iter().chain(self.review_asked).flat_map(|asked| asked.otherwise);
        let given = self
            .always
            .iter()
            .chain(self.implement)
            .chain(self.review)
            .chain(self.last)
            .chain(asked)
            .copied();
        let mut options: Vec<&str> = Vec::new();
        let effort = self.effort.map(|(option, _)| option);
        for given in given.chain(self.model).chain(effort).chain(self.max_cost).chain(prompt) {
            let (option, _) = given.split_once('=').unwrap_or((given, ""));
            // A lone dash is standard input.
            if option.len() > 1 && option.starts_with('-') && !options.contains(&option) {
                options.push(option);
            }
        }
        options
    }

    /// Of the options with which it is started, those that this help text does not list.
    #[must_use]
    pub fn unlisted(&self, help: &str) -> Vec<&'static str> {
        self.options().into_iter().filter(|option| !lists(help, option)).collect()
    }

    /// Whether a version, as the program tells it, is far behind the one with which the table was tried: another first number, a
    /// second one that is lower by ten, or a third one that is lower by a hundred. Nobody is asked for the newest one.
    #[must_use]
    pub fn is_far_behind(&self, told: &str) -> bool {
        let version = Regex::new(r"(\d+)\.(\d+)\.(\d+)").expect("the pattern is valid");
        let numbers = |text| {
            let (_, parts) = version.captures(text)?.extract();
            let [Ok(first), Ok(second), Ok(third)] = parts.map(str::parse::<u32>) else { return None };
            Some([first, second, third])
        };
        numbers(self.tried).zip(numbers(told)).is_some_and(|([a, b, c], [x, y, z])| {
            x < a || (x == a && (y + 10 <= b || (y == b && z + 100 <= c)))
        })
    }

    /// The sign of a login that was found; `None` if it is not known where this agent keeps its login.
    #[must_use]
    pub fn login_sign(&self, environment: &Environment) -> Option<LoginSign> {
        let variables = self.login.variables;
        let is_set = |name: &&&str| environment.get(name).is_some_and(|value| !value.is_empty());
        if let Some(name) = variables.iter().find(is_set) {
            return Some(LoginSign::Variable(name));
        }
        let folder =
            AgentState::of(self.name, environment).and_then(|state| state.folders.into_iter().next());
        let files = folder.iter().flat_map(|folder| self.login.files.iter().map(|file| folder.join(file)));
        let files: Vec<PathBuf> = files.collect();
        if let Some(file) = files.iter().find(|file| holds_something(file)) {
            return Some(LoginSign::File(file.clone()));
        }
        (!variables.is_empty() || !files.is_empty()).then_some(LoginSign::Nothing { variables, files })
    }
}

/// Whether this is a file with more in it than `{}`, with which some agents begin.
fn holds_something(file: &Path) -> bool {
    const EMPTY: u64 = 4;
    file.metadata().is_ok_and(|meta| meta.is_file() && meta.len() > EMPTY)
}

/// Whether a help text names an option, and not only a longer one that begins or ends with it.
pub(super) fn lists(help: &str, option: &str) -> bool {
    let goes_on = |character: char| character.is_alphanumeric() || character == '-' || character == '_';
    help.match_indices(option)
        .any(|(at, _)| !help[..at].ends_with(goes_on) && !help[at + option.len()..].starts_with(goes_on))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> &'static Agent {
        Agent::named(name).unwrap()
    }

    #[test]
    fn an_option_is_listed_only_as_a_whole_word() {
        for help in ["  -m, --model <NAME>", "--model=NAME", "[--model]", "--model", "use --model, or"] {
            assert!(lists(help, "--model"), "{help}");
        }
        for help in ["--models", "--no---model", "--model-path", "model", "", "---model", "é--modelé"] {
            assert!(!lists(help, "--model"), "{help}");
        }
    }

    #[test]
    fn the_options_of_an_agent_are_those_of_all_its_calls() {
        let claude = agent("claude").options();
        for option in ["--print", "--permission-mode", "--tools", "--model"] {
            assert!(claude.contains(&option), "{claude:?}");
        }
        let codex = agent("codex").options();
        assert!(
            codex.contains(&"--sandbox") && !codex.contains(&"-") && !codex.contains(&"exec"),
            "{codex:?}"
        );
        assert!(agent("copilot").options().contains(&"--deny-tool"));
        assert!(agent("aider").options().contains(&"--message-file"));
        let help = claude.iter().filter(|option| **option != "--tools").map(|option| format!("{option} X\n"));
        assert_eq!(agent("claude").unlisted(&help.collect::<String>()), ["--tools"]);
    }

    #[test]
    fn only_a_version_that_is_far_behind_is_named() {
        let tried = |tried| Agent { tried, ..*agent("claude") };
        for (newest, told, is_behind) in [
            ("2.1.332", "2.1.332 (Claude Code)", false),
            ("2.1.332", "2.1.240 (Claude Code)", false),
            ("2.1.332", "2.1.9 (Claude Code)", true),
            ("2.1.332", "1.9.400", true),
            ("2.1.332", "2.2.0", false),
            ("2.1.332", "3.0.0", false),
            ("0.171.0", "codex-cli 0.162.0", false),
            ("0.171.0", "codex-cli 0.161.3", true),
            ("0.171.0", "codex-cli 0.171.0-alpha.2", false),
            ("0.171.0", "node 20", false),
            ("", "0.1.0", false),
        ] {
            assert_eq!(tried(newest).is_far_behind(told), is_behind, "{newest} {told}");
        }
    }

    #[test]
    fn a_login_is_likely_if_there_is_a_variable_or_a_file() {
        let home = tempfile::tempdir().unwrap();
        let path = home.path().to_str().unwrap();
        let sign = |name: &str, variables: &[(&str, &str)]| {
            agent(name).login_sign(&Environment::of(&[&[("HOME", path)], variables].concat()))
        };
        assert_eq!(
            sign("claude", &[("ANTHROPIC_API_KEY", "k")]),
            Some(LoginSign::Variable("ANTHROPIC_API_KEY"))
        );
        let Some(LoginSign::Nothing { files, .. }) = sign("codex", &[("CODEX_API_KEY", "")]) else {
            panic!()
        };
        assert_eq!(files, [home.path().join(".codex/auth.json")]);
        std::fs::create_dir(home.path().join(".codex")).unwrap();
        std::fs::write(&files[0], "{}\n").unwrap();
        assert!(matches!(sign("codex", &[]), Some(LoginSign::Nothing { .. })));
        std::fs::write(&files[0], r#"{"tokens": {}}"#).unwrap();
        assert_eq!(sign("codex", &[]), Some(LoginSign::File(files[0].clone())));
        assert_eq!(sign("agy", &[]), None);
    }
}
