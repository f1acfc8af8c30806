//! The test step: the task's own commands judge the work (docs/plans.md).

use super::StepMaker;
use super::merged_siblings::{Beside, TestsBeside};
use super::suite::{self, SuiteFailure, run_suite};
use super::test_run::{run_tests, run_tests_on};
use crate::agents::LiveLine;
use crate::config::CheckLevel;
use crate::engine::checks::counts::{ExpectedCounts, count_findings, flaky_findings};
use crate::engine::checks::coverage::{TaskCoverage, exclusion_findings, measures_change, mutation_findings};
use crate::engine::checks::protected::{JudgingChange, rewritten_tests};
use crate::engine::checks::proven::{Proven, ProvenAt, prove};
use crate::engine::record::FinishedStep;
use crate::engine::run_context::Assignment;
use crate::engine::tree::artifact::{Artifact, ArtifactKind};
use crate::engine::tree::unit::WorkUnit;
use crate::engine::tree::workspace::ProofPlace;
use crate::error::Result;
use crate::history::{TaskStep, changed_paths};
use crate::plan::Expect;
use crate::record::{
    AwaitedTests, Check, Finding, Outcome, ProofRun, Quote, RunWord, Severity, Statement, StepDraft, UNTESTED,
};
use crate::run::awaited::{AwaitingTask, JudgedResults, OpenTasks, commands_of};
use crate::run::steps::earlier_tests::{EarlierTests, TestsAt};
use crate::run::steps::findings::findings;
use crate::run::steps::implement_commits::implement_commits;
use crate::suite::TestResults;
use crate::trust::awaited::excuses;
use crate::trust::files::is_test_side;
use crate::trust::inline::is_rust;

