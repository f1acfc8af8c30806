//! Runs, in an attempt to merge a task, the tests of what it merges: those of the tasks that were completed since its branch
//! began, and those that have sent it back. What passes on the branch of the run has to pass with the task as well.

use std::collections::{BTreeSet, HashSet};

use super::suite::{Checkout, run_on_checkout};
use super::test_run::run_tests;
use crate::config::CheckLevel;
use crate::engine::checks::lost_tests::lost_tests;
use crate::engine::run_context::Assignment;
use crate::engine::run_context::context::{RunContext, RunPart, TaskPart};
use crate::engine::tree::workspace::ProofPlace;
use crate::error::Result;
use crate::history::read_run;
use crate::plan::{TestCommand, TestType};
use crate::process::LiveLine;
use crate::record::{AwaitedTests, Check, CommitId, Finding, Severity};
use crate::run::steps::branch_line::BranchLine;
use crate::suite::{TestOutcome, TestResults, TestRun};
use crate::text::one_line;
use crate::trust::awaited::excuses_run;

/// What the tests of others have shown in an attempt to merge a task.
#[derive(Default)]
pub(super) struct Beside {
    /// What is wrong.
    pub(super) findings: Vec<Finding>,
    /// The results of the commands; `None` if there are none.
    pub(super) results: Option<TestResults>,
}

/// The tests of others in a test step.
pub(super) struct TestsBeside<'a> {
    pub(super) run: &'a RunContext<'a>,
    pub(super) job: Assignment<'a>,
    /// The head of the branch.
    pub(super) head: &'a CommitId,
    /// The tests that may fail.
    pub(super) awaited: &'a AwaitedTests,
    pub(super) live: &'a LiveLine,
    /// Where they run on other commits.
    pub(super) place: ProofPlace<'a>,
}

impl TestsBeside<'_> {
    /// Runs them, if the step belongs to an attempt to merge its task.
    ///
    /// # Errors
    /// If they cannot run, or an object cannot be read. That is no verdict.
    pub(super) fn run(mut self) -> Result<Beside> {
        let Self { run, job, head, .. } = self;
        let RunPart::Task(TaskPart { onto, .. }) = &run.part else { return Ok(Beside::default()) };
        if job.attempt.merge.is_none() {
            return Ok(Beside::default());
        }
        let line = BranchLine::read(run.repository, *head, *onto)?;
        let Some(theirs) = line.merges.first().map(|joined| joined.theirs) else {
            return Ok(Beside::default());
        };
        let mut findings = lost_tests(run, job.leaf, &line, head)?;
        let commands = self.commands(&line, theirs)?;
        if commands.is_empty() {
            return Ok(Beside { findings, results: None });
        }
        let results = run_tests(run, &commands, self.live)?;
        findings.extend(self.compare(&line, theirs, &commands, &results)?);
        Ok(Beside { findings, results: Some(results) })
    }

    /// The commands, each once, and without those that judge the task itself.
    fn commands(&self, line: &BranchLine, theirs: CommitId) -> Result<Vec<TestCommand>> {
        let RunContext { repository, plan, settings, .. } = self.run;
        let there = read_run(repository, theirs, &plan.query())?;
        let beside = line.beside(repository, plan, &there)?;
        let of_others = beside.into_iter().filter(|leaf| *leaf != self.job.leaf);
        let of_others = of_others.flat_map(|leaf| plan.tree.node(leaf).test_commands.iter().cloned());
        let suite = settings.tests.suite.as_deref().filter(|_| settings.trust.suite != CheckLevel::Off);
        let own = &plan.tree.node(self.job.leaf).test_commands;
        let mut seen: HashSet<(TestType, String)> =
            own.iter().map(|test| (test.kind, test.command.clone())).collect();
        let all = of_others.chain(line.commands_that_sent_back(plan, suite));
        let all = all.filter(|test| test.kind != TestType::Mutation);
        Ok(all.filter(|test| seen.insert((test.kind, test.command.clone()))).collect())
    }

    /// Compares the results with those on the branch of the run.
    fn compare(
        &mut self,
        line: &BranchLine,
        theirs: CommitId,
        commands: &[TestCommand],
        results: &TestResults,
    ) -> Result<Vec<Finding>> {
        let (mut before, mut found, mut lost) = (None, Vec::new(), Vec::new());
        for run in &results.runs {
            let there = match &mut before {
                Some(results) => results,
                none => none.insert(self.at(&theirs, commands)?),
            };
            let Some(there) = there.runs.iter().find(|there| there.command == run.command) else { continue };
            match self.fails(run) {
                true if self.fails(there) && failing(run).is_subset(&failing(there)) => {}
                true => found.push(failed(run)),
                false => lost.extend(no_longer_pass(there, run).map(|name| (run.command.clone(), name))),
            }
        }
        // What the task has changed before the merge was judged then.
        if let (false, Some(base)) = (lost.is_empty(), line.base) {
            let old = self.at(&base, commands)?;
            lost.retain(|(command, name)| {
                let run = old.runs.iter().find(|old| old.command == *command);
                !run.is_some_and(|run| run.names.with(TestOutcome::Passed).any(|old| old == name))
            });
        }
        let names: BTreeSet<String> = lost.into_iter().map(|(_, name)| name).collect();
        if !names.is_empty() {
            let seen =
                "Tests that others have written pass on the branch of the run, and do not run with the merge";
            found.push(Finding::new(Check::Merge, Severity::Error, seen).at(names));
        }
        Ok(found)
    }

    /// The results on a commit.
    fn at(&mut self, commit: &CommitId, commands: &[TestCommand]) -> Result<TestResults> {
        let checkout = Checkout { commit, live: self.live };
        run_on_checkout(self.run, checkout, commands, &mut self.place)
    }

    fn fails(&self, run: &TestRun) -> bool {
        !run.passed() && !excuses_run(self.awaited, run)
    }
}

fn failing(run: &TestRun) -> BTreeSet<&str> {
    run.names.with(TestOutcome::Failed).chain(run.names.with(TestOutcome::NotLoaded)).collect()
}

/// The tests that a command names as passed before, and not any more, if it names tests that pass at all.
fn no_longer_pass<'r>(before: &'r TestRun, now: &'r TestRun) -> impl Iterator<Item = String> + 'r {
    let passed: BTreeSet<&str> = now.names.with(TestOutcome::Passed).collect();
    let is_known = !passed.is_empty();
    before
        .names
        .with(TestOutcome::Passed)
        .filter(move |name| is_known && !passed.contains(name))
        .map(str::to_owned)
}

fn failed(run: &TestRun) -> Finding {
    let command = one_line(&run.command);
    let seen =
        format!("`{command}` passes on the branch of the run, and fails with the merge: {}", run.status());
    Finding::new(Check::Merge, Severity::Error, &seen).at(run.failing_tests())
}
