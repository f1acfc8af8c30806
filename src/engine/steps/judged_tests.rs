//! How tests that were just written were judged, and what their commit says about that.

use std::time::Duration;

use crate::record::{Finding, RedKind, StepMessage};
use crate::suite::TestResults;

/// How tests that an agent has just written were judged.
#[derive(Debug, Default)]
pub(super) struct JudgedTests {
    /// What is wrong with them, and what is not known about them.
    pub(super) findings: Vec<Finding>,
    /// The results of the test commands, if these have run.
    pub(super) results: Option<TestResults>,
    /// Why they fail.
    pub(super) kind: Option<RedKind>,
}

impl JudgedTests {
    /// The message with the findings, and the results of the test commands.
    pub(super) fn described_in(&self, message: StepMessage) -> StepMessage {
        let message = self.findings.iter().fold(message, StepMessage::with_finding);
        let message = match &self.results {
            Some(results) => results.describe(message.with_tests(&results.facts())),
            None => message,
        };
        let message = match self.kind {
            Some(kind) if !self.have_failed() => message.with_red(kind),
            _ => message,
        };
        message.with_findings(&self.findings)
    }

    /// Whether they are not what was asked for.
    pub(super) fn have_failed(&self) -> bool {
        self.findings.iter().any(Finding::is_error)
    }

    /// How long the test commands took.
    pub(super) fn runtime(&self) -> Duration {
        self.results.as_ref().map(TestResults::runtime).unwrap_or_default()
    }

    /// A few words for a progress line; `None` if no test command has run.
    pub(super) fn detail(&self) -> Option<String> {
        let seen = self.findings.first().map(Finding::seen);
        seen.map(str::to_owned).or_else(|| Some(self.results.as_ref()?.summary()))
    }
}
