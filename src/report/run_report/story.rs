//! The story of one task: its evidence, its findings and its attempts.

use super::RunInput;
use super::facts::{AttemptFacts, CodeChange, CommandFacts, Evidence, Moment, StepFact, TaskReport, Tone};
use crate::check::evidence::{EvidenceStep, TaskEvidence, evidence};
use crate::plan::{Node, NodeIx};
use crate::record::{
    By, Check, Finding, Goal, Outcome, Severity, State, StepFindings, StepValidity, TaskId, TaskWord,
    open_findings,
};
use crate::report::figures::{AttemptOf, Figures, attempts_of};
use crate::report::show::StepView;
use crate::text::tail;

/// How many characters of the body of a message are kept. Those of our own runs are shorter.
const BODY: usize = 16_000;

/// The story of a task.
pub(super) fn story(input: &RunInput<'_>, leaf: NodeIx, figures: &Figures) -> TaskReport {
    let view = &input.tasks.plan_view;
    let (tree, node) = (view.tree, view.tree.node(leaf));
    let steps = input.tasks.steps_of(leaf);
    let counted: Vec<&StepView> =
        steps.iter().rev().filter(|step| step.validity == StepValidity::Counts).collect();
    let evidence = evidence_of(node, &counted);
    let state = view.state(leaf);
    let shown = view.step(leaf).and_then(|step| step.record.shown_stage()).unwrap_or(state.word());
    let unmerged = input.is_elsewhere(leaf) && state.is_done();
    let attempts = attempts_of(steps);
    let times = attempts.iter().flat_map(|attempt| &attempt.steps);
    let began = times.clone().map(|step| begin_of(step)).min();
    TaskReport {
        id: node.id.to_string(),
        name: node.name.clone(),
        phase: view.id(tree.phase_of(leaf)).to_owned(),
        parent: node.parent.map(|parent| view.id(parent).to_owned()),
        description: node.description.clone(),
        depends_on: tree.dependencies(leaf).into_iter().map(|ix| view.id(ix).to_owned()).collect(),
        state: state.word(),
        shown: format!("{shown}{}", if unmerged { ", not merged yet" } else { "" }),
        blocked_by: view.blocked_by(leaf).into_iter().map(str::to_owned).collect(),
        plan_edited: view.is_edited(leaf),
        unmerged,
        test_commands: node
            .test_commands
            .iter()
            .map(|test| CommandFacts { kind: test.kind.word(), command: test.command.clone() })
            .collect(),
        expect: tree.expect(leaf).word(),
        may_change: tree.may_change(leaf).iter().map(|pattern| pattern.as_str().to_owned()).collect(),
        max_attempts: view.max_attempts(leaf).get(),
        began: began.map(Moment),
        ended: times.map(|step| step.time).max().map(Moment),
        seconds: figures.worked(),
        usage: figures.usage,
        evidence: shown_evidence(&counted, evidence.as_ref()),
        findings: findings(&counted, evidence.as_ref(), state),
        attempts: attempts.iter().map(|attempt| attempt_facts(input, attempt)).collect(),
    }
}

/// When a step began, as far as it is known how long it took.
fn begin_of(step: &StepView) -> i64 {
    let worked = i64::try_from(step.facts.worked().as_secs()).unwrap_or(i64::MAX);
    step.time.saturating_sub(worked)
}

fn evidence_of(node: &Node, counted: &[&StepView]) -> Option<TaskEvidence> {
    let steps: Vec<EvidenceStep> = counted.iter().map(|step| evidence_step(&node.id, step)).collect();
    evidence(&steps, |_| node.is_tested()).pop()
}

fn evidence_step(id: &TaskId, step: &StepView) -> EvidenceStep {
    let facts = &step.facts;
    let error = facts.found.iter().find(|finding| finding.severity == Severity::Error);
    EvidenceStep {
        task: id.clone(),
        commit: step.commit,
        record: step.record,
        counts: facts.tests,
        has_tests: facts.test_type.is_some(),
        proof: facts.proof.clone(),
        findings: facts.findings.clone(),
        landed: facts.landed,
        error: error.map(Finding::sentence),
    }
}

