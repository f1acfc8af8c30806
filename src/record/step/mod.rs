//! Steps, their outcomes, and the content of a step commit (docs/commits.md).

mod name;
mod table;

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{CommitId, State, TaskId, TrailerKey, ValueKind};
pub use name::Step;
use table::TABLE;
pub use table::{
    Actor, Ending, Goal, MissingOutcome, Need, OnFailure, Owner, Role, StepRow, TrailerUse, When,
};

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

    /// Whether a task or a phase ends with this step, well or not. Such a step is not an attempt.
    #[must_use]
    pub fn is_end(self) -> bool {
        self.row().on_failure == OnFailure::End
    }

    /// The role of the agent that does it, if an agent does.
    #[must_use]
    pub fn role(self) -> Option<Role> {
        match self.row().actor {
            Actor::Agent(role) => Some(role),
            Actor::Tests | Actor::Engine => None,
        }
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

/// How a step ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It passed; for a review: approved.
    Pass,
    /// It failed; for a review: rejected.
    Fail,
}

impl Outcome {
    /// The outcome that this word means in the trailers of `step`.
    #[must_use]
    pub fn from_word(step: Step, word: &str) -> Option<Self> {
        [Self::Pass, Self::Fail].into_iter().find(|outcome| outcome.word(step) == word)
    }

    /// The entry of the table for this outcome of a step.
    #[must_use]
    pub fn of(self, step: Step) -> &'static Ending {
        match self {
            Self::Pass => &step.row().pass,
            Self::Fail => &step.row().fail,
        }
    }

    /// The word in the trailers of `step`: `approved` or `rejected` for a review, otherwise `pass` or `fail`.
    #[must_use]
    pub fn word(self, step: Step) -> &'static str {
        self.of(step).word
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
        }
    }
}

impl Ending {
    /// Whether a subject (after `task(ID): `) has this form, with any name and attempt.
    #[must_use]
    pub fn is_said_in(&self, summary: &str) -> bool {
        let mut literals =
            self.subject.split('{').map(|piece| piece.split_once('}').map_or(piece, |(_, text)| text));
        let Some(mut rest) = literals.next().and_then(|first| summary.strip_prefix(first)) else {
            return false;
        };
        literals.all(|literal| match rest.rfind(literal) {
            Some(place) => {
                rest = &rest[place + literal.len()..];
                true
            }
            None => false,
        })
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
            for row in Step::all().map(Step::row).filter(|row| row.outcome == key) {
                for word in [row.pass.word, row.fail.word] {
                    if !words.contains(&word) {
                        words.push(word);
                    }
                }
            }
            words
        }
        ValueKind::Words(words) => words.to_vec(),
        ValueKind::Count | ValueKind::Seconds | ValueKind::Path | ValueKind::Text => Vec::new(),
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
}

impl StepRecord {
    /// The state of a task whose latest step this is; without a step it is pending.
    ///
    /// The marker of a phase says nothing about a task, so it leaves a task pending: only a `complete` step completes
    /// it.
    #[must_use]
    pub fn state(&self) -> State {
        self.outcome.of(self.step).state
    }

    /// Whether this step, made after `before`, belongs to another attempt. The end of a task belongs to its last one.
    #[must_use]
    pub fn begins_an_attempt_after(&self, before: &Self) -> bool {
        !self.step.is_end() && (self.attempt != before.attempt || self.step <= before.step)
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

/// The role of a commit in the run, according to its message alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CommitKind {
    /// A step of a task.
    Task(TaskId, StepRecord),
    /// The marker that a phase is complete.
    Phase(TaskId, StepRecord),
    /// A commit with a subject of ours and an `Arborist-Step` whose value this version does not know.
    UnknownStep(TaskId, String),
    /// Nothing of ours, or not counted: no step trailer, a run marker, an autosquash commit.
    #[default]
    Other,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_names_of_steps_are_their_rows() {
        let named = [
            (Step::IMPLEMENT, "implement"),
            (Step::TEST, "test"),
            (Step::REVIEW, "review"),
            (Step::COMPLETE, "complete"),
            (Step::PHASE_COMPLETE, "phase-complete"),
        ];
        for (step, word) in named {
            assert_eq!(step.word(), word);
            assert_eq!(Step::from_word(word), Some(step));
        }
        assert_eq!(Step::from_word("Implement"), None);
    }

    #[test]
    fn a_subject_is_known_by_the_words_around_its_name() {
        let (pass, fail) = (&Step::IMPLEMENT.row().pass, &Step::IMPLEMENT.row().fail);
        assert!(fail.is_said_in(r#"implement "a "b" c" (failed, attempt 2/5)"#));
        assert!(!fail.is_said_in(r#"implement "a""#) && pass.is_said_in(r#"implement "a""#));
        assert!(Step::COMPLETE.row().fail.is_said_in(r#"failed "x" after 5 retries"#));
        assert!(!Step::TEST.row().pass.is_said_in(r#"tests fail for "x""#));
    }

    #[test]
    fn every_row_is_sound() {
        let mut words: Vec<_> = Step::all().map(Step::word).collect();
        words.sort_unstable();
        words.dedup();
        assert_eq!(words.len(), Step::all().count(), "two steps share a word");
        for step in Step::all() {
            let row = step.row();
            assert_ne!(row.pass.word, row.fail.word, "{step:?}");
            assert_ne!(row.pass.subject, row.fail.subject, "{step:?}");
            assert!(row.trailers.iter().any(|used| used.key == row.outcome), "{step:?} lacks its outcome");
            let needed = step.uses(TrailerKey::Step).next().expect("every step has its trailer");
            assert_eq!(needed.need, Need::Required);
            assert_eq!(matches!(row.actor, Actor::Agent(_)), row.prompt.is_some(), "{step:?}");
            let retried = step.uses(TrailerKey::Retry).next().is_some();
            assert_eq!(
                retried,
                !step.is_end(),
                "{step:?}: attempts are numbered where a failure leads to another"
            );
        }
    }
}
