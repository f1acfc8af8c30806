//! What some events carry: a step and how it ended in their own words, the end of a run, and the runner that takes over.

use std::borrow::Cow;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use super::lengths::to_the_second;
use crate::record::{Counts, Goal, Outcome, State, Step, StepDraft, TaskId, UNTESTED, UsageTotal};

/// A step and how it ended. Each step has its own word for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Words", try_from = "Words")]
pub struct StepResult {
    /// The step.
    pub step: Step,
    /// How it ended.
    pub outcome: Outcome,
    /// Why no test has judged, if none has.
    pub no_tests: Option<NoTests>,
}

/// Why no test has judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum NoTests {
    /// The task has no test command.
    Untested,
    /// The commands ran and found no test.
    NoneFound,
}

impl NoTests {
    /// That of commands with these counts.
    pub(crate) fn counted(counts: Option<Counts>) -> Option<Self> {
        counts.is_some_and(|counts| counts.total() == 0).then_some(Self::NoneFound)
    }
}

impl StepResult {
    /// That of a finished step. A failure is one, whether or not there are tests.
    pub(crate) fn of(draft: &StepDraft) -> Self {
        let StepDraft { step, outcome, ref facts, .. } = *draft;
        let no_tests = match outcome {
            Outcome::Pass if step == Step::TEST && facts.is_untested() => Some(NoTests::Untested),
            Outcome::Pass => NoTests::counted(facts.tests),
            _ => None,
        };
        Self { step, outcome, no_tests }
    }

    /// The word for how it ended, as people see it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self.no_tests {
            Some(NoTests::Untested) => UNTESTED,
            Some(NoTests::NoneFound) => "no tests",
            None if self.is_question() => State::Asked.word(),
            None => self.outcome.word(self.step),
        }
    }

    /// Whether its agent has asked a question instead of doing the work.
    pub(crate) fn is_question(self) -> bool {
        self.step.row().goal == Goal::Answer
    }
}

/// A step and its outcome in their own words.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Words {
    /// The step.
    step: Step,
    /// How it ended.
    outcome: Cow<'static, str>,
    /// Why no test has judged: the task has no test command, or these have found no test.
    no_tests: Option<NoTests>,
}

impl From<StepResult> for Words {
    fn from(StepResult { step, outcome, no_tests }: StepResult) -> Self {
        Self { step, outcome: outcome.word(step).into(), no_tests }
    }
}

impl TryFrom<Words> for StepResult {
    type Error = String;

    fn try_from(Words { step, outcome, no_tests }: Words) -> Result<Self, String> {
        let found = Outcome::from_word(step, &outcome);
        let outcome = found.ok_or_else(|| format!("{} cannot end with `{outcome}`", step.word()))?;
        Ok(Self { step, outcome, no_tests })
    }
}

/// What is known at the end of a run. After an error, only the first fields are known.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamEnd {
    /// The exit status of the command.
    pub status: u8,
    /// Why the run ended; `None` for an error.
    #[cfg_attr(test, schemars(extend("enum" = ["complete", "failed", "phase-failed", "superseded", "waiting", "question", "approval", "until", "max-time", "max-cost", "max-tokens", "task-budget", "max-tasks", "gate", "stop", null])))]
    pub reason: Option<String>,
    /// The error, or why the run ended before everything was complete; `None` if there is nothing to say.
    pub message: Option<String>,
    /// What to do next; `None` if there is nothing to say.
    pub remedy: Option<String>,
    /// How many tasks are complete; `None`, like the other counts, if the run ended before this was known.
    pub complete: Option<usize>,
    /// How many tasks there are.
    pub total: Option<usize>,
    /// The failed tasks.
    pub failed: Option<Vec<String>>,
    /// The phases whose own tests failed.
    pub failed_phases: Option<Vec<String>>,
    /// The tasks that are neither complete nor failed.
    pub open: Option<Vec<String>>,
    /// What the agents of the run have used.
    pub used: Option<UsageTotal>,
    /// How many attempts the run has made.
    pub attempts: Option<usize>,
    /// How long it has taken, in seconds.
    pub duration: Option<f64>,
}

/// A runner that cannot work now, and the one that works instead.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Fallback {
    /// The task.
    pub task: TaskId,
    /// The step.
    pub step: Step,
    /// The runner that cannot work, and its model behind a slash.
    pub runner: String,
    /// Why, as a clause.
    pub reason: String,
    /// Until when all runners with its account are left alone; `None` for the rest of the run, because only a person can help.
    #[serde(serialize_with = "to_the_second")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub until: Option<DateTime<Utc>>,
    /// The runner that works instead, and its model behind a slash.
    pub instead: String,
}