impl StepMaker<'_, '_> {
    /// Runs the test commands, and commits their results. Returns how they ended.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(crate) fn test(&mut self, job: Assignment<'_>) -> Result<Outcome> {
        let steps = self.followed.steps_of(job.task.id)?;
        // Only the names of the tests from before it tell which tests a task has written that writes tests. Other tasks need
        // their number, if no proof compares it.
        let is_writing = self.workspace.run.plan.tree.expect(job.leaf) == Expect::Tests;
        let trust = &self.workspace.run.settings.trust;
        let earlier = match () {
            () if is_writing || trust.prove == CheckLevel::Off && trust.counts != CheckLevel::Off => {
                self.earlier_tests(job)?
            }
            () => self.workspace.earlier.of_task(job.leaf).cloned(),
        };
        let unit = self.workspace.begin(self.followed, job)?;
        let live = self.workspace.run.announce(job, None);
        let awaited = self.followed.awaited()?;
        let (plan, now) = (self.workspace.run.plan, self.followed.run());
        let open = OpenTasks::of(plan, &now);
        let changes_tests = self.changes_tests(&steps)?;
        let step = TestStep {
            job,
            unit: &unit,
            steps: &steps,
            awaited: &awaited,
            open: &open,
            changes_tests,
            earlier,
            live: &live,
        };
        let step = &step;
        let ran = self.run_commands(step)?;
        self.refuse_missing(job, &ran.results)?;
        let verdict = self.judge(step, &ran)?;
        let verdict = self.prove(step, verdict)?;
        self.record_tests(step, &ran, &verdict)
    }

    /// Runs the commands of the task and, if they pass, those of the tasks beside it.
    fn run_commands(&mut self, step: &TestStep<'_>) -> Result<TestsRun> {
        let TestStep { job, unit, steps, awaited, live, .. } = *step;
        let run = self.workspace.run;
        let head = &unit.head.commit;
        let commands = &run.plan.tree.node(job.leaf).test_commands;
        let change = match measures_change(commands) {
            true => {
                let tip = self.followed.run().range.head();
                Some(run.change_source(steps, tip).own_patch(&run.artifacts())?)
            }
            false => None,
        };
        let results = run_tests_on(run, commands, live, change.as_deref())?;
        self.workspace.earlier.note(TestsAt { commands, commit: *head }, &results);
        self.workspace.earlier.missing = None;
        let beside = match results.outcome() {
            Outcome::Pass => {
                let place = self.workspace.proof_place();
                TestsBeside { run, job, head, awaited, live, place }.run()?
            }
            Outcome::Fail | Outcome::Skip => Beside::default(),
        };
        let unseen = self.awaiting(step).unseen(&results);
        let commands = commands_of(&run.plan.tree, &unseen, &results);
        let further = match results.outcome() == Outcome::Pass || excuses(awaited, &results) {
            true if !commands.is_empty() => Some(run_tests(run, &commands, live)?),
            _ => None,
        };
        self.workspace.check_after(&unit.head, job.step)?;
        self.workspace.name_leftovers(&format!("the tests of {}", job.task.id))?;
        let coverage = change.as_ref().map(|change| TaskCoverage::of(run, &results, change));
        Ok(TestsRun { coverage: coverage.transpose()?.flatten(), results, further, beside })
    }

    fn awaiting<'s>(&'s self, step: &'s TestStep<'s>) -> AwaitingTask<'s> {
        AwaitingTask {
            open: step.open,
            leaf: step.job.leaf,
            changes_tests: step.changes_tests,
            awaited: step.awaited,
            earlier: step.earlier.as_ref(),
        }
    }

    /// Whether the steps of a task have changed files that may have tests.
    fn changes_tests(&self, steps: &[TaskStep]) -> Result<bool> {
        let run = self.workspace.run;
        let changed = changed_paths(run.repository, &implement_commits(&run.git, steps))?;
        let mut changed = changed.iter().map(|path| String::from_utf8_lossy(path));
        Ok(changed.any(|path| is_test_side(&path) || is_rust(&path)))
    }

    /// Judges the results, and what the checks find in the change of the task.
    fn judge<'r>(&self, step: &TestStep<'_>, ran: &'r TestsRun) -> Result<TestVerdict<'r>> {
        let run = self.workspace.run;
        let mut judged = self.awaiting(step).judge(&ran.results, ran.further.as_ref());
        let mut found = self.findings_of(step, &judged)?;
        found.append(&mut judged.findings);
        found.extend(ran.beside.findings.iter().cloned());
        found.extend(mutation_findings(&ran.results));
        if let (Some(coverage), Outcome::Pass) = (&ran.coverage, judged.outcome) {
            found.extend(coverage.findings(&run.settings.tests.coverage));
        }
        Ok(TestVerdict { judged, found, proven: Proven::default(), suite: None })
    }

    /// Proves the task if its tests pass, and then runs the whole suite if that is wanted. Otherwise the verdict stays.
    fn prove<'r>(&mut self, step: &TestStep<'_>, verdict: TestVerdict<'r>) -> Result<TestVerdict<'r>> {
        if verdict.judged.outcome != Outcome::Pass || !verdict.found.iter().all(may_be_proven) {
            return Ok(verdict);
        }
        let TestStep { job, unit, steps, live, .. } = *step;
        let run = self.workspace.run;
        let TestVerdict { judged, mut found, .. } = verdict;
        let at = ProvenAt {
            commit: unit.head.commit,
            steps,
            awaited: &judged.awaited,
            has_rewritten_tests: found.iter().any(|finding| finding.check == Check::RewrittenTests),
            packages: &self.workspace.packages,
            before: step.earlier.as_ref().and_then(|earlier| earlier.counts),
            live,
        };
        let place = ProofPlace { tree: &mut self.workspace.proof_tree, ignored: &self.workspace.ignored };
        let mut proven = prove(run, job, at, place)?;
        self.workspace.check_after(&unit.head, job.step)?;
        if proven.proof.run(ProofRun::Old) == Some(RunWord::Pass) {
            found = found.into_iter().map(without_fewer_tests).collect();
        }
        // What both comparisons have found is said once, by the one that knows more.
        if proven.findings.iter().any(|finding| finding.check == Check::FewerTests) {
            found.retain(|finding| finding.check != Check::FewerTests);
        }
        found.append(&mut proven.findings);
        let mut suite = None;
        if suite::is_required(run) && !found.iter().any(Finding::is_error) {
            let place = &mut self.workspace.proof_place();
            suite = run_suite(run, &unit.head.commit, live, &judged.awaited, place)?;
            found.extend(suite.iter().map(|failure| failure.finding.clone()));
        }
        Ok(TestVerdict { judged, found, proven, suite })
    }

    /// Commits the results. Returns how the step has ended.
    fn record_tests(
        &mut self,
        step: &TestStep<'_>,
        ran: &TestsRun,
        verdict: &TestVerdict<'_>,
    ) -> Result<Outcome> {
        let TestStep { job, unit, steps, .. } = *step;
        let run = self.workspace.run;
        let outcome = verdict.outcome();
        let (outputs, proof_output) = (verdict.outputs(ran), verdict.proven.output());
        let own = &verdict.found;
        let mut findings = findings(run.repository, &run.git, steps)?;
        findings.extend(own.iter().cloned());
        let mut draft = job.draft(outcome).finding(own).naming(&findings);
        ran.results.count_in(&mut draft);
        verdict.describe(&mut draft, ran);
        outputs.into_iter().flatten().for_each(|results| results.describe(&mut draft));
        let mut log = None;
        if outcome == Outcome::Fail {
            let text = log_of(own, outputs, &proof_output);
            log = Some(Artifact::of_step(run, ArtifactKind::TestLog, job.task)?.write(&text)?);
            draft.facts.test_log.clone_from(&log);
        }
        draft.quotes.extend(proof_output);
        let is_untested = outcome == Outcome::Pass && !run.plan.tree.node(job.leaf).is_tested();
        if is_untested && !draft.facts.is_untested() {
            draft.facts.states.insert(Statement::Untested);
        }
        let selection = log.map(|log| self.workspace.committed_artifact(&log)).transpose()?;
        let finished = FinishedStep {
            selection: selection.unwrap_or_default(),
            duration: ran.results.runtime(),
            detail: if is_untested { UNTESTED.to_owned() } else { summary_of(own, &verdict.judged) },
            reason: ran.results.reason().filter(|_| verdict.judged.excuse.is_none()),
            ..FinishedStep::new(job, unit.head.clone(), draft)
        };
        self.record(&finished)?;
        Ok(outcome)
    }
}

