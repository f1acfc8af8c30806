//! Whose work a step is: the trailer `Arborist-By` says it, and for the agent of a commit a trailer of the user's own choice,
//! such as `Assisted-by: {agent}`.

use serde::{Deserialize, Serialize};

/// The trailer that commits get which contain the work of an agent: a key, and a value with placeholders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attribution {
    key: String,
    value: String,
}

/// The placeholders that a value may have.
const PLACEHOLDERS: [&str; 2] = ["{agent}", "{model}"];

impl Attribution {
    /// The trailer in this text; `None` if it is none, is one of ours, or has an unknown placeholder.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (key, value) = text.trim().split_once(": ")?;
        let value = value.trim();
        let is_key = key.starts_with(|c: char| c.is_ascii_alphabetic())
            && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        let is_ours = key.get(..9).is_some_and(|start| start.eq_ignore_ascii_case("arborist-"));
        let rest =
            PLACEHOLDERS.iter().fold(value.to_owned(), |rest, placeholder| rest.replace(placeholder, ""));
        let is_plain = !rest.contains(['{', '}']) && !value.chars().any(char::is_control);
        let is_fit = is_key && !is_ours && is_plain && !value.is_empty();
        is_fit.then(|| Self { key: key.to_owned(), value: value.to_owned() })
    }

    /// The trailer for a runner, which is named with its model behind a slash. A model that is not known is left out, with the
    /// slash or the blank before it.
    #[must_use]
    pub fn of(&self, runner: &str) -> String {
        let (agent, model) = runner.split_once('/').unwrap_or((runner, ""));
        let Self { key, value } = self;
        let value = if model.is_empty() {
            value
                .replace("/{model}", "")
                .replace(" {model}", "")
                .replace(" ({model})", "")
                .replace("{model}", "")
        } else {
            value.replace("{model}", model)
        };
        format!("{key}: {}", value.replace("{agent}", agent).trim())
    }
}

/// Whose work or decision a step is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum By {
    /// That of a run, with its agents and tests.
    #[default]
    Run,
    /// That of a person: there is no evidence besides the person's word.
    User,
    /// The answer of a reviewer to another agent.
    Reviewer,
}

impl By {
    /// The value of `Arborist-By` for a person.
    pub const USER: &'static str = "user";
    /// The value of `Arborist-By` for a reviewer that answers another agent.
    pub const REVIEWER: &'static str = "reviewer";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_trailer_names_the_agent_and_its_model() {
        let cases = [
            ("Assisted-by: {agent}", "claude/opus", "Assisted-by: claude"),
            ("Generated-by: {agent}/{model}", "claude/opus", "Generated-by: claude/opus"),
            ("Generated-by: {agent}/{model}", "codex", "Generated-by: codex"),
            (
                "Co-authored-by: {agent} {model} <a@example.com>",
                "codex",
                "Co-authored-by: codex <a@example.com>",
            ),
            ("AI: yes", "codex", "AI: yes"),
        ];
        for (text, runner, expected) in cases {
            assert_eq!(Attribution::parse(text).unwrap().of(runner), expected);
        }
    }

    #[test]
    fn what_is_no_trailer_or_one_of_ours_is_refused() {
        for text in [
            "",
            "Assisted-by",
            "Assisted-by:",
            "Assisted-by:{agent}",
            "Assisted by: {agent}",
            "-by: x",
            "arborist-Step: complete",
            "Assisted-by: {name}",
            "Assisted-by: {agent",
            "Assisted-by: a\nArborist-Step: complete",
        ] {
            assert_eq!(Attribution::parse(text), None, "{text}");
        }
    }
}
