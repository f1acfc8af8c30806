//! A task that could not be integrated, and why. The next attempt at it learns that.

use crate::engine::integration_failure::IntegrationFailure;
use crate::engine::plan::Plan;
use crate::plan::{NodeIx, TestCommand};
use crate::record::{CommitId, TaskId};
use crate::suite::TestResults;
use crate::text::{one_line, tail};

/// How many characters of the output of a failed command the next attempt gets.
const OUTPUT: usize = 8000;

/// A task whose branch could not be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedIntegration {
    /// The task.
    pub leaf: NodeIx,
    /// Its id.
    pub task: TaskId,
    /// The commit into which it was merged.
    pub onto: CommitId,
    /// Why that failed.
    pub why: IntegrationFailure,
}

impl FailedIntegration {
    pub(super) fn of_conflicts(leaf: NodeIx, task: TaskId, onto: CommitId, files: Vec<String>) -> Self {
        Self { leaf, task, onto, why: IntegrationFailure::Conflicts(files) }
    }

    pub(super) fn of_tests(leaf: NodeIx, task: TaskId, onto: CommitId, results: &TestResults) -> Self {
        let failed = results.first_failed().expect("the tests have failed");
        let output = [&failed.result.stdout, &failed.result.stderr]
            .map(|captured| crate::text::clean(&captured.to_bytes_with_note()))
            .into_iter()
            .filter(|text| !text.trim().is_empty())
            .collect::<Vec<_>>()
            .join("\n");
        let why = IntegrationFailure::Tests {
            command: failed.command.clone(),
            status: failed.status(),
            output: tail(&output, OUTPUT),
        };
        Self { leaf, task, onto, why }
    }

    /// The commands that failed, as the plan or the settings name them.
    pub(super) fn commands(&self, plan: &Plan, suite_command: Option<&str>) -> Vec<TestCommand> {
        let IntegrationFailure::Tests { command, .. } = &self.why else { return Vec::new() };
        let of_plan = plan.tree.nodes().flat_map(|(_, node)| &node.test_commands);
        let found = of_plan.filter(|test| test.command == *command).take(1).cloned();
        let is_suite = suite_command == Some(command.as_str());
        found.chain(is_suite.then(|| TestCommand::suite(command))).take(1).collect()
    }

    /// A sentence about tests that also fail without the task.
    pub(super) fn not_its_fault(&self) -> String {
        let command = match &self.why {
            IntegrationFailure::Tests { command, .. } => one_line(command),
            IntegrationFailure::Conflicts(_) | IntegrationFailure::Unknown => String::new(),
        };
        format!(
            "`{command}` fails on the branch of the run even without {}, so that does not keep the task from being merged",
            self.task
        )
    }

    /// Why it failed, as a clause.
    #[must_use]
    pub fn clause(&self) -> String {
        self.why.clause()
    }
}
