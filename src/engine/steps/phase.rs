//! The end of a phase: its own tests, and the commit that says it is complete.

use std::collections::{BTreeSet, HashSet};

use super::StepMaker;
use super::kept_tests::{PhaseEnd, run_kept_tests};
use super::suite::{SuiteFailure, run_suite};
use super::test_run::{StepTests, run_tests};
use crate::engine::record::FinishedStep;
use crate::engine::run_context::Assignment;
use crate::engine::tree::artifact::{Artifact, ArtifactKind};
use crate::engine::tree::overlooked::name_overlooked;
use crate::error::Result;
use crate::git::Head;
use crate::plan::{NodeIx, TestCommand};
use crate::record::{
    Attempt, AwaitedChange, AwaitedTests, Finding, Outcome, Step, StepMessage, TaskId, TaskRef,
};
use crate::run::Plan;
use crate::run::awaited::{DueTests, is_run_for};
use crate::suite::TestResults;
use crate::trust::awaited::{excuses, passed_in};

/// How the end of a phase went.
#[derive(Debug)]
pub(crate) struct Closed {
    /// Whether it is marked complete.
    pub(crate) outcome: Outcome,
    /// What the whole suite, or tests in their earlier version, have found.
    pub(crate) suite: Option<Finding>,
    /// The tests that are still awaited, or that fail in an earlier version, as a sentence.
    pub(crate) due: Option<String>,
}

/// The tests of a phase that have run.
struct PhaseTests<'p> {
    job: Assignment<'p>,
    /// The commit on which they ran.
    head: Head,
    results: TestResults,
    /// What is to be said besides their results.
    findings: Vec<Finding>,
}

impl StepMaker<'_, '_> {
    /// Runs the tests of a phase whose tasks are all complete, innermost first, and marks it complete if they pass.
    /// The whole suite runs then too.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(crate) fn close_phase(&mut self, phase: NodeIx) -> Result<Closed> {
        let run = self.workspace.run;
        let node = run.plan.tree.node(phase);
        let task = TaskRef { id: &node.id, name: &node.name };
        let job = Assignment {
            leaf: phase,
            task,
            step: Step::PHASE_COMPLETE,
            attempt: Attempt { number: 0, max: 1, merge: None },
        };
        let unit = self.workspace.begin(self.followed, job)?;
        let live = run.announce(job, None);
        let commands = &run.plan.tests_of_phase(phase);
        let mut results = run_tests(run, StepTests { job, head: &unit.head.commit, commands }, &live)?;
        let awaited = self.followed.awaited()?;
        let commands = self.commands_of_due(phase, &awaited, &results);
        if !commands.is_empty() {
            let tests = StepTests { job, head: &unit.head.commit, commands: &commands };
            results.runs.extend(run_tests(run, tests, &live)?.runs);
        }
        self.workspace.check_after(&unit.head, job.step)?;
        self.workspace.name_leftovers(&format!("the tests of {}", node.id))?;
        let named: Vec<Finding> = name_overlooked(run, &unit)?.findings().collect();
        let (passed, DueTests { due, later }) = self.due(phase, &awaited, &results);
        let ended = PhaseTests { job, head: unit.head, results, findings: named };
        if !due.is_empty() {
            let due = DueTests::sentence(&due);
            return self.record_failed_phase(ended, Some(due), None);
        }
        if ended.results.outcome() == Outcome::Fail && !excuses(&later, &ended.results) {
            return self.record_failed_phase(ended, None, None);
        }
        let failure = run_suite(run, &ended.head.commit, &live, &later)?;
        let mut suite = failure.as_ref().map(|failure| failure.finding.clone());
        if let Some(failure) = failure.filter(|failure| failure.finding.is_error()) {
            return self.record_failed_phase(ended, None, Some(failure));
        }
        let at = PhaseEnd { head: &ended.head.commit, live: &live };
        suite = run_kept_tests(run, self.followed, at, self.workspace.proof_place())?.or(suite);
        if let Some(kept) = suite.as_ref().filter(|finding| finding.is_error()) {
            let allowed = kept.how_to_allow();
            let due = allowed
                .map(|command| format!("{} If they were meant to go, `{command}` says so", kept.sentence()));
            let findings = ended.findings.into_iter().chain([kept.clone()]).collect();
            return self.record_failed_phase(PhaseTests { findings, ..ended }, due, None);
        }
        self.record_complete_phase(ended, passed, suite)
    }

    /// Records that everything that is due at the end of a phase has passed. `suite` is a finding of the suite that is only a
    /// warning.
    fn record_complete_phase(
        &mut self,
        ended: PhaseTests<'_>,
        passed: BTreeSet<String>,
        suite: Option<Finding>,
    ) -> Result<Closed> {
        let job = ended.job;
        let message = job.message(Outcome::Pass);
        let message = suite.iter().fold(message, StepMessage::with_finding);
        let message = message.with_awaited(&AwaitedChange { passed, ..AwaitedChange::default() });
        let message = ended.findings.iter().fold(message, StepMessage::with_finding);
        let finished = FinishedStep {
            duration: ended.results.runtime(),
            detail: ended.results.summary(),
            ..FinishedStep::new(job, Outcome::Pass, ended.head, message)
        };
        self.record(&finished)?;
        Ok(Closed { outcome: Outcome::Pass, suite, due: None })
    }

    /// Records that the tests of a phase, or the suite after them, have failed, with their output: for those who ask what is
    /// wrong, and for the next attempt at a task of the phase. `due` is a sentence about tests that are still awaited or that
    /// fail in an earlier version.
    fn record_failed_phase(
        &mut self,
        ended: PhaseTests<'_>,
        due: Option<String>,
        suite: Option<SuiteFailure>,
    ) -> Result<Closed> {
        let run = self.workspace.run;
        let PhaseTests { job, head, results, mut findings } = ended;
        let job = Assignment { step: Step::PHASE_TEST, ..job };
        findings.extend(suite.iter().map(|failure| failure.finding.clone()));
        let outputs = || [&results].into_iter().chain(suite.iter().map(|failure| &failure.results));
        let mut log: Vec<u8> =
            findings.iter().flat_map(|finding| format!("{finding}\n\n").into_bytes()).collect();
        log.extend(outputs().flat_map(TestResults::log));
        let mut facts = results.facts();
        let log = Artifact::of_step(run, ArtifactKind::TestLog, job.task)?.write(&log)?;
        let selection = self.workspace.committed_artifact(&log)?;
        facts.log = Some(log);
        let message = job.message(Outcome::Fail).with_tests(&facts);
        let message = findings.iter().fold(message, StepMessage::with_finding);
        let message = due.iter().fold(message, |message, due| message.with_sentence(&format!("{due}.")));
        let errors = findings.iter().filter(|finding| finding.is_error());
        let detail = due.clone().or_else(|| errors.map(Finding::sentence).next());
        let message = outputs().fold(message, |message, results| results.describe(message));
        let finished = FinishedStep {
            selection,
            duration: facts.runtime,
            detail: detail.unwrap_or_else(|| results.summary()),
            reason: results.reason(),
            ..FinishedStep::new(job, Outcome::Fail, head, message)
        };
        self.record(&finished)?;
        Ok(Closed { outcome: Outcome::Fail, suite: suite.map(|failure| failure.finding), due })
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
