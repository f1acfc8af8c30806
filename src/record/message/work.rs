//! Who has claimed a task, who did the work of a step, and what it took, as messages record it (docs/parallel.md).

use std::time::Duration;

use super::{Attempt, StepMessage, TaskRef, seconds};
use crate::record::{Claimant, Outcome, Step, TrailerKey, Usage};

/// Who did the work of a step, how long it took, and what it has used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// The runner, and its model behind a slash.
    pub runner: String,
    /// The time from start to end.
    pub duration: Duration,
    /// What it has used, as far as the runner reports it.
    pub usage: Usage,
}

impl StepMessage {
    /// The message of a claim of `task`. No two claims may have the same nonce: their commits must differ even if
    /// everything else is the same.
    #[must_use]
    pub fn claim(task: TaskRef<'_>, claimant: &Claimant, nonce: &str) -> Self {
        let mut message =
            Self::new(Step::CLAIM, task, Attempt { number: 0, max: 1, merge: None }, Outcome::Pass);
        message.subject = message.subject.replace("{claimant}", claimant.as_str());
        message.set(TrailerKey::Claimant, claimant.as_str());
        message.set(TrailerKey::Nonce, nonce);
        message
    }

    /// The same message with the runner, the duration of its work, and what it has used.
    #[must_use]
    pub fn with_work(mut self, work: &Work) -> Self {
        self.set(TrailerKey::Runner, &work.runner);
        // How long an outside worker took is not known.
        if !work.duration.is_zero() {
            self.set(TrailerKey::Duration, &seconds(work.duration));
        }
        self.set(TrailerKey::Tokens, &work.usage.tokens.to_string());
        if let Some(cost) = work.usage.cost {
            self.set(TrailerKey::Cost, &cost.to_string());
        }
        self
    }

    /// What the step has used.
    #[must_use]
    pub fn usage(&self) -> Usage {
        let value =
            |key| self.trailers.iter().find(|(known, _)| *known == key).map(|(_, value)| value.as_str());
        Usage::read(value(TrailerKey::Tokens), value(TrailerKey::Cost))
    }
}
