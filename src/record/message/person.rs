//! Adds the name and the words of a person, or of an agent that asks or answers, to the message of a step.

use super::{Block, REVIEW_LABEL, StepMessage};
use crate::record::own_lines::QUESTION_LABEL;
use crate::record::{By, CommitId, TESTS_WRONG, TrailerKey};
use crate::text::{ellipsis, one_line};

/// How many characters of a reason its trailer shows. The body has all of them.
const REASON_LIMIT: usize = 200;
/// How many characters of a question the body keeps.
const QUESTION_LIMIT: usize = 4000;

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

    /// The same message with the commits of a person that the step takes in.
    #[must_use]
    pub fn taking_in(self, base: &CommitId, tip: &CommitId) -> Self {
        self.with_value(TrailerKey::Range, &format!("{base}..{tip}"))
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

    /// The same message as a reviewer's answer to another agent.
    #[must_use]
    pub fn by_reviewer(mut self) -> Self {
        self.set(TrailerKey::By, By::REVIEWER);
        self
    }

    /// The same message with what an agent asks: in a trailer as far as it fits, and the whole text in the body.
    #[must_use]
    pub fn asking(mut self, reason: &str, text: &str) -> Self {
        let short = ellipsis(&one_line(reason), REASON_LIMIT);
        // This word has a meaning of its own.
        let short = if short == TESTS_WRONG { format!("{short}?") } else { short };
        self.set(TrailerKey::Reason, &short);
        self.with_question(text)
    }

    /// The same message with why an implementer calls the tests of its task wrong.
    #[must_use]
    pub fn claiming_tests_wrong(mut self, text: &str) -> Self {
        self.set(TrailerKey::Reason, TESTS_WRONG);
        self.with_question(text)
    }

    /// The same message of a review that finds the tests wrong, as an implementer has said.
    #[must_use]
    pub fn agreeing_with_claim(mut self) -> Self {
        self.trailers.retain(|(key, _)| *key != TrailerKey::Reject);
        self = self.rejecting_tests();
        self.set(TrailerKey::Reason, TESTS_WRONG);
        self
    }

    fn with_question(self, text: &str) -> Self {
        let label = QUESTION_LABEL.to_owned();
        self.with_block(&Block { label, text: text.as_bytes().to_vec(), limit: QUESTION_LIMIT })
    }

    /// The same message with a person's whole review.
    #[must_use]
    pub fn with_users_review(self, words: &str) -> Self {
        let text = words.as_bytes().to_vec();
        self.with_block(&Block { label: REVIEW_LABEL.to_owned(), text, limit: words.len() })
    }
}
