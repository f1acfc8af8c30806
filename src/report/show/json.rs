//! The JSON document of `show` for a task, version 1.

use serde::Serialize;

use super::{ArtifactFile, StepView, TaskView, attempts, total};
use crate::plan::{Document as PlanDocument, FieldSet, Readiness};
use crate::record::{
    AttemptSteps, By, Counts, Finding, ProofCost, Remark, StepValidity, Usage, UsageTotal, rounded_seconds,
};
use crate::report::json_document;
use crate::report::next::{Dependency, Test, dependencies, tests};
use crate::report::text::rfc3339;

/// A task with all its attempts.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Document<'a> {
    version: u32,
    /// Its id.
    id: &'a str,
    /// Its name.
    name: &'a str,
    /// The id of its phase.
    phase: &'a str,
    /// The id of the node above it.
    parent: Option<&'a str>,
    #[serde(flatten)]
    progress: TaskProgress<'a>,
    #[serde(flatten)]
    plan: TaskInPlan<'a>,
    #[serde(flatten)]
    usage: UsageTotal,
    /// The attempts, oldest first.
    attempts: Vec<Attempt<'a>>,
    /// The files that its steps wrote.
    artifacts: Vec<Artifact<'a>>,
}

/// What the plan says about a task.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TaskInPlan<'a> {
    /// Its description in the plan.
    description: &'a str,
    /// The acceptance criteria that apply to it.
    acceptance: &'a [String],
    /// The documents to read before it: its own, then those of the nodes above it, then those of the whole plan.
    documents: Vec<&'a PlanDocument>,
    /// Where the task comes from.
    source_file: Option<&'a str>,
    /// The number of the line in that file.
    source_line: Option<u32>,
    /// Its dependencies.
    dependencies: Vec<Dependency<'a>>,
    fields: &'a FieldSet,
    /// The commands that judge the work.
    test_commands: Vec<Test<'a>>,
    /// How many attempts it has.
    max_attempts: u32,
}

/// How far a task has come.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct TaskProgress<'a> {
    /// Its state.
    state: &'static str,
    /// What an agent asks about it, as long as nobody has answered; otherwise `None`.
    question: Option<&'a str>,
    /// Whether it can be worked on now.
    ready: bool,
    /// The failed tasks that block it.
    blocked_by: Vec<&'a str>,
    /// Whether it is complete, and its description, dependencies or test commands were changed in the plan since.
    plan_edited: bool,
    /// The commit that has landed its work, if a landed commit is what completes it here.
    landed: Option<String>,
}

/// An attempt.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Attempt<'a> {
    /// Its number, counted from 0.
    attempt: u32,
    /// The attempt to merge the finished task, counted from 0, if it is one. It is no further attempt at the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    merge: Option<u32>,
    /// Its steps, oldest first.
    steps: Vec<StepJson<'a>>,
}

/// A step.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct StepJson<'a> {
    /// The step.
    step: &'static str,
    /// How it ended.
    outcome: &'static str,
    /// Whose work or decision it is.
    by: By,
    /// Its commit.
    commit: String,
    /// The committer date.
    time: Option<String>,
    /// Whether a later commit reverts it, so that it does not count.
    reverted: bool,
    /// Whether it was made under an earlier plan, so that it does not count.
    outdated: bool,
    /// The runner that did it.
    runner: Option<&'a str>,
    /// Who has claimed the task, if the step is a claim.
    claimant: Option<&'a str>,
    /// Why the finished task could not be merged before this step, as a clause.
    not_merged: Option<&'a str>,
    /// How long it took, in seconds.
    duration: Option<f64>,
    /// What its proof has cost in addition; `None` if there was none, or it is not known.
    proof: Option<ProofCost>,
    #[serde(flatten)]
    usage: Usage,
    #[serde(flatten)]
    content: StepContent<'a>,
}

/// What a step has shown, and what it says.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct StepContent<'a> {
    tests: Option<Counts>,
    /// The names of findings that a person should look at.
    findings: &'a [String],
    /// What the step has found itself.
    found: &'a [Finding],
    /// What a review that approves leaves open.
    remarks: Vec<Remark>,
    /// Why a person decided so; `None` if nobody said why.
    reason: Option<&'a str>,
    /// The body of the commit message.
    body: &'a str,
}

/// A file that a step wrote.
#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Artifact<'a> {
    /// A description of it.
    kind: &'static str,
    /// Its path, relative to the top of the work tree.
    path: &'a str,
    /// The commit of its step.
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
            progress: self.progress(),
            plan: TaskInPlan {
                description: &node.description,
                acceptance: plan_view.tree.acceptance(self.leaf),
                documents: plan_view.tree.documents(self.leaf),
                source_file: node.source_file.as_deref(),
                source_line: node.source_line,
                dependencies: dependencies(plan_view, self.leaf),
                fields: &node.fields,
                test_commands: tests(&node.test_commands),
                max_attempts: plan_view.max_attempts(self.leaf).get(),
            },
            usage: total(&self.steps),
            attempts: attempts(&self.steps).iter().map(attempt_json).collect(),
            artifacts: self.steps.iter().filter_map(artifact_json).collect(),
        })
    }

    fn progress(&self) -> TaskProgress<'_> {
        let plan_view = &self.plan_view;
        TaskProgress {
            state: plan_view.state(self.leaf).word(),
            question: plan_view.question(self.leaf).map(|open| open.question.text.as_str()),
            ready: plan_view.readiness.of(self.leaf) == Readiness::Ready,
            blocked_by: plan_view.blocked_by(self.leaf),
            plan_edited: plan_view.is_edited(self.leaf),
            landed: self.landed.map(|commit| commit.to_string()),
        }
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
        reverted: step.validity == StepValidity::Reverted,
        outdated: step.validity == StepValidity::Outdated,
        runner: facts.runner.as_deref(),
        claimant: facts.claimant.as_deref(),
        not_merged: facts.not_merged.as_deref(),
        duration: facts.took().map(rounded_seconds),
        proof: facts.proof_cost(),
        usage: facts.usage,
        content: StepContent {
            tests: facts.tests,
            findings: &facts.findings,
            found: &facts.found,
            remarks: facts.remarks(),
            reason: facts.reason.as_deref(),
            body: &step.body,
        },
    }
}

fn artifact_json(step: &StepView) -> Option<Artifact<'_>> {
    let ArtifactFile { kind, path } = step.artifact()?;
    Some(Artifact { kind, path, commit: step.commit.to_string() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<Document<'_>>("show-task", "git arborist show TASK --json");
    }
}
