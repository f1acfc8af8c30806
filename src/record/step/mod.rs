//! Steps, their outcomes, and the content of a step commit (docs/commits.md).

mod attempts;
mod remarks;
mod reopened;
mod row;
mod table;
#[cfg(test)]
mod tests;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{By, CommitId, ProofWord, State, TaskId, TrailerKey, ValueKind};
pub use attempts::{AttemptSteps, attempts_made, by_attempt};
pub use row::{
    Actor, Effect, Ending, Goal, MissingOutcome, Need, Outcome, OutcomeTrailer, Owner, Role, Step, StepRow,
    TrailerUse, When,
};
use table::TABLE;

impl Step {
    /// All steps, in the order of the table.
    pub fn all() -> impl DoubleEndedIterator<Item = Self> + Clone {
        (0..u8::try_from(TABLE.len()).expect("the table has a few rows")).map(Step)
    }

    /// Its row in the table.
    #[must_use]
    pub fn row(self) -> &'static StepRow {
        static ROWS: [StepRow; TABLE.len()] = TABLE;
        &ROWS[usize::from(self.0)]
    }

    /// The value of `Arborist-Step`.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.row().word
    }

    /// The step with exactly this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::all().find(|step| step.word() == word)
    }

    /// Whether a task or a phase ends with this step, well or not.
    #[must_use]
    pub fn is_end(self) -> bool {
        self.row().effect == Effect::End
    }

    /// Whether it is part of an attempt, and therefore numbered.
    #[must_use]
    pub fn is_part_of_an_attempt(self) -> bool {
        matches!(self.row().effect, Effect::Stage { .. })
    }

    /// Of two steps that one message claims, the one that leaves more to do.
    #[must_use]
    pub(super) fn with_more_to_do(self, other: Self) -> Self {
        let progress = |step: Self| match step.row().effect {
            Effect::Restart => 0,
            Effect::None | Effect::Question => 1,
            Effect::Stage { .. } | Effect::End => 2 + step.0,
        };
        if progress(other) < progress(self) { other } else { self }
    }

    /// Whether the step before it decides what comes next: at once, or as soon as a question is answered.
    #[must_use]
    pub fn leaves_the_work_as_it_was(self) -> bool {
        matches!(self.row().effect, Effect::None | Effect::Question)
    }

    /// Whether its work are changed files, which its commit contains.
    #[must_use]
    pub fn changes_files(self) -> bool {
        matches!(self.row().goal, Goal::Change | Goal::TestsFail)
    }

    /// The role of the agent that does it, if an agent does.
    #[must_use]
    pub fn role(self) -> Option<Role> {
        match self.row().actor {
            Actor::Agent(role) => Some(role),
            Actor::Tests | Actor::Engine | Actor::Person => None,
        }
    }

    /// Whether an agent has done the work that it records.
    #[must_use]
    pub fn is_work_of_an_agent(self) -> bool {
        self.role().is_some() || self.row().goal == Goal::Answer
    }

    /// The entries of the table for a trailer on this step, one for each outcome with which it is used.
    pub fn uses(self, key: TrailerKey) -> impl Iterator<Item = &'static TrailerUse> {
        self.row().trailers.iter().filter(move |used| used.key == key)
    }
}

impl fmt::Debug for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl Serialize for Step {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl<'de> Deserialize<'de> for Step {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let word = String::deserialize(deserializer)?;
        Self::from_word(&word).ok_or_else(|| serde::de::Error::custom(format!("there is no step `{word}`")))
    }
}

impl Outcome {
    /// The outcome that this word means in the trailers of `step`.
    #[must_use]
    pub fn from_word(step: Step, word: &str) -> Option<Self> {
        step.row().endings.iter().find(|ending| ending.word == word).map(|ending| ending.outcome)
    }

    /// The entry of the table for this outcome of a step.
    ///
    /// # Panics
    /// If the step cannot end so.
    #[must_use]
    pub fn of(self, step: Step) -> &'static Ending {
        step.row().ending(self).expect("a step only ends in one of the ways that its row lists")
    }

    /// The word in the trailers of `step`: `approved` or `rejected` for a review, otherwise `pass` or `fail`.
    #[must_use]
    pub fn word(self, step: Step) -> &'static str {
        self.of(step).word
    }
}

impl StepRow {
    /// The entry for an outcome, if the step can have it.
    #[must_use]
    pub fn ending(&self, outcome: Outcome) -> Option<&'static Ending> {
        self.endings.iter().find(|ending| ending.outcome == outcome)
    }

    /// The outcome of a step that no trailer holds, because it can end in one way only.
    #[must_use]
    pub fn only_outcome(&self) -> Outcome {
        self.endings.first().expect("every row has an ending").outcome
    }

    /// The key of the trailer that holds its outcome.
    #[must_use]
    pub fn outcome_key(&self) -> Option<TrailerKey> {
        self.outcome.map(|trailer| trailer.key)
    }
}

