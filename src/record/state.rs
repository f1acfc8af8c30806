//! The eight states of a task (docs/commits.md).

use serde::{Serialize, Serializer};

use super::words::words;

words! {
    /// The state of a task, which follows from its latest step commit alone. A task goes through them in this order.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum State {
        /// No step of it is recorded.
        Pending "pending",
        /// Its latest step is an implement step, passed or not.
        Implementing "implementing",
        /// Its latest step is a test step, passed or not.
        Testing "testing",
        /// Its latest step is a review, approved or not.
        Reviewing "reviewing",
        /// An agent has asked a question about it, and nobody has answered yet.
        Asked "asked",
        /// It ended well.
        Complete "complete",
        /// It ended after its last attempt without success.
        Failed "failed",
        /// A person decided to leave it out. Tasks that depend on it do not wait for it.
        Skipped "skipped",
    }
}

impl State {
    /// What people read for it.
    #[must_use]
    pub fn in_words(self) -> &'static str {
        match self {
            Self::Asked => "waits for an answer",
            state => state.word(),
        }
    }

    /// Whether nothing is left to do, so that tasks which depend on it can begin.
    #[must_use]
    pub fn is_done(self) -> bool {
        matches!(self, Self::Complete | Self::Skipped)
    }
}

impl Serialize for State {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::{Outcome, Step, StepRecord};

    #[test]
    fn the_latest_step_decides_the_state() {
        let cases = [
            (Step::RED, Outcome::Pass, "testing"),
            (Step::RED, Outcome::Fail, "testing"),
            (Step::IMPLEMENT, Outcome::Pass, "implementing"),
            (Step::IMPLEMENT, Outcome::Fail, "implementing"),
            (Step::TEST, Outcome::Pass, "testing"),
            (Step::TEST, Outcome::Fail, "testing"),
            (Step::REVIEW, Outcome::Pass, "reviewing"),
            (Step::REVIEW, Outcome::Fail, "reviewing"),
            (Step::COMPLETE, Outcome::Pass, "complete"),
            (Step::COMPLETE, Outcome::Fail, "failed"),
            (Step::COMPLETE, Outcome::Skip, "skipped"),
            (Step::REOPEN, Outcome::Pass, "pending"),
            (Step::BLOCK, Outcome::Pass, "asked"),
            (Step::PHASE_COMPLETE, Outcome::Pass, "pending"),
        ];
        for (step, outcome, word) in cases {
            let record = StepRecord::of_run(step, outcome, 3);
            assert_eq!(record.state().word(), word, "{step:?} {outcome:?}");
        }
    }

    #[test]
    fn every_state_has_a_word_of_its_own() {
        let words: std::collections::HashSet<_> = State::ALL.into_iter().map(State::word).collect();
        assert_eq!(words.len(), State::ALL.len());
    }
}
