//! Builds the message of a claim (docs/parallel.md).

use super::{Attempt, StepMessage, TaskRef};
use crate::record::{Claimant, Outcome, Step, TrailerKey};

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
}
