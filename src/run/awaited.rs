//! Judges the results of a test step if tests are awaited, or if the task writes tests that may be awaited.

use std::collections::{BTreeSet, HashSet};

use super::plan::Plan;
use super::steps::earlier_tests::EarlierTests;
use crate::error::Result;
use crate::history::{Repository, Run, read_awaited_at, read_run};
use crate::plan::{Expect, NodeIx, TaskTree, TestCommand};
use crate::record::{AwaitedChange, AwaitedTests, Check, CommitId, Finding, Outcome, Severity, TaskId};
use crate::suite::{TestOutcome, TestResults, TestRun};
use crate::text::advice;
use crate::trust::awaited::{excuses, fallen, passed_in, stopped_early};
use crate::trust::no_tests::found_no_tests;

/// What is known about a task before its test commands run.
#[derive(Clone, Copy)]
pub(crate) struct AwaitingTask<'a> {
    /// The open tasks of the plan.
    pub(crate) open: &'a OpenTasks<'a>,
    pub(crate) leaf: NodeIx,
    /// Whether it has changed files that may have tests.
    pub(crate) changes_tests: bool,
    /// The tests that are awaited before the step.
    pub(crate) awaited: &'a AwaitedTests,
    /// How the tests of the task ended before it, if that is known.
    pub(crate) earlier: Option<&'a EarlierTests>,
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
                format!("{} passed, {failing} failed (awaited)", counts.passed)
            }
        }
    }
}

/// The test commands of the tasks that wrote these tests, apart from those that have run already.
pub(crate) fn commands_of(tree: &TaskTree, tests: &AwaitedTests, ran: &TestResults) -> Vec<TestCommand> {
    let tasks: BTreeSet<&TaskId> = tests.iter().map(|(_, task)| task).collect();
    let leaves = tasks.into_iter().filter_map(|task| tree.find(task.as_str()));
    let commands = leaves.flat_map(|leaf| tree.node(leaf).test_commands.iter());
    let mut known: HashSet<&str> = ran.runs.iter().map(|run| run.command.as_str()).collect();
    commands.filter(|test| known.insert(&test.command)).cloned().collect()
}

/// Whether a command is one of the test commands of a task.
pub(crate) fn is_run_for(tree: &TaskTree, run: &TestRun, task: &TaskId) -> bool {
    let node = tree.find(task.as_str()).map(|ix| tree.node(ix));
    node.is_some_and(|node| node.test_commands.iter().any(|test| test.command == run.command))
}

