//! The words of a proof: how each of its runs ended, and what follows for the task; and why tests that were written before
//! the code fail.

use serde::{Deserialize, Serialize};

/// What is known of a task, in a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum ProofWord {
    /// A test fails without the change, and no test was weakened to make it pass.
    Proven,
    /// The same tests give the same results before and after.
    Equal,
    /// Tests passed, and nothing more can be said.
    Tested,
    /// Tests passed, and a run of the proof went wrong.
    Unproven,
    /// No test ran.
    Untested,
}

/// How one run of a proof ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum RunWord {
    /// As it must.
    Pass,
    /// Otherwise.
    Fail,
    /// It is not needed.
    None,
    /// It cannot tell anything. This is never a pass.
    #[serde(rename = "na")]
    NotApplicable,
    /// It was not made.
    #[default]
    Skip,
}

impl ProofWord {
    /// All words.
    pub const ALL: [Self; 5] = [Self::Proven, Self::Equal, Self::Tested, Self::Unproven, Self::Untested];

    /// The word in the trailer.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Equal => "equal",
            Self::Tested => "tested",
            Self::Unproven => "unproven",
            Self::Untested => "untested",
        }
    }

    /// The word on the screen.
    #[must_use]
    pub fn shown(self) -> &'static str {
        match self {
            Self::Unproven => "tested, not proven",
            other => other.word(),
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.word() == word)
    }
}

impl RunWord {
    const ALL: [Self; 5] = [Self::Pass, Self::Fail, Self::None, Self::NotApplicable, Self::Skip];

    /// The word in the trailer.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Fail => "fail",
            Self::None => "none",
            Self::NotApplicable => "na",
            Self::Skip => "skip",
        }
    }

    pub(super) fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|own| own.word() == word)
    }
}

/// Why tests that were written before the code fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RedKind {
    /// A test failed.
    Test,
    /// The code of a test could not be built or loaded.
    Build,
}

impl RedKind {
    /// The words of all of them.
    pub(super) const WORDS: [&'static str; 2] = [Self::Test.word(), Self::Build.word()];

    /// The word in the trailer.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Build => "build",
        }
    }
}
