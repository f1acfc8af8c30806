//! The facts, and their JSON document, version 1: fields may be added, never renamed or removed (docs/json.md).

use std::time::Duration;

use serde::{Serialize, Serializer};

use crate::record::{
    Baseline, By, CommitId, Counts, Finding, ProofRecord, Remark, Usage, UsageTotal, rounded_seconds,
};
use crate::report::json_document;
use crate::report::stats::Figures;
use crate::report::text::rfc3339;

/// The facts of a run.
#[derive(Clone, Debug, Serialize)]
pub struct RunReport {
    pub(in crate::report) version: u32,
    pub(in crate::report) title: String,
    pub(in crate::report) spec_id: Option<String>,
    pub(in crate::report) tree: String,
    pub(in crate::report) head: CommitId,
    pub(in crate::report) anchor: Option<CommitId>,
    /// The nodes that were asked for; none for the whole plan.
    pub(in crate::report) nodes: Vec<String>,
    pub(in crate::report) state: RunState,
    /// The state and the evidence in one sentence.
    pub(in crate::report) verdict: String,
    pub(in crate::report) began: Option<Moment>,
    pub(in crate::report) ended: Option<Moment>,
    pub(in crate::report) total: Figures,
    pub(in crate::report) look: Vec<LookAt>,
    /// The merges into the branch of the run and the attempts at them, in the order of that branch.
    pub(in crate::report) merges: Vec<MergeFact>,
    /// The command that repeats the proof.
    pub(in crate::report) prove: Option<String>,
    /// The lines of the trailers by which a squash merge keeps the state.
    pub(in crate::report) trailers: Vec<String>,
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
pub(in crate::report) enum RunState {
    /// Nothing is recorded yet.
    NotBegun,
    /// Something is left to do.
    Unfinished,
    /// A task has failed.
    Failed,
    /// Every task is complete or skipped.
    Complete,
}

/// A point in time, in seconds since the epoch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::report) struct Moment(pub(in crate::report) i64);

impl Serialize for Moment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        rfc3339(self.0).serialize(serializer)
    }
}

/// A root of the plan, with the tasks below it.
#[derive(Clone, Debug, Serialize)]
pub(in crate::report) struct PhaseFacts {
    pub(in crate::report) id: String,
    pub(in crate::report) name: String,
    pub(in crate::report) depends_on: Vec<String>,
    pub(in crate::report) figures: Figures,
    /// The commit that marks it as complete.
    pub(in crate::report) marker: Option<CommitId>,
    /// The nodes below it, depth first, which are no tasks.
    pub(in crate::report) groups: Vec<GroupFacts>,
}

/// A node between a phase and its tasks.
#[derive(Clone, Debug, Serialize)]
pub(in crate::report) struct GroupFacts {
    pub(in crate::report) id: String,
    pub(in crate::report) name: String,
    pub(in crate::report) parent: String,
}

/// A merge of a branch into the branch of the run, or one that failed.
#[derive(Clone, Debug, Serialize)]
pub(in crate::report) struct MergeFact {
    /// The task that has the branch, if it is not a phase.
    pub(in crate::report) task: Option<String>,
    /// The phase that has the branch, if it is not a task.
    pub(in crate::report) phase: Option<String>,
    /// The merge or, if it failed, the step of the task that says so.
    pub(in crate::report) commit: CommitId,
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

/// Something that a person should look at.
#[derive(Clone, Debug, Serialize)]
pub(in crate::report) struct LookAt {
    pub(in crate::report) kind: LookKind,
    pub(in crate::report) task: Option<String>,
    pub(in crate::report) commit: Option<CommitId>,
    /// A sentence.
    pub(in crate::report) what: String,
    /// A command that shows it.
    pub(in crate::report) command: Option<String>,
}

/// The kinds of things to look at, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(in crate::report) enum LookKind {
    /// An agent has asked a question, and nobody has answered.
    Question,
    /// A task has failed.
    Failed,
    /// A task is complete on a branch that is not merged.
    NotMerged,
    /// What a check has found, and the task was completed all the same.
    Finding,
    /// The plan allows a task to change files that judge it.
    Allowed,
    /// A task without tests.
    NoTests,
    /// A task that no reviewer has approved.
    NotReviewed,
    /// What a run has recorded that is not here.
    Elsewhere,
    /// A decision or the work of a person.
    Person,
    /// What a review has found and approved all the same.
    Remark,
    /// Objections of a review that an agent has answered.
    Objections,
    /// The plan was edited after the task was complete.
    Edited,
    /// A step that was reverted.
    Reverted,
    /// What the history does not say clearly.
    Doubt,
}

impl LookKind {
    /// What it is called in a list.
    pub(in crate::report) fn words(self) -> &'static str {
        match self {
            Self::Question => "Question",
            Self::Failed => "Failed",
            Self::NotMerged => "Not merged",
            Self::Finding => "Finding",
            Self::Allowed => "Allowed by the plan",
            Self::NoTests => "Untested",
            Self::NotReviewed => "Not reviewed",
            Self::Elsewhere => "Recorded in the run",
            Self::Person => "By a person",
            Self::Remark => "Open remark",
            Self::Objections => "Objections answered",
            Self::Edited => "Plan edited since",
            Self::Reverted => "Reverted",
            Self::Doubt => "Unclear",
        }
    }
}

