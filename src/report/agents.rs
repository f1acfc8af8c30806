//! Prints the findings of `doctor agents` as text and JSON.

use serde::Serialize;

use super::diagnosis::Diagnosis;
use super::diagnosis::diagnoses_text;
use super::json::{Printed, json_document};
use super::screen::{Screen, Style};
use crate::text::one_line;

/// What was found out about one agent, or about a runner that git config defines.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AgentReport {
    /// Its name in settings.
    pub name: String,
    /// The diagnoses.
    pub diagnoses: Vec<Diagnosis>,
}

/// A known agent that is not installed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
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
    json_document(&Printed::new("doctor-agents", &Document { agents, not_installed: missing }))
}

/// What `doctor agents` found out about each agent.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    /// The agents that are installed, and the runners that git config defines.
    agents: &'a [AgentReport],
    /// The known agents that are not installed.
    not_installed: &'a [NotInstalled],
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("doctor-agents", "git arborist doctor agents --json");
    }
}
