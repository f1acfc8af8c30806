//! A step and how it ended, in their own words.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::record::{Outcome, Step};

/// A step and how it ended. Each step has its own word for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Words", try_from = "Words")]
pub struct StepResult {
    /// The step.
    pub step: Step,
    /// How it ended.
    pub outcome: Outcome,
}

/// A step and its outcome in their own words.
#[derive(Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Words {
    /// The step.
    step: Step,
    /// How it ended.
    outcome: Cow<'static, str>,
}

impl From<StepResult> for Words {
    fn from(StepResult { step, outcome }: StepResult) -> Self {
        Self { step, outcome: outcome.word(step).into() }
    }
}

impl TryFrom<Words> for StepResult {
    type Error = String;

    fn try_from(Words { step, outcome }: Words) -> Result<Self, String> {
        let found = Outcome::from_word(step, &outcome);
        let outcome = found.ok_or_else(|| format!("{} cannot end with `{outcome}`", step.word()))?;
        Ok(Self { step, outcome })
    }
}
