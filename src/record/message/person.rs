//! Adds a person's name and words to the message of a step.

use super::{Block, REVIEW_LABEL, StepMessage};
use crate::record::{By, TrailerKey};
use crate::text::{ellipsis, one_line};

/// How many characters of a reason its trailer shows. The body has all of them.
const REASON_LIMIT: usize = 200;

impl StepMessage {
    /// The same message as that of a person.
    #[must_use]
    pub fn by_user(mut self) -> Self {
        self.set(TrailerKey::By, By::USER);
        self
    }

    /// The same message for work that was handed in, by this program or, if there is none, by the user.
    #[must_use]
    pub fn handed_in_by(mut self, worker: Option<&str>) -> Self {
        self.is_handed_in = true;
        match worker {
            Some(worker) => self.set(TrailerKey::Runner, worker),
            None => self.set(TrailerKey::By, By::USER),
        }
        self
    }

    /// Whether somebody outside of the run did the work. If it cannot be committed, it stays where it is, and can be handed
    /// in again.
    #[must_use]
    pub fn is_handed_in(&self) -> bool {
        self.is_handed_in
    }

    /// The same message with a person's reason: in a trailer as far as it fits, and as a paragraph if it does not.
    #[must_use]
    pub fn with_reason(mut self, reason: &str) -> Self {
        let whole = one_line(reason);
        let short = ellipsis(&whole, REASON_LIMIT);
        self.set(TrailerKey::Reason, &short);
        if short == reason.trim() { self } else { self.with_sentence(reason) }
    }

    /// The same message with a person's whole review.
    #[must_use]
    pub fn with_users_review(self, words: &str) -> Self {
        let text = words.as_bytes().to_vec();
        self.with_block(&Block { label: REVIEW_LABEL.to_owned(), text, limit: words.len() })
    }
}