/// The evidence of a task; of one that is not complete, only what its latest steps say.
fn shown_evidence(counted: &[&StepView], complete: Option<&TaskEvidence>) -> Evidence {
    let test = complete.and_then(|evidence| evidence.tested);
    let test = counted.iter().find(|step| match test {
        Some(commit) => step.commit == commit,
        None => step.record.step.row().goal == Goal::TestsPass,
    });
    let facts = test.map(|step| &step.facts);
    let reviewed = complete.and_then(|evidence| evidence.reviewed);
    let review = counted.iter().find(|step| Some(step.commit) == reviewed);
    Evidence {
        word: complete.map(|evidence| evidence.word),
        vouched: complete.is_some_and(|evidence| evidence.word == TaskWord::VouchedFor),
        tested: complete.and_then(|evidence| evidence.tested),
        tests: facts.and_then(|facts| facts.tests),
        red: counted.iter().find_map(|step| step.facts.red).map(|kind| kind.word().to_owned()),
        coverage: facts.and_then(|facts| facts.coverage.clone()),
        changed_coverage: facts.and_then(|facts| facts.changed_coverage.clone()),
        landed: complete.is_some_and(|evidence| evidence.landed),
        reviewed,
        reviewer: review.map(|step| match (step.record.by, &step.facts.runner) {
            (By::User, _) => "a person".to_owned(),
            (By::Run | By::Reviewer, Some(runner)) => runner.clone(),
            (By::Run | By::Reviewer, None) => "an unknown agent".to_owned(),
        }),
        proof: complete.and_then(|evidence| evidence.proof.clone()),
    }
}

/// The findings that still apply. A complete step names checks of which no other step may say more.
fn findings(counted: &[&StepView], complete: Option<&TaskEvidence>, state: State) -> Vec<Finding> {
    if state == State::Skipped {
        return Vec::new();
    }
    let of_step = |step: &&StepView| StepFindings { record: step.record, found: step.facts.found.clone() };
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

fn attempt_facts(input: &RunInput<'_>, attempt: &AttemptOf<'_>) -> AttemptFacts {
    AttemptFacts {
        attempt: attempt.number,
        merge: attempt.merge,
        steps: attempt.steps.iter().map(|step| step_fact(step, input.changes.get(&step.commit))).collect(),
    }
}

fn step_fact(step: &StepView, change: Option<&CodeChange>) -> StepFact {
    let (record, facts) = (step.record, &step.facts);
    let reverted = step.validity == StepValidity::Reverted;
    let tone = match record.outcome {
        _ if reverted || matches!(record.step.row().goal, Goal::Record | Goal::Claim | Goal::Answer) => {
            Tone::Quiet
        }
        Outcome::Pass => Tone::Good,
        Outcome::Fail => Tone::Bad,
        Outcome::Skip => Tone::Quiet,
    };
    StepFact {
        step: record.step.word(),
        outcome: record.outcome.word(record.step),
        tone,
        by: record.by,
        commit: step.commit,
        time: Moment(step.time),
        reverted,
        runner: facts.runner.clone(),
        claimant: facts.claimant.clone(),
        not_merged: facts.not_merged.clone(),
        duration: facts.took(),
        proof: facts.proof_cost(),
        usage: facts.usage,
        tests: facts.tests,
        findings: facts.found.clone(),
        remarks: facts.remarks(),
        failed: facts.failed.clone(),
        answers: facts.answers.clone(),
        reason: facts.reason.clone(),
        coverage: facts.coverage.clone(),
        artifact: facts.artifacts().next().map(|(_, path)| path.to_owned()),
        change: change.cloned(),
        body: tail(&step.body, BODY),
    }
}
