//! The end of a phase: its own tests, and the commit that says it is complete.

use std::collections::{BTreeSet, HashSet};

use super::kept_tests::{PhaseEnd, run_kept_tests};
use super::suite::run_suite;
use super::test::{StepTests, run_tests};
use crate::engine::assignment::Assignment;
use crate::engine::awaited::{DueTests, is_run_for};
use crate::engine::checks::overlooked::name_overlooked;
use crate::engine::commit::finished::FinishedStep;
use crate::engine::commit::recorder::Recorder;
use crate::engine::event::Event;
use crate::engine::phase_tests::tests_of_phase;
use crate::engine::plan::Plan;
use crate::engine::unit::Worker;
use crate::engine::workspace::Workspace;
use crate::error::Result;
use crate::git::Selection;
use crate::history::FollowedRun;
use crate::plan::{NodeIx, TestCommand};
use crate::record::{
    Attempt, AwaitedChange, AwaitedTests, Finding, Outcome, Severity, Step, StepMessage, TaskId, TaskRef,
};
use crate::suite::TestResults;
use crate::trust::awaited::{excuses, passed_in};

/// How the end of a phase went.
#[derive(Debug)]
pub(in crate::engine) struct Closed {
    /// Whether it is marked complete.
    pub(in crate::engine) outcome: Outcome,
    /// What the whole suite, or tests in their earlier version, have found.
    pub(in crate::engine) suite: Option<Finding>,
    /// The tests that are still awaited, or that fail in an earlier version, as a sentence.
    pub(in crate::engine) due: Option<String>,
}

/// Ends a phase.
pub(in crate::engine) struct PhaseCloser<'e, 'a> {
    /// The state of the plan, read from history.
    pub(in crate::engine) followed: &'e FollowedRun<'a>,
    /// The work tree.
    pub(in crate::engine) workspace: &'e mut Workspace<'a>,
}

impl PhaseCloser<'_, '_> {
    /// Runs the tests of a phase whose tasks are all complete, innermost first, and marks it complete if they pass.
    /// The whole suite runs then too.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(in crate::engine) fn close(&mut self, phase: NodeIx) -> Result<Closed> {
        let run = self.workspace.run;
        let node = run.plan.tree.node(phase);
        let task = TaskRef { id: &node.id, name: &node.name };
        let job = Assignment {
            leaf: phase,
            task,
            step: Step::PHASE_COMPLETE,
            attempt: Attempt { number: 0, max: 1 },
        };
        let unit = self.workspace.begin(self.followed, job, Worker::Run)?;
        let live = run.announce(job, None);
        let commands = &tests_of_phase(run.plan, phase);
        let mut results = run_tests(run, StepTests { job, head: &unit.head.commit, commands }, &live)?;
        let awaited = self.followed.awaited()?;
        let commands = self.commands_of_due(phase, &awaited, &results);
        if !commands.is_empty() {
            let tests = StepTests { job, head: &unit.head.commit, commands: &commands };
            results.runs.extend(run_tests(run, tests, &live)?.runs);
        }
        self.workspace.check_after(&unit.head, job.step)?;
        self.workspace.name_leftovers(&format!("the tests of {}", node.id))?;
        let named = name_overlooked(run, &unit)?;
        let (passed, DueTests { due, later }) = self.due(phase, &awaited, &results);
        let due = (!due.is_empty()).then(|| DueTests::sentence(&due));
        let has_failed = || results.outcome() == Outcome::Fail && !excuses(&later, &results);
        if let Some(detail) = due.clone().or_else(|| has_failed().then(|| results.summary())) {
            self.workspace.end_step()?;
            let (phase, name) = (node.id.clone(), run.shown_name(&node.name));
            run.observer.on(Event::PhaseFailed { phase, name, detail });
            return Ok(Closed { outcome: Outcome::Fail, suite: None, due });
        }
        let outcome = Outcome::Pass;
        let is_error = |finding: &Finding| finding.severity() == Severity::Error;
        let mut suite = run_suite(run, &unit.head.commit, &live, &later)?;
        if !suite.as_ref().is_some_and(is_error) {
            let at = PhaseEnd { head: &unit.head.commit, live: &live };
            let kept = run_kept_tests(run, self.followed, at, &mut self.workspace.proof_tree)?;
            suite = kept.or(suite);
        }
        if let Some(finding) = suite.as_ref().filter(|finding| is_error(finding)) {
            self.workspace.end_step()?;
            let (phase, name) = (node.id.clone(), run.shown_name(&node.name));
            run.observer.on(Event::PhaseFailed { phase, name, detail: finding.sentence() });
            let allowed = finding.how_to_allow();
            let due = allowed.map(|command| {
                format!("{} If they were meant to go, `{command}` says so", finding.sentence())
            });
            return Ok(Closed { outcome: Outcome::Fail, suite, due });
        }
        let message = StepMessage::new(job.step, job.task, job.attempt, outcome);
        let message = suite.iter().fold(message, StepMessage::with_finding);
        let message = message.with_awaited(&AwaitedChange { passed, ..AwaitedChange::default() });
        let finished = FinishedStep {
            job,
            outcome,
            head: unit.head,
            selection: Selection::default(),
            message: named.findings().fold(message, |message, finding| message.with_finding(&finding)),
            duration: results.runtime(),
            detail: results.summary(),
            reason: None,
        };
        Recorder { followed: self.followed, workspace: self.workspace }.record(&finished)?;
        Ok(Closed { outcome, suite, due: None })
    }

    /// The awaited tests that these results show to pass, and the others.
    fn due(
        &self,
        phase: NodeIx,
        awaited: &AwaitedTests,
        results: &TestResults,
    ) -> (BTreeSet<String>, DueTests) {
        let Plan { tree, .. } = self.workspace.run.plan;
        let passed = passed_in(awaited, results, |run, task| is_run_for(tree, run, task));
        let now = self.followed.run();
        let is_done = |leaf: NodeIx| self.workspace.run.plan.state(&now, leaf).is_done();
        let mut others = tree.roots().iter().filter(|other| **other != phase);
        let is_last = others.all(|other| tree.leaves_below(*other).all(is_done));
        let due = DueTests::at_end_of(tree, phase, is_last, &awaited.without(&passed));
        (passed, due)
    }

    /// The test commands of the tasks whose tests are still awaited after these results, unless they have run already.
    fn commands_of_due(
        &self,
        phase: NodeIx,
        awaited: &AwaitedTests,
        results: &TestResults,
    ) -> Vec<TestCommand> {
        let tree = &self.workspace.run.plan.tree;
        let (_, DueTests { due, .. }) = self.due(phase, awaited, results);
        let tasks: BTreeSet<&TaskId> = due.iter().map(|(_, task)| task).collect();
        let leaves = tasks.into_iter().filter_map(|task| tree.find(task.as_str()));
        let commands = leaves.flat_map(|leaf| tree.node(leaf).test_commands.iter());
        let mut known: HashSet<&str> = results.runs.iter().map(|run| run.command.as_str()).collect();
        commands.filter(|test| known.insert(&test.command)).cloned().collect()
    }
}
