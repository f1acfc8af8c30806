//! Tells whether tests that fail on a merged tree fail because of the task that was merged.

use std::collections::BTreeSet;

use super::parts::{FinishedTask, TestedPart};
use crate::engine::{FailedIntegration, IntegrationFailure};
use crate::plan::{TestCommand, TestType};
use crate::record::{AwaitedTests, TaskId};
use crate::run::Plan;
use crate::suite::{TestOutcome, TestResults, TestRun};
use crate::text::{listed, one_line, tail};
use crate::trust::awaited::excuses_run;

/// How many characters of the output of a failed command the next attempt gets.
const OUTPUT: usize = 8000;

/// The commands that fail on a merged tree, and that are tried without the merged task.
#[derive(Debug)]
pub(super) struct Suspicion {
    /// The commands with what each of them has shown, the first that failed first.
    failed: Vec<FailedCommand>,
    /// What has to run to try them: they themselves, and what prepares and follows them.
    commands: Vec<TestCommand>,
}

#[derive(Debug)]
struct FailedCommand {
    command: String,
    /// The tests and files that failed, as far as it names them.
    names: BTreeSet<String>,
    failure: FailedIntegration,
}

/// What is known of commands that fail on a merged tree.
pub(super) enum Blame {
    /// The task is to blame.
    Task(FailedIntegration),
    /// They have to be tried without it.
    Unknown(Suspicion),
}

/// The results of tests on the merge of one task.
#[derive(Clone, Copy)]
pub(super) struct FailedMerge<'a> {
    pub(super) plan: &'a Plan,
    /// The merge, of a single task.
    pub(super) part: &'a TestedPart,
    pub(super) results: &'a TestResults,
    pub(super) awaited: &'a AwaitedTests,
}

impl FailedMerge<'_> {
    /// Whether the task is to blame. Its own tests tell that by themselves: without it they have nothing to pass.
    pub(super) fn blame(self) -> Blame {
        let TestedPart { tip, commands } = self.part;
        let FinishedTask { leaf, branch } = &tip.merged.first().expect("it has a single task").finished;
        let node = self.plan.tree.node(*leaf);
        let failed = |run: &&TestRun| deciding(run) && !run.passed() && !excuses_run(self.awaited, run);
        let of = |run: &TestRun| FailedIntegration {
            leaf: *leaf,
            task: node.id.clone(),
            tip: branch.tip,
            onto: tip.from,
            why: failure_of(run),
        };
        let is_own = |run: &&TestRun| node.test_commands.iter().any(|own| own.command == run.command);
        let failed: Vec<&TestRun> = self.results.runs.iter().filter(failed).collect();
        if let Some(own) = failed.iter().copied().find(is_own) {
            return Blame::Task(of(own));
        }
        let is_wanted = |test: &&TestCommand| {
            matches!(test.kind, TestType::Setup | TestType::Teardown)
                || failed.iter().any(|run| run.command == test.command)
        };
        let commands = commands.iter().filter(is_wanted).cloned().collect();
        let of_run = |run: &&TestRun| FailedCommand {
            command: run.command.clone(),
            names: names(run),
            failure: of(run),
        };
        Blame::Unknown(Suspicion { failed: failed.iter().map(of_run).collect(), commands })
    }
}

impl Suspicion {
    pub(super) fn commands(&self) -> &[TestCommand] {
        &self.commands
    }

    /// The failure of the task, if something that failed with it passes without it.
    pub(super) fn confirmed_by(
        &self,
        without: &TestResults,
        awaited: &AwaitedTests,
    ) -> Option<&FailedIntegration> {
        let fails_too = |failed: &&FailedCommand| {
            let run = without.runs.iter().find(|run| run.command == failed.command);
            run.is_some_and(|run| {
                !run.passed() && !excuses_run(awaited, run) && failed.names.is_subset(&names(run))
            })
        };
        self.failed.iter().find(|failed| !fails_too(failed)).map(|failed| &failed.failure)
    }

    /// Whether one of these commands is among those that failed.
    pub(super) fn has_any(&self, commands: &[TestCommand]) -> bool {
        self.failed.iter().any(|failed| commands.iter().any(|test| test.command == failed.command))
    }

    /// A sentence about tests that also fail without the task.
    pub(super) fn not_its_fault(&self, task: &TaskId) -> String {
        let commands: Vec<String> =
            self.failed.iter().map(|failed| format!("`{}`", one_line(&failed.command))).collect();
        let fail = if commands.len() == 1 { "fails" } else { "fail" };
        format!(
            "{} {fail} on the branch of the run even without {task}, so that does not keep the task from being merged",
            listed(&commands)
        )
    }
}

/// What the next attempt learns of a command that failed on the merged tree.
fn failure_of(failed: &TestRun) -> IntegrationFailure {
    let output = [&failed.result.stdout, &failed.result.stderr]
        .map(|captured| crate::text::clean(&captured.to_bytes_with_note()))
        .into_iter()
        .filter(|text| !text.trim().is_empty())
        .collect::<Vec<_>>()
        .join("\n");
    IntegrationFailure::Tests {
        command: failed.command.clone(),
        status: failed.status(),
        output: tail(&output, OUTPUT),
    }
}

fn deciding(run: &TestRun) -> bool {
    run.kind != TestType::Mutation
}

fn names(run: &TestRun) -> BTreeSet<String> {
    let failed = [TestOutcome::Failed, TestOutcome::NotLoaded];
    failed.into_iter().flat_map(|outcome| run.names.with(outcome)).map(str::to_owned).collect()
}