impl AwaitingTask<'_> {
    /// The awaited tests that this task has to make pass, and that neither pass nor fail in these results: the commands of the tasks
    /// that wrote them show what became of them.
    pub(crate) fn unseen(&self, results: &TestResults) -> AwaitedTests {
        let named = fallen(results, TestOutcome::Failed);
        let seen = self.passed_in(results).into_iter().chain(named).collect();
        self.open.owed_by(self.leaf, self.awaited).without(&seen)
    }

    fn passed_in(&self, results: &TestResults) -> BTreeSet<String> {
        passed_in(self.awaited, results, |run, task| is_run_for(self.open.tree, run, task))
    }

    /// Judges the results of the test commands. `further` are those of commands that only show what became of unseen tests.
    pub(crate) fn judge<'r>(
        &self,
        results: &'r TestResults,
        further: Option<&TestResults>,
    ) -> JudgedResults<'r> {
        let expect = self.open.tree.expect(self.leaf);
        let mut passed = self.passed_in(results);
        passed.extend(further.into_iter().flat_map(|further| self.passed_in(further)));
        let owed = self.open.owed_by(self.leaf, self.awaited);
        let may_fail = self.awaited.without(&owed.names().map(str::to_owned).collect());
        let still = fallen(results, TestOutcome::Failed)
            .into_iter()
            .filter(|name| self.awaited.contains(name))
            .collect();
        let mut judged = JudgedResults {
            results,
            outcome: results.outcome(),
            change: AwaitedChange { still, passed, awaited: BTreeSet::new() },
            findings: Vec::new(),
            excuse: None,
            awaited: self.awaited.clone(),
        };
        if expect == Expect::Tests {
            judged.findings.extend(self.no_new_test(results));
        }
        let has_failed = judged.outcome != Outcome::Pass;
        if has_failed && expect == Expect::Tests {
            self.judge_new_tests(&mut judged);
        } else if has_failed && excuses(&may_fail, results) {
            judged.outcome = Outcome::Pass;
            judged.excuse = Some(
                "The tests that fail are awaited: an earlier task wrote them before the code that makes them pass."
                    .to_owned(),
            );
        } else if has_failed && matches!(expect, Expect::Docs | Expect::Config) && found_no_tests(results) {
            judged.outcome = Outcome::Pass;
            judged.excuse = Some("No test ran: there is none yet, and this task needs none.".to_owned());
        }
        if judged.outcome == Outcome::Pass || excuses(self.awaited, results) {
            let unmet = owed.without(&judged.change.passed);
            judged.findings.extend((!unmet.is_empty()).then(|| {
                let seen = "No other open task can make these awaited tests pass, so this one has to. A test that is gone or has \
                            another name counts as failing";
                Finding::new(Check::Awaited, Severity::Error, seen).at(unmet.names())
            }));
        }
        judged.awaited = judged.awaited.without(&judged.change.passed);
        judged
    }

    /// Judges failed commands of a task that writes tests: its new tests may fail, by name, and those that failed before it.
    fn judge_new_tests(&self, judged: &mut JudgedResults<'_>) {
        let results = judged.results;
        let own = &self.open.tree.node(self.leaf).id;
        let before = self.earlier.map_or(&[][..], |earlier| earlier.failing.as_slice());
        let others = self.awaited.of_tasks(|task| task != own);
        let names = self.earlier.map(|earlier| &earlier.names).filter(|names| !names.is_empty());
        let was_there = |name: &String| match names {
            Some(names) => names.outcome_of(name).is_some_and(|outcome| outcome != TestOutcome::Skipped),
            None => before.contains(name),
        };
        let has_failed_before = |name: &String| match names {
            Some(names) => names.outcome_of(name).is_some_and(|outcome| outcome != TestOutcome::Passed),
            None => before.contains(name),
        };
        let is_new =
            |name: &String| !others.contains(name) && (self.awaited.contains(name) || !was_there(name));
        let (new, old): (BTreeSet<String>, BTreeSet<String>) = fallen(results, TestOutcome::Failed)
            .into_iter()
            .filter(|name| !others.contains(name))
            .partition(is_new);
        let (old_red, broken): (BTreeSet<String>, BTreeSet<String>) =
            old.into_iter().partition(has_failed_before);
        let all = others.and(own, &new);
        let may_fail = all.and(own, &old_red);
        let faults = self.faults(results, &may_fail, &new, &broken);
        if faults.is_empty() && excuses(&may_fail, results) {
            judged.outcome = Outcome::Pass;
            judged.excuse = Some(
                "The tests that this task wrote may fail: they are awaited until a later task makes them pass."
                    .to_owned(),
            );
            judged.change.still = judged.change.still.difference(&new).cloned().collect();
            judged.change.awaited = new;
            judged.awaited = all;
        }
        judged.findings.extend(faults);
    }

    /// Why failing tests cannot be awaited; `all` are those that may fail, `new` are those of the task, and `broken` those that passed
    /// before.
    fn faults(
        &self,
        results: &TestResults,
        all: &AwaitedTests,
        new: &BTreeSet<String>,
        broken: &BTreeSet<String>,
    ) -> Vec<Finding> {
        let error = |seen: &str| Finding::new(Check::Red, Severity::Error, seen);
        let mut faults = Vec::new();
        let unloaded: Vec<String> =
            fallen(results, TestOutcome::NotLoaded).into_iter().filter(|name| !all.contains(name)).collect();
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
        let before = self.earlier.and_then(|earlier| earlier.counts);
        if !broken.is_empty() {
            let seen = "New tests may fail, but those that passed before must still pass. These do not";
            faults.push(error(seen).at(broken.clone()));
        } else if let (Some(before), Some(now)) = (before, results.counts())
            && now.passed < before.passed
        {
            let (before, now) = (before.passed, now.passed);
            let seen = format!(
                "New tests may fail, but those that passed before must still pass ({before} passed before the task, \
                 and {now} pass now)"
            );
            faults.push(error(&seen));
        }
        let own = &self.open.tree.node(self.leaf).id;
        if !new.is_empty() && !self.open.has_one_for(own, Some(self.leaf)) {
            let seen = "New tests may only fail until a later task has written their code, and no open task writes any. \
                        Correct the tests, or the code if they have found a fault in it";
            faults.push(Finding::new(Check::Awaited, Severity::Error, seen).at(new));
        }
        faults
    }

    /// What there is to say about a task that was to write tests if no more of them ran than before.
    fn no_new_test(&self, results: &TestResults) -> Option<Finding> {
        let (before, now) = (self.earlier?.counts?, results.counts()?);
        let seen =
            format!("The task was to write tests, and no more tests ran than before it ({})", now.total());
        // Tests that were there before may have become better ones.
        let severity = if self.changes_tests { Severity::Warning } else { Severity::Error };
        (now.total() <= before.total()).then(|| Finding::new(Check::Red, severity, &seen))
    }
}

/// The open tasks that write code, so that awaited tests can still pass.
pub(crate) struct OpenTasks<'a> {
    tree: &'a TaskTree,
    open: Vec<NodeIx>,
}

impl<'a> OpenTasks<'a> {
    /// Those of a plan in this state. A task that has failed or waits for an answer is open: it can be worked on again.
    pub(crate) fn of(plan: &'a Plan, run: &Run) -> Self {
        let tree = &plan.tree;
        let is_open = |leaf: &NodeIx| writes_code(tree, *leaf) && !plan.state(run, *leaf).is_done();
        Self { tree, open: tree.order().iter().copied().filter(is_open).collect() }
    }

