//! Finds what the steps of a task say together: its evidence, the findings that still apply, and its attempts.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::step::in_attempts;
use super::{
    Artifact, CodeChange, Effort, Evidence, Moment, RunAttempt, RunDocument, RunStep, RunTask, StepView,
    TaskSteps, WorkedStep,
};
use crate::check::evidence::{EvidenceStep, TaskEvidence, evidence};
use crate::plan::NodeIx;
use crate::record::{
    By, Check, CommitId, Finding, Goal, Severity, State, Step, StepEffort, StepFindings, TaskWord,
    TrailerKey, open_findings,
};

impl<'a> RunDocument<'a> {
    /// Adds what the plan says about a task, and its steps, oldest first.
    pub fn add_steps(
        &mut self,
        leaf: NodeIx,
        steps: &'a [StepView],
        landed: Option<CommitId>,
        changes: Option<&'a HashMap<CommitId, CodeChange>>,
    ) {
        let in_plan = self.in_plan(leaf);
        let change = |step: &StepView| changes.and_then(|changes| changes.get(&step.commit));
        let steps: Vec<RunStep<'a>> = steps.iter().map(|step| RunStep::of(step, change(step))).collect();
        let task = self.task_mut(leaf);
        task.in_plan = Some(in_plan);
        task.add_steps(&steps, landed);
    }
}

impl<'a> RunTask<'a> {
    fn add_steps(&mut self, steps: &[RunStep<'a>], landed: Option<CommitId>) {
        let counted: Vec<&RunStep<'a>> =
            steps.iter().rev().filter(|step| !step.reverted && !step.outdated).collect();
        let complete = self.complete_evidence(&counted);
        let evidence = shown_evidence(&counted, complete.as_ref());
        let findings = findings(&counted, complete.as_ref(), self.state);
        let artifacts = steps.iter().filter_map(artifact).collect();
        let (began, ended) =
            (steps.iter().map(RunStep::began).min(), steps.iter().map(|step| step.time).max());
        // Also of steps that do not count any more, but not of another plan.
        let worked = steps.iter().filter(|step| !step.outdated).map(|step| WorkedStep {
            record: step.record,
            effort: StepEffort { usage: step.usage, worked: step.facts.worked() },
        });
        self.effort = Effort::of(&worked.collect::<Vec<_>>());
        let attempts = in_attempts(steps);
        let began = began.map(Moment);
        self.steps = Some(TaskSteps { landed, began, ended, evidence, findings, attempts, artifacts });
    }

    fn complete_evidence(&self, counted: &[&RunStep<'_>]) -> Option<TaskEvidence> {
        let one = |step: &&RunStep<'_>| EvidenceStep {
            task: self.id.clone(),
            commit: step.commit,
            record: step.record,
            counts: step.tests,
            has_tests: step.facts.test_type.is_some(),
            proof: step.facts.proof.clone(),
            findings: step.findings.to_vec(),
            landed: step.facts.landed,
            error: step.error(),
        };
        let steps: Vec<EvidenceStep> = counted.iter().map(one).collect();
        evidence(&steps, |_| self.is_tested).pop()
    }

    /// Its attempts, oldest first; none if they were not asked for.
    pub(crate) fn attempts(&self) -> &[RunAttempt<'a>] {
        self.steps.as_ref().map(|steps| steps.attempts.as_slice()).unwrap_or_default()
    }

    /// Its steps, oldest first; none if they were not asked for.
    pub(crate) fn all_steps(&self) -> impl DoubleEndedIterator<Item = &RunStep<'a>> {
        self.attempts().iter().flat_map(|attempt| &attempt.steps)
    }

    /// The newest step of this kind that was not reverted.
    pub(crate) fn newest(&self, step: Step) -> Option<&RunStep<'a>> {
        self.all_steps().rfind(|one| one.step == step && !one.reverted)
    }

    /// What shows that it is done; nothing if its steps were not asked for.
    pub(crate) fn evidence(&self) -> &Evidence {
        static NONE: LazyLock<Evidence> = LazyLock::new(Evidence::default);
        self.steps.as_ref().map_or(&NONE, |steps| &steps.evidence)
    }

    /// The findings that still apply; none if its steps were not asked for.
    pub(crate) fn findings(&self) -> &[Finding] {
        self.steps.as_ref().map(|steps| steps.findings.as_slice()).unwrap_or_default()
    }
}

impl RunStep<'_> {
    /// When it began, as far as it is known how long it took.
    pub(crate) fn began(&self) -> i64 {
        self.time.0.saturating_sub_unsigned(self.facts.worked().as_secs())
    }

    /// The first error that it has found, as a sentence.
    pub(crate) fn error(&self) -> Option<String> {
        let error = self.found.iter().find(|finding| finding.severity == Severity::Error);
        error.map(Finding::sentence)
    }
}

/// The evidence of a task; of one that is not complete, only what its latest steps say. The newest step comes first.
fn shown_evidence(counted: &[&RunStep<'_>], complete: Option<&TaskEvidence>) -> Evidence {
    let tested = complete.and_then(|evidence| evidence.tested);
    let test = counted.iter().find(|step| match tested {
        Some(commit) => step.commit == commit,
        None => step.step.row().goal == Goal::TestsPass,
    });
    let facts = test.map(|step| step.facts);
    let reviewed = complete.and_then(|evidence| evidence.reviewed);
    let review = counted.iter().find(|step| Some(step.commit) == reviewed);
    Evidence {
        word: complete.map(|evidence| evidence.word),
        vouched: complete.is_some_and(|evidence| evidence.word == TaskWord::VouchedFor),
        tested,
        tests: facts.and_then(|facts| facts.tests),
        red: counted.iter().find_map(|step| step.facts.red).map(|kind| kind.word().to_owned()),
        coverage: facts.and_then(|facts| facts.coverage.clone()),
        changed_coverage: facts.and_then(|facts| facts.changed_coverage.clone()),
        landed: complete.is_some_and(|evidence| evidence.landed),
        reviewed,
        reviewer: review.map(|step| match (step.by, step.runner) {
            (By::User, _) => "a person".to_owned(),
            (By::Run | By::Reviewer | By::Request, Some(runner)) => runner.to_owned(),
            (By::Run | By::Reviewer | By::Request, None) => "an unknown agent".to_owned(),
        }),
        proof: complete.and_then(|evidence| evidence.proof.clone()),
    }
}

/// The findings that still apply. A complete step names checks of which no other step may say more.
fn findings(counted: &[&RunStep<'_>], complete: Option<&TaskEvidence>, state: State) -> Vec<Finding> {
    if state == State::Skipped {
        return Vec::new();
    }
    let of_step = |step: &&RunStep<'_>| StepFindings { record: step.record, found: step.found.to_vec() };
    let mut open = open_findings(counted.iter().map(of_step));
    open.reverse();
    open.dedup();
    let named = complete.map(|evidence| evidence.findings.as_slice()).unwrap_or_default();
    for check in named.iter().filter_map(|name| Check::from_name(name)) {
        if !open.iter().any(|finding| finding.check == check) {
            open.push(Finding::new(check, Severity::Warning, check.about()));
        }
    }
    open
}

fn artifact<'a>(step: &RunStep<'a>) -> Option<Artifact<'a>> {
    let (key, path) = step.facts.artifacts().next()?;
    let kind = match key {
        TrailerKey::TestLog => "test-log",
        TrailerKey::ReviewLog => "review-log",
        _ => "report",
    };
    Some(Artifact { kind, path, commit: step.commit })
}