/// A test step that has begun.
struct TestStep<'s> {
    job: Assignment<'s>,
    unit: &'s WorkUnit,
    /// The steps of the task before it, newest first.
    steps: &'s [TaskStep],
    /// The tests that are awaited before it.
    awaited: &'s AwaitedTests,
    open: &'s OpenTasks<'s>,
    /// Whether the task has changed files that may have tests.
    changes_tests: bool,
    earlier: Option<EarlierTests>,
    live: &'s LiveLine,
}

/// What the commands have shown.
struct TestsRun {
    results: TestResults,
    /// What the commands of earlier tasks have shown of awaited tests that its own do not run.
    further: Option<TestResults>,
    /// What those of the tasks beside it have shown.
    beside: Beside,
    coverage: Option<TaskCoverage>,
}

/// What is concluded from the results.
struct TestVerdict<'r> {
    judged: JudgedResults<'r>,
    /// What the checks have found.
    found: Vec<Finding>,
    proven: Proven,
    /// How the whole suite has failed.
    suite: Option<SuiteFailure>,
}

impl TestVerdict<'_> {
    fn outcome(&self) -> Outcome {
        if self.found.iter().any(Finding::is_error) { Outcome::Fail } else { self.judged.outcome }
    }

    /// All results whose output is shown.
    fn outputs<'o>(&'o self, ran: &'o TestsRun) -> [Option<&'o TestResults>; 4] {
        [
            Some(&ran.results),
            ran.further.as_ref(),
            ran.beside.results.as_ref(),
            self.suite.as_ref().map(|failure| &failure.results),
        ]
    }

    /// Adds to a step what was measured, proven and awaited.
    fn describe(&self, draft: &mut StepDraft, ran: &TestsRun) {
        if let Some(coverage) = &ran.coverage {
            coverage.describe(draft);
        }
        self.proven.describe(draft);
        draft.notes.extend(self.judged.excuse.clone());
        draft.facts.awaited.clone_from(&self.judged.change);
    }
}

impl StepMaker<'_, '_> {
    /// What the checks find in the change of a task and in the results of its tests.
    fn findings_of(&self, step: &TestStep<'_>, judged: &JudgedResults<'_>) -> Result<Vec<Finding>> {
        let TestStep { job, steps, .. } = *step;
        let results = judged.results;
        let run = self.workspace.run;
        let trust = &run.settings.trust;
        let mut found = Vec::new();
        if !run.plan.tree.node(job.leaf).is_tested() {
            found.push(Finding::new(
                Check::Tests,
                Severity::Warning,
                "The task has no test command, so nothing was tested",
            ));
        }
        let change = JudgingChange::of(run, job.leaf, steps)?;
        if let Some(severity) = trust.protect.severity() {
            found.extend(change.findings(severity, &self.followed.run().range.head()));
        }
        found.extend(rewritten_tests(run, steps)?);
        found.extend(exclusion_findings(run, steps)?);
        let expected = ExpectedCounts {
            earlier: step.earlier.as_ref(),
            may_be_fewer: change.allows_tests,
            kind: run.plan.tree.expect(job.leaf),
            have_passed: judged.counts_matter(),
            level: trust.counts,
        };
        found.extend(count_findings(judged.results, &expected));
        found.extend(flaky_findings(results));
        Ok(found)
    }
}

/// Whether a finding does not decide the step before the proof: tests that are gone may have been replaced by others, which
/// the old run shows.
fn may_be_proven(finding: &Finding) -> bool {
    !finding.is_error() || finding.check == Check::FewerTests
}

/// Tests that passed before the task still pass with it, so that fewer of them are left is only a warning.
fn without_fewer_tests(finding: Finding) -> Finding {
    if finding.check == Check::FewerTests { finding.with_severity(Severity::Warning) } else { finding }
}

/// The log of a failed test step: what the checks have found, the whole output of the commands, and the end of that of a proof.
fn log_of(found: &[Finding], results: [Option<&TestResults>; 4], proof: &[Quote]) -> Vec<u8> {
    let mut log: String = found.iter().map(|finding| format!("{finding}\n\n")).collect();
    for results in results.into_iter().flatten() {
        log.push_str(&String::from_utf8_lossy(&results.log()));
    }
    for quote in proof {
        log.push_str(&format!("{}\n\n", quote.whole()));
    }
    log.into_bytes()
}

/// A few words for a progress line: what has failed the attempt first, and the results of the commands.
fn summary_of(found: &[Finding], judged: &JudgedResults<'_>) -> String {
    let errors = found.iter().filter(|finding| finding.is_error());
    let errors = errors.map(|finding| format!("{}: {}", finding.check.name(), finding.clause()));
    let results = Some(judged.summary()).filter(|summary| !summary.is_empty());
    errors.chain(results).collect::<Vec<_>>().join("; ")
}