    /// Whether one of them, apart from `besides`, can make tests pass that this task has written.
    fn has_one_for(&self, author: &TaskId, besides: Option<NodeIx>) -> bool {
        let can = writers_for(self.tree, author);
        self.open.iter().any(|leaf| Some(*leaf) != besides && can(*leaf))
    }

    /// The awaited tests that this task has to make pass, because it can and no other open one can.
    pub(crate) fn owed_by(&self, leaf: NodeIx, awaited: &AwaitedTests) -> AwaitedTests {
        let is_last =
            |author: &TaskId| writers_for(self.tree, author)(leaf) && !self.has_one_for(author, Some(leaf));
        if writes_code(self.tree, leaf) { awaited.of_tasks(is_last) } else { AwaitedTests::default() }
    }
}

/// Whether a task changes behaviour, so that tests which failed before can pass with it.
fn writes_code(tree: &TaskTree, leaf: NodeIx) -> bool {
    tree.expect(leaf) == Expect::Change
}

/// Which tasks, if they write code, can make tests pass that this task has written: those of its phase. A phase without such
/// tasks leaves its tests to all others.
fn writers_for(tree: &TaskTree, author: &TaskId) -> impl Fn(NodeIx) -> bool {
    let phase = phase_with_code_of(tree, author);
    move |leaf| phase.is_none_or(|phase| tree.phase_of(leaf) == phase)
}

fn phase_with_code_of(tree: &TaskTree, author: &TaskId) -> Option<NodeIx> {
    let phase = tree.phase_of(tree.find(author.as_str())?);
    tree.leaves_below(phase).any(|leaf| writes_code(tree, leaf)).then_some(phase)
}

/// What is to be said of the awaited tests at a commit at which tasks have been worked on.
pub(crate) struct AwaitedAt {
    /// The tests that these tasks leave to others.
    pub(crate) may_fail: AwaitedTests,
    /// The tests that they had to make pass, because no other open task can.
    pub(crate) owed: AwaitedTests,
}

impl AwaitedAt {
    /// The tests that are awaited at the commit, at which these tasks end.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn of_tasks(
        repository: &Repository,
        plan: &Plan,
        run: &Run,
        commit: CommitId,
        is_meant: impl Fn(NodeIx, &Run) -> bool,
    ) -> Result<Self> {
        let awaited = read_awaited_at(repository, run, commit)?;
        if awaited.is_empty() {
            return Ok(Self { may_fail: awaited, owed: AwaitedTests::default() });
        }
        let there = read_run(repository, commit, &plan.query())?;
        let open = OpenTasks::of(plan, &there);
        let leaves = plan.tree.order().iter().filter(|leaf| is_meant(**leaf, &there));
        let owed: BTreeSet<String> = leaves
            .flat_map(|leaf| open.owed_by(*leaf, &awaited).names().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        let may_fail = awaited.without(&owed);
        Ok(Self { owed: awaited.without(&may_fail.names().map(str::to_owned).collect()), may_fail })
    }

    /// The same for the tasks that are done at the commit, and not in the run.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn of_merged(
        repository: &Repository,
        plan: &Plan,
        run: &Run,
        commit: CommitId,
    ) -> Result<Self> {
        let is_new =
            |leaf, there: &Run| plan.state(there, leaf).is_done() && !plan.state(run, leaf).is_done();
        Self::of_tasks(repository, plan, run, commit, is_new)
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
    /// writes tests leaves them to the others, as long as one of those has an open task that writes code.
    pub(crate) fn at_end_of(
        open: &OpenTasks<'_>,
        phase: NodeIx,
        is_last: bool,
        awaited: &AwaitedTests,
    ) -> Self {
        let is_due = |task: &TaskId| {
            let is_of_other = phase_with_code_of(open.tree, task).is_some_and(|other| other != phase);
            (is_last || !is_of_other) && !open.has_one_for(task, None)
        };
        Self { due: awaited.of_tasks(is_due), later: awaited.of_tasks(|task| !is_due(task)) }
    }

    /// What is found if tests are still awaited, of which there is at least one.
    pub(crate) fn finding(tree: &TaskTree, due: &AwaitedTests) -> Finding {
        let named: Vec<String> = due.iter().map(|(name, task)| format!("{name} (of {task})")).collect();
        let (_, author) = due.iter().next().expect("this is only said if tests are still awaited");
        let writes = writers_for(tree, author);
        let last = tree.order().iter().rev().find(|leaf| writes_code(tree, **leaf) && writes(**leaf));
        let task = last.map_or(author, |leaf| &tree.node(*leaf).id);
        let seen = "Tests are still awaited, and no open task can make them pass";
        Finding::new(Check::Awaited, Severity::Error, seen).at(named).look(&advice::reopen(task).line())
    }
}
