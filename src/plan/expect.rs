//! What kind of change a task makes, and so what proves it.

use std::fmt;

use serde::{Serialize, Serializer};

/// The kind of change that a task makes (the field `expect`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Expect {
    /// Behaviour changes: a test fails without the change.
    #[default]
    Change,
    /// Behaviour stays: the same tests give the same results before and after.
    Refactor,
    /// Tests are written. They may fail until a later task writes the code.
    Tests,
    /// Only documentation changes, or declarations without behaviour.
    Docs,
    /// The environment is set up: dependencies, tools, settings.
    Config,
}

impl Expect {
    /// All kinds, the default first.
    pub const ALL: [Self; 5] = [Self::Change, Self::Refactor, Self::Tests, Self::Docs, Self::Config];

    /// Its word in a plan.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Change => "change",
            Self::Refactor => "refactor",
            Self::Tests => "tests",
            Self::Docs => "docs",
            Self::Config => "config",
        }
    }

    /// The kind with this word.
    #[must_use]
    pub fn from_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.word() == word)
    }

    /// Whether a task of this kind is complete although nothing was proven, because no test can tell anything about it.
    #[must_use]
    pub fn needs_no_proof(self) -> bool {
        matches!(self, Self::Docs | Self::Config)
    }
}

impl Serialize for Expect {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl fmt::Display for Expect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}
