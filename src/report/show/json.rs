//! The JSON document of `show` for a task, version 1.

use serde::Serialize;

use super::{ArtifactFile, StepView, TaskView, Validity, attempts, total};
use crate::plan::{Document as PlanDocument, FieldSet, Readiness};
use crate::record::{AttemptSteps, By, Counts, Finding, Remark, Usage, UsageTotal, rounded_seconds};
use crate::report::json_document;
use crate::report::next::{Dependency, Test, dependencies, tests};
use crate::report::text::rfc3339;

#[derive(Serialize)]
struct Document<'a> {
    version: u32,
    id: &'a str,
    name: &'a str,
    phase: &'a str,
    parent: Option<&'a str>,
    state: &'static str,
    question: Option<&'a str>,
    ready: bool,
    blocked_by: Vec<&'a str>,
    plan_edited: bool,
    landed: Option<String>,
    description: &'a str,
    acceptance: &'a [String],
    documents: Vec<&'a PlanDocument>,
    source_file: Option<&'a str>,
    source_line: Option<u32>,
    dependencies: Vec<Dependency<'a>>,
    fields: &'a FieldSet,
    test_commands: Vec<Test<'a>>,
    max_attempts: u32,
    #[serde(flatten)]
    usage: UsageTotal,
    attempts: Vec<Attempt<'a>>,
    artifacts: Vec<Artifact<'a>>,
}

#[derive(Serialize)]
struct Attempt<'a> {
    attempt: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    merge: Option<u32>,
    steps: Vec<StepJson<'a>>,
}

#[derive(Serialize)]
struct StepJson<'a> {
    step: &'static str,
    outcome: &'static str,
    by: By,
    commit: String,
    time: Option<String>,
    reverted: bool,
    outdated: bool,
    runner: Option<&'a str>,
    claimant: Option<&'a str>,
    not_merged: Option<&'a str>,
    duration: Option<f64>,
    #[serde(flatten)]
    usage: Usage,
    tests: Option<Counts>,
    findings: &'a [String],
    found: &'a [Finding],
    remarks: &'a [Remark],
    reason: Option<&'a str>,
    body: &'a str,
}

#[derive(Serialize)]
struct Artifact<'a> {
    kind: &'static str,
    path: &'a str,
    commit: String,
}

impl TaskView<'_> {
    /// The document.
    #[must_use]
    pub fn json(&self) -> String {
        let plan_view = &self.plan_view;
        let node = plan_view.tree.node(self.leaf);
        json_document(&Document {
            version: 1,
            id: node.id.as_str(),
            name: &node.name,
            phase: plan_view.id(plan_view.tree.phase_of(self.leaf)),
            parent: node.parent.map(|parent| plan_view.id(parent)),
            state: plan_view.state(self.leaf).word(),
            question: plan_view.question(self.leaf).map(|open| open.question.text.as_str()),
            ready: plan_view.readiness.of(self.leaf) == Readiness::Ready,
            blocked_by: plan_view.blocked_by(self.leaf),
            plan_edited: plan_view.is_edited(self.leaf),
            landed: self.landed.map(|commit| commit.to_string()),
            description: &node.description,
            acceptance: plan_view.tree.acceptance(self.leaf),
            documents: plan_view.tree.documents(self.leaf),
            source_file: node.source_file.as_deref(),
            source_line: node.source_line,
            dependencies: dependencies(plan_view, self.leaf),
            fields: &node.fields,
            test_commands: tests(&node.test_commands),
            max_attempts: plan_view.max_attempts(self.leaf).get(),
            usage: total(&self.steps),
            attempts: attempts(&self.steps).iter().map(attempt_json).collect(),
            artifacts: self.steps.iter().filter_map(artifact_json).collect(),
        })
    }
}

fn attempt_json<'s>(attempt: &AttemptSteps<'s, StepView>) -> Attempt<'s> {
    Attempt {
        attempt: attempt.number_of(|step| step.record),
        merge: attempt.merge,
        steps: attempt.steps.iter().map(step_json).collect(),
    }
}

fn step_json(step: &StepView) -> StepJson<'_> {
    let (record, facts) = (step.record, &step.facts);
    StepJson {
        step: record.step.word(),
        outcome: record.outcome.word(record.step),
        by: record.by,
        commit: step.commit.to_string(),
        time: rfc3339(step.time),
        reverted: step.validity == Validity::Reverted,
        outdated: step.validity == Validity::Outdated,
        runner: facts.runner.as_deref(),
        claimant: facts.claimant.as_deref(),
        not_merged: facts.not_merged.as_deref(),
        duration: facts.duration.map(rounded_seconds),
        usage: facts.usage,
        tests: facts.tests,
        findings: &facts.findings,
        found: &facts.found,
        remarks: &facts.remarks,
        reason: facts.reason.as_deref(),
        body: &step.body,
    }
}

fn artifact_json(step: &StepView) -> Option<Artifact<'_>> {
    let ArtifactFile { kind, path } = step.artifact()?;
    Some(Artifact { kind: kind.word(), path, commit: step.commit.to_string() })
}
