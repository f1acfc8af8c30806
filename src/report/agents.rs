//! Prints the findings of `doctor agents` as text and JSON.

use serde_json::json;

use super::diagnosis::{diagnoses_text, diagnosis_json};
use super::{Diagnosis, Screen, Style, json_document};
use crate::text::one_line;

/// What was found out about one agent, or about a runner that git config defines.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentReport {
    /// Its name in settings.
    pub name: String,
    /// The diagnoses.
    pub diagnoses: Vec<Diagnosis>,
}

/// A known agent that is not installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotInstalled {
    /// Its name in settings.
    pub name: &'static str,
    /// The command that installs it.
    pub install: &'static str,
}

/// The findings as text.
#[must_use]
pub fn agents_text(agents: &[AgentReport], missing: &[NotInstalled], screen: &Screen) -> String {
    let mut text = String::new();
    for AgentReport { name, diagnoses } in agents {
        text.push_str(&format!("{}\n", screen.out.paint(Style::Bold, &one_line(name))));
        text.push_str(&format!("{}\n", diagnoses_text(diagnoses, screen)));
    }
    let names: Vec<&str> = missing.iter().map(|agent| agent.name).collect();
    if !names.is_empty() {
        text.push_str(&format!("not installed: {}\n", names.join(", ")));
    }
    text
}

/// The findings as JSON.
#[must_use]
pub fn agents_json(agents: &[AgentReport], missing: &[NotInstalled]) -> String {
    let agent = |agent: &AgentReport| {
        let diagnoses: Vec<_> = agent.diagnoses.iter().map(diagnosis_json).collect();
        json!({"name": agent.name, "diagnoses": diagnoses})
    };
    let agents: Vec<_> = agents.iter().map(agent).collect();
    let missing: Vec<_> =
        missing.iter().map(|agent| json!({"name": agent.name, "install": agent.install})).collect();
    json_document(&json!({"version": 1, "agents": agents, "not_installed": missing}))
}
