//! The facts, and their JSON document, version 1: fields may be added, never renamed or removed (docs/json.md).

use std::collections::BTreeMap;
use std::time::Duration;

use serde::{Serialize, Serializer};

use super::attention::LookAt;
pub(in crate::report) use super::moment::Moment;
use crate::record::{
    By, CommitId, Counts, Finding, ProofCost, ProofRecord, Remark, TaskWord, Usage, UsageTotal,
    rounded_seconds,
};
use crate::report::figures::{Figures, seconds};
use crate::report::json_document;

/// The facts of a run.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunReport {
    pub(in crate::report) version: u32,
    /// The name of the plan, or of the folder in which it is.
    pub(in crate::report) title: String,
    /// The name of the plan.
    pub(in crate::report) spec_id: Option<String>,
    /// The path of the tree file.
    pub(in crate::report) tree: String,
    /// The commit from which the history was read.
    pub(in crate::report) head: CommitId,
    /// The commit that began the run; `None` if the plan was never committed.
    pub(in crate::report) anchor: Option<CommitId>,
    /// The nodes that were asked for; none for the whole plan.
    pub(in crate::report) nodes: Vec<String>,
    /// How far the run has come. It has failed if a task has, or the tests of a phase.
    pub(in crate::report) state: RunState,
    /// The state and the evidence in one sentence.
    pub(in crate::report) verdict: String,
    /// When the first step began.
    pub(in crate::report) began: Option<Moment>,
    /// When the last step was committed.
    pub(in crate::report) ended: Option<Moment>,
    /// All the tasks together.
    pub(in crate::report) total: Figures,
    /// What a person should look at, the most urgent first.
    pub(in crate::report) look: Vec<LookAt>,
    /// The merges into the branch of the run and the attempts at them, in the order of that branch.
    pub(in crate::report) merges: Vec<MergeFact>,
    /// The command that repeats the proof.
    pub(in crate::report) prove: Option<String>,
    /// The lines of the trailers by which a squash merge keeps the state.
    pub(in crate::report) trailers: Vec<String>,
    /// The phases.
    pub(in crate::report) phases: Vec<PhaseFacts>,
    /// In the order of execution.
    pub(in crate::report) tasks: Vec<TaskReport>,
}

impl RunReport {
    /// Lets the command that repeats the proof fetch the commits of the run first.
    pub fn fetch_first(&mut self, fetch: &str) {
        self.prove = self.prove.take().map(|prove| format!("{fetch} && {prove}"));
    }

    /// The document.
    #[must_use]
    pub fn json(&self) -> String {
        json_document(self)
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) enum RunState {
    /// Nothing is recorded yet.
    NotBegun,
    /// Something is left to do.
    Unfinished,
    /// A task has failed, or the tests of a phase.
    Failed,
    /// Every task is complete or skipped.
    Complete,
}

/// A root of the plan, with the tasks below it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct PhaseFacts {
    /// Its id.
    pub(in crate::report) id: String,
    /// Its name.
    pub(in crate::report) name: String,
    /// The ids of the nodes on which it depends.
    pub(in crate::report) depends_on: Vec<String>,
    /// All the tasks together.
    pub(in crate::report) figures: Figures,
    /// The commit that marks it as complete.
    pub(in crate::report) marker: Option<CommitId>,
    /// The commit that says that its tests, or the suite after them, fail.
    pub(in crate::report) failed_tests: Option<CommitId>,
    /// What its end has found: what fails, or what is only a warning.
    pub(in crate::report) findings: Vec<Finding>,
    /// Which commands failed there, and the end of their output.
    pub(in crate::report) output: Option<String>,
    /// The nodes below it, depth first, which are no tasks.
    pub(in crate::report) groups: Vec<GroupFacts>,
}

/// A node between a phase and its tasks.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct GroupFacts {
    /// Its id.
    pub(in crate::report) id: String,
    /// Its name.
    pub(in crate::report) name: String,
    /// The id of the node above it.
    pub(in crate::report) parent: String,
}

/// A merge of a branch into the branch of the run, or one that failed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct MergeFact {
    /// The task that has the branch, if it is not a phase.
    pub(in crate::report) task: Option<String>,
    /// The phase that has the branch, if it is not a task.
    pub(in crate::report) phase: Option<String>,
    /// The merge or, if it failed, the step of the task that says so.
    pub(in crate::report) commit: CommitId,
    /// Whether it succeeded.
    pub(in crate::report) merged: bool,
    /// Why it failed, as a clause.
    pub(in crate::report) reason: Option<String>,
    /// Who had claimed the task.
    pub(in crate::report) claimant: Option<String>,
}

