//! What `autopilot --dry-run --json` prints.

use serde::Serialize;

use super::diagnosis::Diagnosis;
use super::json::{Printed, json_document};

/// What autopilot would do.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct AutopilotView<'a> {
    /// The branch on which the work is done.
    pub branch: &'a str,
    /// Where the branch begins, and what it is merged into.
    pub base: &'a str,
    /// Whether the branch has to be made.
    pub creates_branch: bool,
    /// Whether an agent splits the task into subtasks first.
    pub expands: bool,
    /// The checks.
    pub preflight: &'a [Diagnosis],
    /// The tasks that are not done, in order.
    pub tasks: Vec<OpenTask<'a>>,
    /// What follows the tasks, as sentences.
    pub finish: Vec<String>,
}

/// A task.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct OpenTask<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The tasks that it depends on.
    pub depends_on: Vec<&'a str>,
    /// Its test commands.
    pub tests: Vec<&'a str>,
}

impl AutopilotView<'_> {
    /// One JSON document.
    #[must_use]
    pub fn json(&self) -> String {
        json_document(&Printed::new("autopilot", self))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<AutopilotView<'_>>(
            "autopilot",
            "git arborist autopilot --dry-run --json",
        );
    }
}
