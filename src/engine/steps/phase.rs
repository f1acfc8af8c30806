//! The end of a phase: its own tests, and the commit that says it is complete.

use std::collections::BTreeSet;

use super::StepMaker;
use super::kept_tests::{PhaseEnd, run_kept_tests};
use super::suite::{SuiteFailure, run_suite};
use super::superseded::EndOfPhase;
use super::test_run::run_tests;
use crate::engine::record::FinishedStep;
use crate::engine::run_context::Assignment;
use crate::engine::tree::artifact::{Artifact, ArtifactKind};
use crate::error::Result;
use crate::git::Head;
use crate::plan::NodeIx;
use crate::process::LiveLine;
use crate::record::{Attempt, AwaitedTests, Check, Finding, Outcome, Severity, Step, StepFacts, TaskRef};
use crate::run::Plan;
use crate::run::awaited::{DueTests, OpenTasks, commands_of, is_run_for};
use crate::suite::TestResults;
use crate::text::one_line;
use crate::trust::awaited::{excuses, passed_in};

/// How the end of a phase went.
#[derive(Debug)]
pub(crate) struct Closed {
    /// Whether it is marked complete.
    pub(crate) outcome: Outcome,
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

impl PhaseTests<'_> {
    /// The same with these findings besides.
    fn with(mut self, findings: Vec<Finding>) -> Self {
        self.findings.extend(findings);
        self
    }
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
        let mut results = run_tests(run, commands, &live)?;
        let awaited = self.followed.awaited()?;
        let (_, DueTests { due, .. }) = self.due(phase, &awaited, &results);
        let commands = commands_of(&run.plan.tree, &due, &results);
        if !commands.is_empty() {
            results.runs.extend(run_tests(run, &commands, &live)?.runs);
        }
        self.workspace.check_after(&unit.head, job.step)?;
        self.workspace.name_leftovers(&format!("the tests of {}", node.id))?;
        let (passed, DueTests { due, later }) = self.due(phase, &awaited, &results);
        let mut ended = PhaseTests { job, head: unit.head, results, findings: Vec::new() };
        if !due.is_empty() {
            let finding = DueTests::finding(&run.plan.tree, &due);
            let reopen = finding.look.as_deref().expect("the finding names a task to reopen");
            let told = format!("{} `{reopen}` lets an agent do that", finding.sentence());
            return self.record_failed_phase(ended.with(vec![finding]), Some(told));
        }
        if let Some(failed) = ended.results.first_failed().filter(|_| !excuses(&later, &ended.results)) {
            let seen = format!("The tests of the phase fail, {}", failed.status());
            let finding = Finding::new(Check::PhaseTests, Severity::Error, &seen)
                .at(failed.failing_tests())
                .look(&one_line(&failed.command));
            return self.record_failed_phase(ended.with(vec![finding]), None);
        }
        let place = &mut self.workspace.proof_place();
        let suite = run_suite(run, &ended.head.commit, &live, &later, place)?;
        if let Some(SuiteFailure { finding, results }) = suite {
            ended.results.runs.extend(results.runs);
            return self.record_failed_phase(ended.with(vec![finding]), None);
        }
        let at = PhaseEnd { head: &ended.head.commit, live: &live };
        let kept = run_kept_tests(run, self.followed, phase, at, self.workspace.proof_place())?;
        if let Some(kept) = kept.as_ref().filter(|finding| finding.is_error()) {
            let allowed = kept.allow.as_deref();
            let due = allowed.map(|field| {
                format!(
                    "{} If they were meant to go, write `{field}` for that task into the plan, and commit it",
                    kept.sentence()
                )
            });
            return self.record_failed_phase(ended.with(vec![kept.clone()]), due);
        }
        let end =
            EndOfPhase { head: &ended.head.commit, live: &live, results: &ended.results, awaited: &later };
        let superseded = self.superseded(phase, end)?;
        self.workspace.check_after(&ended.head, job.step)?;
        let warnings: Vec<Finding> = kept.into_iter().chain(superseded).collect();
        // A phase that was marked with the merge of its last task needs another marker only if that says something else.
        if let Some(marker) = self.followed.run().phases.get(&node.id) {
            let told = StepFacts::of(&run.repository.commit(&marker.id)?.message).found;
            if told == warnings && passed.is_empty() {
                self.workspace.end_step()?;
                return Ok(Closed { outcome: Outcome::Pass, due: None });
            }
        }
        self.record_complete_phase(ended.with(warnings), passed)
    }

    /// Runs the suite on the files that the merge of a complete phase has brought together, and records it if it fails.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(crate) fn test_merged_phase(&mut self, phase: NodeIx) -> Result<()> {
        let run = self.workspace.run;
        let job = run.assignment(phase, Step::PHASE_COMPLETE, 0);
        let unit = self.workspace.begin(self.followed, job)?;
        let live = LiveLine::new();
        let awaited = self.followed.awaited()?;
        let place = &mut self.workspace.proof_place();
        let suite = run_suite(run, &unit.head.commit, &live, &awaited, place)?;
        let Some(SuiteFailure { finding, results }) = suite else { return self.workspace.end_step() };
        self.record_failed_phase(
            PhaseTests { job, head: unit.head, results, findings: vec![finding] },
            None,
        )?;
        Ok(())
    }

    /// Records that everything that is due at the end of a phase has passed. What was found on the way is only a warning.
    fn record_complete_phase(&mut self, ended: PhaseTests<'_>, passed: BTreeSet<String>) -> Result<Closed> {
        let job = ended.job;
        let mut draft = job.draft(Outcome::Pass).finding(&ended.findings).naming(&ended.findings);
        draft.facts.awaited.passed = passed;
        draft.facts.tests = ended.results.counts();
        let finished = FinishedStep {
            duration: ended.results.runtime(),
            detail: ended.results.summary(),
            reason: ended.findings.first().map(Finding::sentence),
            ..FinishedStep::new(job, ended.head, draft)
        };
        self.record(&finished)?;
        Ok(Closed { outcome: Outcome::Pass, due: None })
    }

    /// Records that the tests of a phase, or the suite after them, have failed, with their output: for those who ask what is
    /// wrong, and for the next attempt at a task of the phase. `due` is a sentence about tests that are still awaited or that
    /// fail in an earlier version.
    fn record_failed_phase(&mut self, ended: PhaseTests<'_>, due: Option<String>) -> Result<Closed> {
        let run = self.workspace.run;
        let PhaseTests { job, head, results, findings } = ended;
        let job = Assignment { step: Step::PHASE_TEST, ..job };
        let mut log: Vec<u8> =
            findings.iter().flat_map(|finding| format!("{finding}\n\n").into_bytes()).collect();
        log.extend(results.log());
        let log = Artifact::of_step(run, ArtifactKind::TestLog, job.task)?.write(&log)?;
        let selection = self.workspace.committed_artifact(&log)?;
        let errors: Vec<Finding> = findings.iter().filter(|finding| finding.is_error()).cloned().collect();
        let mut draft = job.draft(Outcome::Fail).finding(&findings).naming(&errors);
        results.count_in(&mut draft);
        results.describe(&mut draft);
        draft.facts.test_log = Some(log);
        let detail = due.clone().or_else(|| errors.first().map(Finding::sentence));
        let finished = FinishedStep {
            selection,
            duration: results.runtime(),
            detail: detail.unwrap_or_else(|| results.summary()),
            reason: results.reason(),
            ..FinishedStep::new(job, head, draft)
        };
        self.record(&finished)?;
        Ok(Closed { outcome: Outcome::Fail, due })
    }

    /// Opens a task again, because the tests of its phase fail. It goes on with the attempt after this one, its last.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(crate) fn reopen(&mut self, leaf: NodeIx, attempt: u32) -> Result<()> {
        let run = self.workspace.run;
        let job = run.assignment(leaf, Step::REOPEN, attempt);
        let phase = &run.plan.tree.node(run.plan.tree.phase_of(leaf)).id;
        let why = format!("the tests of {phase} fail");
        let head = run.repository.branch()?;
        let draft = job.draft(Outcome::Pass).because(&why);
        self.record(&FinishedStep { detail: why, ..FinishedStep::new(job, head, draft) })
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
        let open = OpenTasks::of(self.workspace.run.plan, &now);
        let due = DueTests::at_end_of(&open, phase, is_last, &awaited.without(&passed));
        (passed, due)
    }
}
