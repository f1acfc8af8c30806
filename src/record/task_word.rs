//! What is known of a complete task, in a word. Every view takes the word from here, so that all of them say the same.

use serde::Serialize;

use super::proof_word::ProofWord;
use super::{By, Outcome, Step, StepRecord};

/// What is known of a complete task, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum TaskWord {
    /// A test fails without the change, or a refactoring has the same results before and after.
    Proven,
    /// Its tests pass.
    Tested,
    /// Its tests pass, and a run of the proof ended otherwise than it must.
    NotProven,
    /// The tests of a commit pass that has the work of other tasks, too. That proves nothing for each of them.
    TestedWithOthers,
    /// No test ran.
    Untested,
    /// A person has completed it.
    VouchedFor,
}

impl TaskWord {
    /// The word for the task that this step completes; `None` if it completes none. `has_tests` says whether tests are known to
    /// have passed where the step itself says nothing of them.
    #[must_use]
    pub fn of(end: &StepRecord, has_tests: bool) -> Option<Self> {
        if end.step != Step::COMPLETE || end.outcome != Outcome::Pass {
            return None;
        }
        Some(match (end.proof, end.is_joint) {
            _ if end.by == By::User => Self::VouchedFor,
            (Some(ProofWord::Untested), _) => Self::Untested,
            (None, _) if !has_tests => Self::Untested,
            (_, true) => Self::TestedWithOthers,
            (Some(ProofWord::Proven | ProofWord::Equal), false) => Self::Proven,
            (Some(ProofWord::Unproven), false) => Self::NotProven,
            (Some(ProofWord::Tested) | None, false) => Self::Tested,
        })
    }

    /// The word, with what a reader should know about it.
    #[must_use]
    pub fn shown(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Tested => "tested",
            Self::NotProven => "tested, not proven",
            Self::TestedWithOthers => "tested with other tasks",
            Self::Untested => "untested",
            Self::VouchedFor => "vouched for by a person",
        }
    }

    /// Whether its tests have passed.
    #[must_use]
    pub fn is_tested(self) -> bool {
        matches!(self, Self::Proven | Self::Tested | Self::NotProven | Self::TestedWithOthers)
    }

    /// What the commit that lands the task alone records: never more than the run did.
    #[must_use]
    pub fn landed(self) -> ProofWord {
        match self {
            Self::Proven => ProofWord::Proven,
            Self::Tested | Self::TestedWithOthers => ProofWord::Tested,
            Self::NotProven => ProofWord::Unproven,
            // No test says so, and a clone does not have the step of the person.
            Self::Untested | Self::VouchedFor => ProofWord::Untested,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joint_commit_proves_nothing_and_a_person_vouches_alone() {
        let end = StepRecord::of_run(Step::COMPLETE, Outcome::Pass, 0);
        let with = |proof, is_joint| StepRecord { proof, is_joint, ..end };
        for (record, has_tests, word) in [
            (with(Some(ProofWord::Proven), false), true, TaskWord::Proven),
            (with(Some(ProofWord::Equal), false), true, TaskWord::Proven),
            (with(Some(ProofWord::Unproven), false), true, TaskWord::NotProven),
            (with(None, false), true, TaskWord::Tested),
            (with(None, false), false, TaskWord::Untested),
            (with(Some(ProofWord::Proven), true), true, TaskWord::TestedWithOthers),
            (with(None, true), true, TaskWord::TestedWithOthers),
            (with(Some(ProofWord::Untested), true), true, TaskWord::Untested),
            (with(None, true), false, TaskWord::Untested),
            (StepRecord { by: By::User, ..with(Some(ProofWord::Proven), false) }, true, TaskWord::VouchedFor),
        ] {
            assert_eq!(TaskWord::of(&record, has_tests), Some(word), "{record:?}");
        }
        let failed = StepRecord::of_run(Step::COMPLETE, Outcome::Fail, 0);
        assert_eq!(TaskWord::of(&failed, true), None);
        assert_eq!(TaskWord::of(&StepRecord::of_run(Step::TEST, Outcome::Pass, 0), true), None);
    }
}
