//! Judges the results of a test step if tests are awaited, or if the task writes tests that may be awaited.

use std::collections::BTreeSet;

use crate::plan::{Expect, NodeIx, TaskTree};
use crate::record::{AwaitedChange, AwaitedTests, Baseline, Check, Finding, Outcome, Severity, TaskId};
use crate::suite::{TestNames, TestResults, TestRun};
use crate::text::{advice, listed};
use crate::trust::awaited::{excuses, failing_names, passed_in, stopped_early, unloaded};
use crate::trust::no_tests::found_no_tests;

/// What is known about a task before its test commands run.
#[derive(Clone, Copy)]
pub(crate) struct AwaitingTask<'a> {
    /// The plan.
    pub(crate) tree: &'a TaskTree,
    pub(crate) leaf: NodeIx,
    /// The tests that are awaited before the step.
    pub(crate) awaited: &'a AwaitedTests,
    /// How the tests of the task ended before it, if that is known.
    pub(crate) baseline: Option<&'a Baseline>,
    /// The tests that they named, if this process has run them. A commit names only some of those that failed.
    pub(crate) names: Option<&'a TestNames>,
}

/// How a test step ended.
#[derive(Debug)]
pub(crate) struct JudgedResults<'r> {
    pub(crate) results: &'r TestResults,
    /// Whether the tests have passed, apart from those that are awaited.
    pub(crate) outcome: Outcome,
    /// What the step says about awaited tests.
    pub(crate) change: AwaitedChange,
    /// What is wrong with tests that the task has written.
    pub(crate) findings: Vec<Finding>,
    /// Why commands that failed are no failure, as a sentence.
    pub(crate) excuse: Option<String>,
    /// The tests that are awaited after the step.
    pub(crate) awaited: AwaitedTests,
}

impl JudgedResults<'_> {
    /// Whether the numbers of tests must be right: the tests have passed, and there are tests.
    pub(crate) fn counts_matter(&self) -> bool {
        self.outcome == Outcome::Pass && (self.excuse.is_none() || self.change.failing() > 0)
    }

    /// A few words for a progress line.
    pub(crate) fn summary(&self) -> String {
        match (&self.excuse, self.change.failing(), self.results.counts()) {
            (None, ..) => self.results.summary(),
            (Some(_), 0, _) | (Some(_), _, None) => "no test ran, and none was needed".to_owned(),
            (Some(_), failing, Some(counts)) => {
                format!("{} passed, {failing} awaited", counts.passed)
            }
        }
    }
}

/// Whether a command is one of the test commands of a task.
pub(crate) fn is_run_for(tree: &TaskTree, run: &TestRun, task: &TaskId) -> bool {
    let node = tree.find(task.as_str()).map(|ix| tree.node(ix));
    node.is_some_and(|node| node.test_commands.iter().any(|test| test.command == run.command))
}

