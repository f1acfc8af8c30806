//! What happens when a check of the work finds something.

use super::{Config, Setting};
use crate::record::Severity;

/// What a check does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckLevel {
    /// Nothing: it does not look.
    Off,
    /// It reports what it finds.
    Warn,
    /// What it finds fails the attempt.
    Require,
}

impl CheckLevel {
    fn from_word(word: &str) -> Option<Self> {
        match word {
            "off" => Some(Self::Off),
            "warn" => Some(Self::Warn),
            "require" => Some(Self::Require),
            _ => None,
        }
    }

    /// What a finding of the check does to the attempt; `None` if the check does not look.
    #[must_use]
    pub fn severity(self) -> Option<Severity> {
        match self {
            Self::Off => None,
            Self::Warn => Some(Severity::Warning),
            Self::Require => Some(Severity::Error),
        }
    }
}

impl Config {
    /// A setting that says what a check does.
    ///
    /// # Panics
    /// If the setting is of another type.
    #[must_use]
    pub fn check_level(&self, setting: Setting) -> CheckLevel {
        CheckLevel::from_word(&self.text(setting)).expect("every layer and the default are checked")
    }
}