impl MergeFact {
    /// The task or the phase that has the branch.
    pub(in crate::report) fn of(&self) -> &str {
        self.task.as_deref().or(self.phase.as_deref()).unwrap_or_default()
    }
}

/// A task, its evidence and its attempts.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct TaskReport {
    /// Its id.
    pub(in crate::report) id: String,
    /// Its name.
    pub(in crate::report) name: String,
    /// The id of its phase.
    pub(in crate::report) phase: String,
    /// The id of the node above it.
    pub(in crate::report) parent: Option<String>,
    /// Its description.
    pub(in crate::report) description: String,
    /// The ids of the nodes on which it depends, also through the nodes above it.
    pub(in crate::report) depends_on: Vec<String>,
    /// Its state.
    pub(in crate::report) state: &'static str,
    /// The state as people read it.
    #[serde(skip)]
    pub(in crate::report) shown: String,
    /// The failed tasks that keep it from being worked on.
    pub(in crate::report) blocked_by: Vec<String>,
    /// Whether it was changed in the plan after it was complete.
    pub(in crate::report) plan_edited: bool,
    /// Whether the step that counts is on another branch, which is not merged.
    pub(in crate::report) unmerged: bool,
    /// The commands that judge it.
    pub(in crate::report) test_commands: Vec<CommandFacts>,
    /// What kind of change it makes, and so what proves it.
    pub(in crate::report) expect: &'static str,
    /// The files that judge it and that it may change all the same.
    pub(in crate::report) may_change: Vec<String>,
    /// How many attempts it has.
    pub(in crate::report) max_attempts: u32,
    /// When its first step began.
    pub(in crate::report) began: Option<Moment>,
    /// When its last step was committed.
    pub(in crate::report) ended: Option<Moment>,
    /// How long agents, tests and proofs worked on it.
    #[serde(serialize_with = "seconds")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub(in crate::report) seconds: Duration,
    #[serde(flatten)]
    pub(in crate::report) usage: UsageTotal,
    /// What shows that the task is done. Of a task that is not complete, it is what its latest steps say.
    pub(in crate::report) evidence: Evidence,
    /// The findings that still apply.
    pub(in crate::report) findings: Vec<Finding>,
    /// Its attempts, oldest first, with all their steps in the run, also those that were reverted.
    pub(in crate::report) attempts: Vec<AttemptFacts>,
}

impl TaskReport {
    /// Whether it is complete, and its work is part of what is reported.
    pub(in crate::report) fn is_complete(&self) -> bool {
        self.state == "complete" && !self.unmerged
    }

    /// The newest review that was not reverted.
    pub(in crate::report) fn latest_review(&self) -> Option<&StepFact> {
        let mut steps = self.attempts.iter().flat_map(|attempt| &attempt.steps);
        steps.rfind(|step| step.step == "review" && !step.reverted)
    }

    /// The newest tests that were not reverted.
    pub(in crate::report) fn latest_test(&self) -> Option<&StepFact> {
        let mut steps = self.attempts.iter().flat_map(|attempt| &attempt.steps);
        steps.rfind(|step| step.step == "test" && !step.reverted)
    }
}

/// What shows that a task is done.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct Evidence {
    /// What is known of it, if it is complete.
    pub(in crate::report) word: Option<TaskWord>,
    /// Whether a person vouches for it.
    pub(in crate::report) vouched: bool,
    /// The commit of the tests that passed since the last change.
    pub(in crate::report) tested: Option<CommitId>,
    pub(in crate::report) tests: Option<Counts>,
    /// Why its tests failed before the code was written: `test` or `build`; only of test-first tasks.
    pub(in crate::report) red: Option<String>,
    /// The coverage of all the code in percent, such as lines=85.3.
    pub(in crate::report) coverage: Option<String>,
    /// How many of the changed lines the tests run, such as 37/41.
    pub(in crate::report) changed_coverage: Option<String>,
    /// Whether its tests and its review are recorded in a run that is not here: a landed commit is all there is.
    pub(in crate::report) landed: bool,
    /// The commit of the approval since the last change.
    pub(in crate::report) reviewed: Option<CommitId>,
    /// Who approved it.
    pub(in crate::report) reviewer: Option<String>,
    /// What the runs of the proof have shown.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub(in crate::report) proof: Option<ProofRecord>,
}