impl AwaitingTask<'_> {
    /// Judges the results of the test commands.
    pub(crate) fn judge<'r>(&self, results: &'r TestResults) -> JudgedResults<'r> {
        let expect = self.tree.expect(self.leaf);
        let passed = passed_in(self.awaited, results, |run, task| is_run_for(self.tree, run, task));
        let failing = failing_names(results);
        let still: BTreeSet<String> =
            failing.into_iter().filter(|name| self.awaited.contains(name)).collect();
        let mut judged = JudgedResults {
            results,
            outcome: results.outcome(),
            change: AwaitedChange { still, passed, awaited: BTreeSet::new() },
            findings: Vec::new(),
            excuse: None,
            awaited: self.awaited.clone(),
        };
        if judged.outcome == Outcome::Pass {
            judged.findings.extend(self.no_new_test(results).filter(|_| expect == Expect::Tests));
        } else if expect == Expect::Tests {
            self.judge_new_tests(&mut judged);
        } else if excuses(self.awaited, results) {
            judged.outcome = Outcome::Pass;
            judged.excuse = Some(
                "Every test that fails is awaited: an earlier task wrote it before the code that makes it pass."
                    .to_owned(),
            );
        } else if matches!(expect, Expect::Docs | Expect::Config) && found_no_tests(results) {
            judged.outcome = Outcome::Pass;
            judged.excuse = Some("No test ran: there is none yet, and this task needs none.".to_owned());
        }
        judged.awaited = judged.awaited.without(&judged.change.passed);
        judged
    }

    /// Judges failed commands of a task that writes tests: its new tests may fail, by name, and nothing else.
    fn judge_new_tests(&self, judged: &mut JudgedResults<'_>) {
        let results = judged.results;
        let own = &self.tree.node(self.leaf).id;
        let before = self.baseline.map_or(&[][..], |baseline| baseline.failing.as_slice());
        let others = self.awaited.of_tasks(|task| task != own);
        let names = self.names.filter(|names| !names.is_empty());
        let was_there = |name: &String| match names {
            Some(names) => names.outcome_of(name).is_some(),
            None => before.contains(name),
        };
        let is_new =
            |name: &String| !others.contains(name) && (self.awaited.contains(name) || !was_there(name));
        let new: BTreeSet<String> = failing_names(results).into_iter().filter(is_new).collect();
        let all = others.and(own, &new);
        judged.findings.extend(self.faults(results, &all));
        if judged.findings.is_empty() && excuses(&all, results) {
            judged.outcome = Outcome::Pass;
            judged.excuse = Some(
                "The tests that this task wrote may fail: they are awaited until a later task makes them pass."
                    .to_owned(),
            );
            judged.change.still = judged.change.still.difference(&new).cloned().collect();
            judged.change.awaited = new;
            judged.awaited = all;
        }
    }

    /// Why failing tests cannot be awaited; `all` are those that could be.
    fn faults(&self, results: &TestResults, all: &AwaitedTests) -> Vec<Finding> {
        let error = |seen: &str| Finding::new(Check::Red, Severity::Error, seen);
        let mut faults = Vec::new();
        let unloaded: Vec<String> =
            unloaded(results).into_iter().filter(|name| !all.contains(name)).collect();
        if !unloaded.is_empty() {
            let seen = "Tests that fail until a later task is done must still load and run. Add what they need as a stub that \
                        fails when it is called. These cannot be loaded or built";
            faults.push(error(seen).at(unloaded));
        }
        if let Some(command) = stopped_early(results) {
            let seen = "The command ends at the first test that fails, so nothing is known of the others; it has \
                        to run all tests";
            faults.push(error(seen).at([format!("`{command}`")]));
        }
        let before = self.baseline.and_then(|baseline| baseline.counts);
        if let (Some(before), Some(now)) = (before, results.counts())
            && now.passed < before.passed
        {
            let (before, now) = (before.passed, now.passed);
            let seen = format!(
                "New tests may fail, but those that passed before must still pass ({before} passed before the task, \
                 and {now} pass now)"
            );
            faults.push(error(&seen));
        }
        faults
    }

    /// What there is to say about a task that was to write tests if all tests pass, and no more of them ran than before.
    fn no_new_test(&self, results: &TestResults) -> Option<Finding> {
        let (before, now) = (self.baseline?.counts?, results.counts()?);
        let seen =
            format!("The task was to write tests, and no more tests ran than before it ({})", now.total());
        (now.total() <= before.total()).then(|| Finding::new(Check::Red, Severity::Warning, &seen))
    }
}

/// The tests of a phase that are awaited although all its tasks are complete.
pub(crate) struct DueTests {
    /// Those that the phase itself, or an earlier one without code, has to make pass.
    pub(crate) due: AwaitedTests,
    /// Those that later phases make pass.
    pub(crate) later: AwaitedTests,
}

impl DueTests {
    /// Separates the awaited tests at the end of a phase; `is_last` says that all other phases have ended. A phase that only
    /// writes tests leaves them to the later ones.
    pub(crate) fn at_end_of(tree: &TaskTree, phase: NodeIx, is_last: bool, awaited: &AwaitedTests) -> Self {
        let writes_code = tree
            .leaves_below(phase)
            .any(|leaf| matches!(tree.expect(leaf), Expect::Change | Expect::Refactor));
        let is_of_phase =
            |task: &TaskId| tree.find(task.as_str()).is_some_and(|leaf| tree.phase_of(leaf) == phase);
        let is_due = |task: &TaskId| is_last || (writes_code && is_of_phase(task));
        Self { due: awaited.of_tasks(is_due), later: awaited.of_tasks(|task| !is_due(task)) }
    }

    /// The sentence for tests that are still awaited, of which there is at least one.
    pub(crate) fn sentence(due: &AwaitedTests) -> String {
        let named: Vec<String> = due.iter().map(|(name, task)| format!("{name} (of {task})")).collect();
        let (_, first) = due.iter().next().expect("this is only said if tests are still awaited");
        format!(
            "Tests are still awaited, though every task that could make them pass is complete: {}. If such a test has another name \
             now, {reopen} lets its task name it anew",
            listed(&named),
            reopen = advice::reopen(first)
        )
    }
}
