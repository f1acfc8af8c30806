//! How many statements of a change are taken out, and what that has shown.

use std::collections::BTreeSet;
use std::time::Duration;

use crate::record::{Check, Finding, Severity};

/// How much is tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HunkLimits {
    /// How many statements.
    pub most: usize,
    /// After how much time no further one is tried.
    pub time: Duration,
    /// Whether to stop as soon as a test has noticed one.
    pub one_is_enough: bool,
}

/// Lines of the change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LineRange {
    /// The file.
    pub file: String,
    /// The first of them in the commit, from 1.
    pub first: usize,
    /// The last of them.
    pub last: usize,
}

/// What taking out statements has shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HunkReport {
    /// How many statements the change has.
    pub all: usize,
    /// How many could be judged.
    pub judged: usize,
    /// Those of them that no test noticed.
    pub unnoticed: Vec<LineRange>,
    /// The tests that noticed one.
    pub noticed_by: BTreeSet<String>,
    /// How many could not be judged, because nothing that was put in their place could be loaded.
    pub unclear: usize,
    /// Why nothing was tried.
    pub not_applicable: Option<&'static str>,
}

impl HunkReport {
    /// How many statements a test has noticed.
    #[must_use]
    pub fn noticed(&self) -> usize {
        self.judged - self.unnoticed.len()
    }

    /// The statements that no test noticed, as a finding that this command shows.
    #[must_use]
    pub fn finding(&self, look: &str) -> Option<Finding> {
        let places = self.unnoticed.iter().map(LineRange::place);
        let seen = "No test notices if these statements are taken out or changed";
        let finding = Finding::new(Check::Prove, Severity::Warning, seen);
        (!self.unnoticed.is_empty()).then(|| finding.at(places).look(&format!("{look} --hunks")))
    }
}

impl LineRange {
    /// Whether these lines have those among them.
    pub(super) fn has(&self, other: &Self) -> bool {
        self.file == other.file && self.first <= other.first && other.last <= self.last
    }

    /// `FILE:FIRST-LAST`.
    #[must_use]
    pub fn place(&self) -> String {
        match self.last {
            last if last <= self.first => format!("{}:{}", self.file, self.first),
            last => format!("{}:{}-{last}", self.file, self.first),
        }
    }
}
