//! The one table of our trailers: keys, values, the steps that carry them, and what they mean (formats.md §3).
//!
//! The writer, the reader, the hook and the help text all draw from [`TrailerKey::ALL`] and [`TrailerKey::rule`].

use serde::{Deserialize, Serialize};

use super::{Outcome, Step};

/// A trailer key of ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum TrailerKey {
    /// `Arborist-Step`
    Step,
    /// `Arborist-Result`
    Result,
    /// `Arborist-Test`
    Test,
    /// `Arborist-Review`
    Review,
    /// `Arborist-Retry`
    Retry,
    /// `Arborist-Report`
    Report,
    /// `Arborist-Test-Log`
    TestLog,
    /// `Arborist-Review-Log`
    ReviewLog,
    /// `Arborist-Test-Type`
    TestType,
    /// `Arborist-Test-Passed`
    TestPassed,
    /// `Arborist-Test-Failed`
    TestFailed,
    /// `Arborist-Test-Skipped`
    TestSkipped,
    /// `Arborist-Test-Runtime`
    TestRuntime,
    /// `Arborist-Runner`
    Runner,
    /// `Arborist-Duration`
    Duration,
    /// `Arborist-Reject`
    Reject,
    /// `Arborist-Findings`
    Findings,
}

/// What may stand behind a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    /// One of these words, written exactly so.
    Words(&'static [&'static str]),
    /// A decimal integer from 0 to `u32::MAX`, without leading zeros.
    Count,
    /// Seconds, a decimal number of 0 or more.
    Seconds,
    /// A path from the work tree's top, with `/`, never absolute, never through `..`.
    Path,
    /// One line of text.
    Text,
}

/// With which outcome of a step a key may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    /// With either.
    Always,
    /// Only where the step passed.
    OnPass,
    /// Only where the step failed.
    OnFail,
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

/// Whether a step commit must have a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// A message without it is wrong.
    Required,
    /// It may be left out.
    Optional,
}

/// One use of a key: on this step, with this outcome, so needed.
pub type Use = (Step, When, Need);

/// All that there is to know of one key.
#[derive(Clone, Copy, Debug)]
pub struct TrailerRule {
    /// The key as it is written.
    pub name: &'static str,
    /// What may stand behind it.
    pub value: ValueKind,
    /// Where it may stand; elsewhere it must not.
    pub uses: &'static [Use],
    /// One clause for help and documentation.
    pub about: &'static str,
}

const STEP_WORDS: &[&str] = &["implement", "test", "review", "complete", "phase-complete"];
const PASS_FAIL: &[&str] = &["pass", "fail"];

macro_rules! rule {
    ($name:literal, $value:expr, $about:literal, $($step:ident $when:ident $need:ident),+) => {
        &TrailerRule {
            name: $name,
            value: $value,
            uses: &[$((Step::$step, When::$when, Need::$need)),+],
            about: $about,
        }
    };
}

impl TrailerKey {
    /// All keys, in the order in which a message lists them.
    pub const ALL: [Self; 17] = [
        Self::Step,
        Self::Result,
        Self::Test,
        Self::Review,
        Self::Retry,
        Self::Report,
        Self::TestLog,
        Self::ReviewLog,
        Self::TestType,
        Self::TestPassed,
        Self::TestFailed,
        Self::TestSkipped,
        Self::TestRuntime,
        Self::Runner,
        Self::Duration,
        Self::Reject,
        Self::Findings,
    ];

