//! The words of a proof: how each of its runs ended, and what follows for the task; and why tests that were written before
//! the code fail.

use serde::{Deserialize, Serialize};

use super::words::words;

words! {
    /// What is known of a task, in a word.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub enum ProofWord {
        /// A test fails without the change, and no test was weakened to make it pass.
        Proven "proven",
        /// The same tests give the same results before and after.
        Equal "equal",
        /// Tests passed, and nothing more can be said.
        Tested "tested",
        /// Tests passed, and a run of the proof went wrong.
        Unproven "unproven",
        /// No test ran.
        Untested "untested",
    }
}

words! {
    /// What comes of an attempt to prove a task, in a word.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "kebab-case")]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub enum ProofResult {
        /// A test fails without the change, and no test was weakened to make it pass.
        Proven "proven",
        /// The same tests give the same results before and after.
        Equal "equal",
        /// Tests passed, and nothing more can be said.
        Tested "tested",
        /// Tests passed, and a run of the proof went wrong.
        Unproven "unproven",
        /// No test ran, because there is none.
        Untested "untested",
        /// A person has completed the task, so nothing ran.
        VouchedFor "vouched-for",
        /// The task is skipped, so nothing ran.
        Skipped "skipped",
        /// Nothing ran, because nobody has worked on the task or because something is in the way.
        NotTried "not-tried",
    }
}

words! {
    /// How one run of a proof ended.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
    #[serde(rename_all = "lowercase")]
    #[cfg_attr(test, derive(schemars::JsonSchema))]
    pub enum RunWord {
        /// As it must.
        Pass "pass",
        /// Otherwise.
        Fail "fail",
        /// It is not needed.
        None "none",
        /// It cannot tell anything. This is never a pass.
        #[serde(rename = "na")]
        NotApplicable "na",
        /// It was not made.
        #[default]
        Skip "skip",
    }
}

words! {
    /// Why tests that were written before the code fail.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
    pub enum RedKind {
        /// A test failed.
        Test "test",
        /// The code of a test could not be built or loaded.
        Build "build",
    }
}

impl ProofResult {
    /// The word on the screen.
    #[must_use]
    pub fn shown(self) -> &'static str {
        match self {
            Self::Unproven => ProofWord::Unproven.shown(),
            Self::VouchedFor => "vouched for by a person",
            Self::NotTried => "not proven",
            other => other.word(),
        }
    }
}

impl From<ProofWord> for ProofResult {
    fn from(word: ProofWord) -> Self {
        match word {
            ProofWord::Proven => Self::Proven,
            ProofWord::Equal => Self::Equal,
            ProofWord::Tested => Self::Tested,
            ProofWord::Unproven => Self::Unproven,
            ProofWord::Untested => Self::Untested,
        }
    }
}

impl ProofWord {
    /// The word on the screen.
    #[must_use]
    pub fn shown(self) -> &'static str {
        match self {
            Self::Unproven => "tested, not proven",
            other => other.word(),
        }
    }
}
