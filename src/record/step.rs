//! Steps, their outcomes, and what one step commit says (formats.md §2 and §3).

use serde::Serialize;

use super::{CommitId, TaskId};

/// One stage of the pipeline that ended in a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// A runner wrote code.
    Implement,
    /// The task's own test commands judged it.
    Test,
    /// A reviewer approved or rejected it.
    Review,
    /// The task ended, well or not.
    Complete,
    /// Every task of a phase is complete and the phase's own tests passed.
    PhaseComplete,
}

impl Step {
    /// All steps, in the order of the pipeline.
    pub const ALL: [Self; 5] =
        [Self::Implement, Self::Test, Self::Review, Self::Complete, Self::PhaseComplete];

    /// The value of `Arborist-Step`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Implement => "implement",
            Self::Test => "test",
            Self::Review => "review",
            Self::Complete => "complete",
            Self::PhaseComplete => "phase-complete",
        }
    }

    /// The step with this word, written exactly so.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|step| step.word() == word)
    }
}

impl Serialize for Step {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> std::result::Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It passed; for a review: approved.
    Pass,
    /// It failed; for a review: rejected.
    Fail,
}

impl Outcome {
    /// The word that the trailers of `step` use: `approved` and `rejected` for a review, else `pass` and `fail`.
    #[must_use]
    pub fn word(self, step: Step) -> &'static str {
        match (step, self) {
            (Step::Review, Self::Pass) => "approved",
            (Step::Review, Self::Fail) => "rejected",
            (_, Self::Pass) => "pass",
            (_, Self::Fail) => "fail",
        }
    }
}

/// What the trailers of one step commit say, as far as the state of a task depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRecord {
    /// The stage that ended.
    pub step: Step,
    /// How it ended.
    pub outcome: Outcome,
    /// The attempt, from 0; on commits that carry no `Arborist-Retry` it is 0.
    pub attempt: u32,
}

/// A step record and the commit that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepCommit {
    /// The commit.
    pub id: CommitId,
    /// The committer date, in seconds since the epoch.
    pub time: i64,
    /// What its trailers say.
    pub record: StepRecord,
}

/// What a commit is to the run, told from its message alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CommitKind {
    /// A step of a task.
    Task(TaskId, StepRecord),
    /// The marker that a phase is complete.
    Phase(TaskId, StepRecord),
    /// A subject of ours over an `Arborist-Step` whose value this version does not know.
    UnknownStep(TaskId, String),
    /// Nothing of ours, or not counted: no step trailer, a run marker, an autosquash commit.
    #[default]
    Other,
}
