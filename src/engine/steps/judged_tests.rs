//! How tests that were just written were judged, and what their commit says about that.

use std::time::Duration;

use crate::record::{Finding, RedKind, StepDraft};
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
    /// Adds the findings, and the results of the test commands, to a step.
    pub(super) fn describe(&self, draft: &mut StepDraft) {
        if let Some(results) = &self.results {
            results.count_in(draft);
            results.describe(draft);
        }
        draft.facts.red = self.kind.filter(|_| !self.have_failed());
        *draft = draft.clone().finding(&self.findings).naming(&self.findings);
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
        let seen = self.findings.first().map(|finding| finding.seen.clone());
        seen.or_else(|| Some(self.results.as_ref()?.summary()))
    }
}
