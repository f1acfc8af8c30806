//! What a person should look at before the work is merged.

use serde::Serialize;

use crate::record::CommitId;

/// Something that a person should look at.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) struct LookAt {
    /// What kind of thing it is.
    pub(in crate::report) kind: LookKind,
    /// The task.
    pub(in crate::report) task: Option<String>,
    /// The phase, if it is about the end of one.
    pub(in crate::report) phase: Option<String>,
    /// The commit.
    pub(in crate::report) commit: Option<CommitId>,
    /// A sentence.
    pub(in crate::report) what: String,
    /// A command that shows it.
    pub(in crate::report) command: Option<String>,
}

/// The kinds of things to look at, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(in crate::report) enum LookKind {
    /// An agent has asked a question, and nobody has answered.
    Question,
    /// A task has failed, or the tests of a phase.
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