    /// The row of the table for this key.
    #[must_use]
    pub const fn rule(self) -> &'static TrailerRule {
        use ValueKind::{Count, Path, Seconds, Text, Words};
        match self {
            Self::Step => rule!("Arborist-Step", Words(STEP_WORDS), "the stage that ended in this commit",
                Implement Always Required, Test Always Required, Review Always Required,
                Complete Always Required, PhaseComplete Always Required),
            Self::Result => rule!("Arborist-Result", Words(PASS_FAIL), "whether the stage succeeded",
                Implement Always Required, Complete Always Required, PhaseComplete Always Optional),
            Self::Test => rule!("Arborist-Test", Words(PASS_FAIL), "what the test commands said",
                Test Always Required),
            Self::Review => {
                rule!("Arborist-Review", Words(&["approved", "rejected"]), "the reviewer's verdict",
                Review Always Required)
            }
            Self::Retry => rule!("Arborist-Retry", Count, "the attempt, counted from 0",
                Implement Always Required, Test Always Required, Review Always Required),
            Self::Report => rule!("Arborist-Report", Path, "the JSON report of the task",
                Complete OnPass Required),
            Self::TestLog => rule!("Arborist-Test-Log", Path, "the full output of the test commands",
                Test OnFail Required),
            Self::ReviewLog => rule!("Arborist-Review-Log", Path, "the full text of the review",
                Review Always Optional),
            Self::TestType => rule!("Arborist-Test-Type",
                Words(&["unit", "integration", "e2e", "setup", "teardown"]),
                "the type of the command that failed, else of the last one",
                Test Always Optional),
            Self::TestPassed => {
                rule!("Arborist-Test-Passed", Count, "tests that passed", Test Always Optional)
            }
            Self::TestFailed => {
                rule!("Arborist-Test-Failed", Count, "tests that failed", Test Always Optional)
            }
            Self::TestSkipped => rule!("Arborist-Test-Skipped", Count, "tests that were skipped",
                Test Always Optional),
            Self::TestRuntime => rule!("Arborist-Test-Runtime", Seconds, "seconds that all commands took",
                Test Always Optional),
            Self::Runner => rule!("Arborist-Runner", Text, "the runner, and its model behind a slash",
                Implement Always Optional, Review Always Optional),
            Self::Duration => rule!("Arborist-Duration", Seconds, "seconds that the runner took",
                Implement Always Optional, Review Always Optional),
            Self::Reject => rule!("Arborist-Reject", Words(&["tests"]),
                "what the review rejects, if it is not the code",
                Review OnFail Optional),
            Self::Findings => rule!("Arborist-Findings", Text,
                "what a person should look at: names, with blanks between",
                Test Always Optional, Review Always Optional, Complete OnPass Optional),
        }
    }

    /// The key as it is written.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.rule().name
    }

    /// The key with this name, compared without case as git does.
    #[must_use]
    pub fn from_name(name: &[u8]) -> Option<Self> {
        // Nearly all are written as they should be.
        let exactly = NAMES.iter().position(|known| *known == name);
        let place = exactly.or_else(|| NAMES.iter().position(|known| known.eq_ignore_ascii_case(name)))?;
        Some(Self::ALL[place])
    }
}

/// The names of all keys, in their order: they are compared with every trailer of a history.
const NAMES: [&[u8]; TrailerKey::ALL.len()] = {
    let mut names: [&[u8]; TrailerKey::ALL.len()] = [b""; TrailerKey::ALL.len()];
    let mut place = 0;
    while place < names.len() {
        names[place] = TrailerKey::ALL[place].name().as_bytes();
        place += 1;
    }
    names
};

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_step_word_is_a_step_and_every_step_has_its_word() {
        assert_eq!(STEP_WORDS, Step::ALL.map(Step::word));
    }

    #[test]
    fn outcome_keys_use_the_words_of_outcomes() {
        for (key, step) in [
            (TrailerKey::Result, Step::Implement),
            (TrailerKey::Test, Step::Test),
            (TrailerKey::Review, Step::Review),
        ] {
            let ValueKind::Words(words) = key.rule().value else { panic!("{key:?} has no words") };
            assert_eq!(words, [Outcome::Pass.word(step), Outcome::Fail.word(step)]);
        }
    }

    #[test]
    fn names_are_distinct_and_found_in_any_case() {
        for key in TrailerKey::ALL {
            assert_eq!(TrailerKey::from_name(key.name().to_lowercase().as_bytes()), Some(key));
        }
        assert_eq!(TrailerKey::from_name(b"Arborist-Steps"), None);
    }
}