impl When {
    /// Whether this covers `outcome`.
    #[must_use]
    pub fn covers(self, outcome: Outcome) -> bool {
        match self {
            Self::Always => true,
            Self::OnPass => outcome == Outcome::Pass,
            Self::OnFail => outcome == Outcome::Fail,
            Self::OnSkip => outcome == Outcome::Skip,
        }
    }
}

/// The steps that carry a trailer.
pub fn steps_with(key: TrailerKey) -> impl Iterator<Item = Step> {
    Step::all().filter(move |step| step.uses(key).next().is_some())
}

/// The words that a trailer can have; empty if its value is not a word.
#[must_use]
pub fn words_of(key: TrailerKey) -> Vec<&'static str> {
    match key.rule().value {
        ValueKind::Step => Step::all().map(Step::word).collect(),
        ValueKind::Outcome => {
            let mut words = Vec::new();
            for row in Step::all().map(Step::row).filter(|row| row.outcome_key() == Some(key)) {
                for ending in row.endings {
                    if !words.contains(&ending.word) {
                        words.push(ending.word);
                    }
                }
            }
            words
        }
        ValueKind::Words(words) => words.to_vec(),
        ValueKind::Count
        | ValueKind::Seconds
        | ValueKind::Dollars
        | ValueKind::Path
        | ValueKind::Proof
        | ValueKind::Percentages(_)
        | ValueKind::Numbers(_)
        | ValueKind::CountedWord(..)
        | ValueKind::Fraction
        | ValueKind::TaskIds
        | ValueKind::CommitRange
        | ValueKind::Commit
        | ValueKind::Origin
        | ValueKind::Text => Vec::new(),
    }
}

/// The part of a step commit's trailers on which the state of a task depends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepRecord {
    /// The stage that ended.
    pub step: Step,
    /// How it ended.
    pub outcome: Outcome,
    /// The attempt, from 0; also 0 for commits without `Arborist-Retry`.
    pub attempt: u32,
    /// The attempt to merge the finished task, from 0, if it belongs to one.
    pub merge: Option<u32>,
    /// Whose work or decision it is.
    pub by: By,
    /// Whether it is a review that rejects the tests themselves.
    pub rejects_tests: bool,
    /// Whether it is about tests that an implementer calls wrong: the claim itself, or the review that agrees with it.
    pub is_about_claim: bool,
    /// What a complete step claims to be known of the task; `None` if it claims nothing.
    pub proof: Option<ProofWord>,
    /// Whether it is a landed commit that has the work of several tasks.
    pub is_joint: bool,
}

impl StepRecord {
    /// The state of a task whose latest step this is; without a step it is pending.
    ///
    /// The marker of a phase says nothing about a task, so it leaves a task pending: only a `complete` step completes
    /// it.
    #[must_use]
    pub fn state(&self) -> State {
        // A reviewer answers a claim.
        let is_claim = self.step == Step::BLOCK && self.is_about_claim;
        if is_claim { State::Reviewing } else { self.outcome.of(self.step).state }
    }

    /// How far it has taken its task. Among steps of the same age that no ancestry orders, the furthest counts.
    #[must_use]
    pub fn progress(&self) -> impl Ord + use<> {
        let stage = match self.state() {
            State::Pending => 0,
            _ if self.step == Step::RED => 1,
            State::Implementing => 2,
            State::Testing => 3,
            State::Reviewing => 4,
            State::Asked => 5,
            State::Failed => 6,
            State::Skipped => 7,
            State::Complete => 8,
        };
        (stage, self.attempt, self.outcome == Outcome::Pass)
    }

    /// What it has brought about, if that says more than the word of the state.
    #[must_use]
    pub fn shown_stage(&self) -> Option<&'static str> {
        self.outcome.of(self.step).shown
    }

    /// A step of a run, which ended so.
    #[must_use]
    pub fn of_run(step: Step, outcome: Outcome, attempt: u32) -> Self {
        Self {
            step,
            outcome,
            attempt,
            merge: None,
            by: By::Run,
            rejects_tests: false,
            is_about_claim: false,
            proof: None,
            is_joint: false,
        }
    }
}

/// A step record and the commit that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepCommit {
    /// The commit.
    pub id: CommitId,
    /// The committer date, in seconds since the epoch.
    pub time: i64,
    /// The content of its trailers.
    pub record: StepRecord,
}

/// Whether a step counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StepValidity {
    /// It counts.
    Counts,
    /// A later commit of the range reverts it, and that revert was not reverted.
    Reverted,
    /// It was made under an earlier plan: in another run, or when the plan gave the task another name or did not
    /// contain it.
    Outdated,
}

/// The role of a commit in the run, according to its message alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CommitKind {
    /// A step of a task.
    Task(TaskId, StepRecord),
    /// A step of a phase: it is complete, or its tests fail.
    Phase(TaskId, StepRecord),
    /// A commit with a subject of ours and an `Arborist-Step` whose value this version does not know.
    UnknownStep(TaskId, String),
    /// Nothing of ours, or not counted: no step trailer, a run marker, an autosquash commit.
    #[default]
    Other,
}
