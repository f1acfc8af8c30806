//! The names of tests with their outcomes.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::Counts;

/// How a test ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TestOutcome {
    /// It was skipped, ignored, or is still to be written.
    Skipped,
    /// It passed.
    Passed,
    /// It failed.
    Failed,
    /// Its file could not be loaded or built, so the test itself did not run. The name is that of the file or package.
    NotLoaded,
}

impl TestOutcome {
    /// The outcome for which a framework prints this word or sign.
    pub(in crate::suite) fn of_word(word: &str) -> Option<Self> {
        match word.trim_start() {
            "PASSED" | "XPASS" | "PASS" | "SLOW PASS" | "LEAK" | "ok" | "✓" | "√" | "✔" => {
                Some(Self::Passed)
            }
            "not ok" | "FAILED" | "ERROR" | "FAIL" | "TIMEOUT" | "ABORT" | "SIGABRT" | "SIGSEGV" | "✕"
            | "×" | "✖" | "●" | "❯" => Some(Self::Failed),
            "SKIPPED" | "XFAIL" | "SKIP" | "Skip" | "skip" | "TODO" | "Todo" | "todo" | "skipped"
            | "expected" | "ignored" | "○" | "✎" | "↓" | "□" | "﹣" => Some(Self::Skipped),
            _ => None,
        }
    }

    /// Counts a test that ended like this.
    pub(in crate::suite) fn count_in(self, counts: &mut Counts) {
        let slot = match self {
            Self::Passed => &mut counts.passed,
            Self::Skipped => &mut counts.skipped,
            Self::Failed | Self::NotLoaded => &mut counts.failed,
        };
        *slot = slot.saturating_add(1);
    }
}

/// The tests that an output names, each with the worst of its outcomes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TestNames {
    outcomes: BTreeMap<String, TestOutcome>,
}

impl TestNames {
    /// The names of the tests with this outcome, in order.
    pub fn with(&self, outcome: TestOutcome) -> impl Iterator<Item = &str> {
        self.outcomes.iter().filter(move |(_, found)| **found == outcome).map(|(name, _)| name.as_str())
    }

    /// How the test with this name ended.
    #[must_use]
    pub fn outcome_of(&self, name: &str) -> Option<TestOutcome> {
        self.outcomes.get(name).copied()
    }

    pub(super) fn remove(&mut self, name: &str) {
        self.outcomes.remove(name);
    }

    /// Whether no test is named.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.outcomes.is_empty()
    }

    /// Whether every test that was counted is named, and no other.
    #[must_use]
    pub fn agree_with(&self, counts: Counts) -> bool {
        let named = |outcome| u32::try_from(self.with(outcome).count()).unwrap_or(u32::MAX);
        let failed = named(TestOutcome::Failed).saturating_add(named(TestOutcome::NotLoaded));
        (named(TestOutcome::Passed), failed) == (counts.passed, counts.failed)
    }

    /// Adds the tests of another command.
    pub fn extend(&mut self, other: Self) {
        for (name, outcome) in other.outcomes {
            self.add(name, outcome);
        }
    }

    /// Replaces what is known of a test.
    pub(in crate::suite) fn set(&mut self, name: &str, outcome: TestOutcome) {
        self.outcomes.insert(name.to_owned(), outcome);
    }

    /// Adds a test.
    pub(crate) fn add(&mut self, name: impl Into<String>, outcome: TestOutcome) {
        let known = self.outcomes.entry(name.into()).or_insert(outcome);
        *known = outcome.max(*known);
    }
}