/// A task, its evidence and its attempts.
#[derive(Clone, Debug, Serialize)]
pub(in crate::report) struct TaskReport {
    pub(in crate::report) id: String,
    pub(in crate::report) name: String,
    pub(in crate::report) phase: String,
    pub(in crate::report) parent: Option<String>,
    pub(in crate::report) description: String,
    pub(in crate::report) depends_on: Vec<String>,
    pub(in crate::report) state: &'static str,
    /// The state as people read it.
    #[serde(skip)]
    pub(in crate::report) shown: String,
    pub(in crate::report) blocked_by: Vec<String>,
    pub(in crate::report) plan_edited: bool,
    /// Whether the step that counts is on another branch, which is not merged.
    pub(in crate::report) unmerged: bool,
    pub(in crate::report) test_commands: Vec<CommandFacts>,
    pub(in crate::report) expect: &'static str,
    pub(in crate::report) may_change: Vec<String>,
    pub(in crate::report) max_attempts: u32,
    pub(in crate::report) began: Option<Moment>,
    pub(in crate::report) ended: Option<Moment>,
    /// How long agents and tests worked on it.
    #[serde(serialize_with = "seconds")]
    pub(in crate::report) seconds: Duration,
    #[serde(flatten)]
    pub(in crate::report) usage: UsageTotal,
    pub(in crate::report) evidence: Evidence,
    pub(in crate::report) findings: Vec<Finding>,
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
pub(in crate::report) struct Evidence {
    /// Whether a person vouches for it.
    pub(in crate::report) vouched: bool,
    /// The commit of the tests that passed since the last change.
    pub(in crate::report) tested: Option<CommitId>,
    pub(in crate::report) tests: Option<Counts>,
    /// Why its tests failed before the code was written: `test` or `build`; only of test-first tasks.
    pub(in crate::report) red: Option<String>,
    /// How its tests ended before anybody had worked on it.
    pub(in crate::report) baseline: Option<Baseline>,
    pub(in crate::report) coverage: Option<String>,
    pub(in crate::report) changed_coverage: Option<String>,
    /// How many runs of test commands failed before one passed without a change.
    pub(in crate::report) flaky: Option<u32>,
    /// Whether its tests and its review are recorded in a run that is not here: a landed commit is all there is.
    pub(in crate::report) landed: bool,
    /// The commit of the approval since the last change.
    pub(in crate::report) reviewed: Option<CommitId>,
    pub(in crate::report) reviewer: Option<String>,
    /// What the runs of the proof have shown.
    #[serde(serialize_with = "as_text")]
    pub(in crate::report) proof: Option<ProofRecord>,
}

/// A test command.
#[derive(Clone, Debug, Serialize)]
pub(in crate::report) struct CommandFacts {
    #[serde(rename = "type")]
    pub(in crate::report) kind: &'static str,
    pub(in crate::report) command: String,
}

/// An attempt at a task.
#[derive(Clone, Debug, Serialize)]
pub(in crate::report) struct AttemptFacts {
    /// Its number, from 0; `None` if there were only decisions and notes of a person, or it is an attempt to merge.
    pub(in crate::report) attempt: Option<u32>,
    /// Its number among the attempts to merge the finished task, from 0, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(in crate::report) merge: Option<u32>,
    pub(in crate::report) steps: Vec<StepFact>,
}

/// A step.
#[derive(Clone, Debug, Serialize)]
pub(in crate::report) struct StepFact {
    pub(in crate::report) step: &'static str,
    pub(in crate::report) outcome: &'static str,
    #[serde(skip)]
    pub(in crate::report) tone: Tone,
    pub(in crate::report) by: By,
    pub(in crate::report) commit: CommitId,
    pub(in crate::report) time: Moment,
    pub(in crate::report) reverted: bool,
    pub(in crate::report) runner: Option<String>,
    pub(in crate::report) claimant: Option<String>,
    /// Why the finished task could not be merged before this step.
    pub(in crate::report) not_merged: Option<String>,
    #[serde(rename = "seconds", serialize_with = "maybe_seconds")]
    pub(in crate::report) duration: Option<Duration>,
    #[serde(flatten)]
    pub(in crate::report) usage: Usage,
    pub(in crate::report) tests: Option<Counts>,
    pub(in crate::report) findings: Vec<Finding>,
    /// What reviewers have found.
    pub(in crate::report) remarks: Vec<Remark>,
    pub(in crate::report) reason: Option<String>,
    /// The coverage of all the code, as its trailer says it.
    #[serde(skip)]
    pub(in crate::report) coverage: Option<String>,
    /// The path of its report or log, in its commit.
    pub(in crate::report) artifact: Option<String>,
    /// What it has changed, if it changes files.
    pub(in crate::report) change: Option<CodeChange>,
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

fn seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded_seconds(*duration))
}

fn maybe_seconds<S: Serializer>(duration: &Option<Duration>, serializer: S) -> Result<S::Ok, S::Error> {
    duration.map(rounded_seconds).serialize(serializer)
}

/// The proof as its trailer has it.
fn as_text<S: Serializer>(proof: &Option<ProofRecord>, serializer: S) -> Result<S::Ok, S::Error> {
    proof.as_ref().map(ToString::to_string).serialize(serializer)
}