/// A test command.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct CommandFacts {
    /// Its type.
    #[serde(rename = "type")]
    pub(in crate::report) kind: &'static str,
    /// The command.
    pub(in crate::report) command: String,
}

/// An attempt at a task.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct AttemptFacts {
    /// Its number, from 0; `None` if there were only decisions and notes of a person, or it is an attempt to merge.
    pub(in crate::report) attempt: Option<u32>,
    /// Its number among the attempts to merge the finished task, from 0, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) merge: Option<u32>,
    /// Its steps, oldest first.
    pub(in crate::report) steps: Vec<StepFact>,
}

/// A step.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct StepFact {
    /// The step.
    pub(in crate::report) step: &'static str,
    /// How it ended.
    pub(in crate::report) outcome: &'static str,
    #[serde(skip)]
    pub(in crate::report) tone: Tone,
    /// Whose work or decision it is.
    pub(in crate::report) by: By,
    /// Its commit.
    pub(in crate::report) commit: CommitId,
    /// When it was committed.
    pub(in crate::report) time: Moment,
    /// Whether a later commit reverts it.
    pub(in crate::report) reverted: bool,
    /// Who did the work.
    pub(in crate::report) runner: Option<String>,
    /// Who has claimed the task, if the step is a claim.
    pub(in crate::report) claimant: Option<String>,
    /// Why the finished task could not be merged before this step.
    pub(in crate::report) not_merged: Option<String>,
    /// How long the agent or the tests took.
    #[serde(rename = "seconds", serialize_with = "maybe_seconds")]
    #[cfg_attr(test, schemars(with = "Option<f64>"))]
    pub(in crate::report) duration: Option<Duration>,
    /// What its proof has cost in addition; `None` if there was none, or it is not known.
    pub(in crate::report) proof: Option<ProofCost>,
    #[serde(flatten)]
    pub(in crate::report) usage: Usage,
    pub(in crate::report) tests: Option<Counts>,
    /// What it has found itself.
    pub(in crate::report) findings: Vec<Finding>,
    /// What reviewers have found.
    pub(in crate::report) remarks: Vec<Remark>,
    /// Why it has failed; of tests, the commands, each with its status.
    #[serde(skip)]
    pub(in crate::report) failed: Vec<String>,
    /// What the agent answers to the objections of the last review, by their numbers.
    #[serde(skip)]
    pub(in crate::report) answers: BTreeMap<usize, String>,
    /// Why a person decided so.
    pub(in crate::report) reason: Option<String>,
    /// The coverage of all the code, as its trailer says it.
    #[serde(skip)]
    pub(in crate::report) coverage: Option<String>,
    /// The path of its report or log, in its commit.
    pub(in crate::report) artifact: Option<String>,
    /// What it has changed, if it changes files.
    pub(in crate::report) change: Option<CodeChange>,
    /// The body of its message; a very long one is cut at its beginning.
    pub(in crate::report) body: String,
}

/// How a step ended, for its colour and its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::report) enum Tone {
    /// It passed.
    Good,
    /// It failed.
    Bad,
    /// It is a decision, a note or a claim, or it was reverted.
    Quiet,
}

/// What a commit has changed.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CodeChange {
    /// The commit with which it is compared; `None` for its parent.
    pub base: Option<CommitId>,
    /// The files.
    pub files: Vec<ChangedFile>,
    /// The patch; `None` if it was not read.
    #[serde(skip)]
    pub patch: Option<String>,
}

/// A file that a commit has changed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct ChangedFile {
    /// Its path.
    pub path: String,
    /// How many lines were added; `None` for a binary file.
    pub added: Option<u64>,
    /// How many lines were removed.
    pub removed: Option<u64>,
}

impl CodeChange {
    /// The command that shows it.
    pub(in crate::report) fn command(&self, commit: &CommitId) -> String {
        match &self.base {
            Some(base) => format!("git diff {} {}", base.short(), commit.short()),
            None => format!("git show {}", commit.short()),
        }
    }
}

fn maybe_seconds<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    duration.map(rounded_seconds).serialize(serializer)
}

/// The proof as its trailer has it.
fn as_text<S: Serializer>(proof: &Option<ProofRecord>, serializer: S) -> Result<S::Ok, S::Error> {
    proof.as_ref().map(ToString::to_string).serialize(serializer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_that_of_the_document() {
        crate::schema::assert_committed::<RunReport>("run-report", "git arborist report --format json");
    }
}
