//! What a step has found, in its message.

use std::collections::BTreeSet;

use super::StepMessage;
use crate::record::{Check, Finding, TrailerKey};

impl StepMessage {
    /// The same message with a finding of this step as another paragraph.
    #[must_use]
    pub fn with_finding(self, finding: &Finding) -> Self {
        self.with_sentence(&finding.to_string())
    }

    /// The same message with the names of the checks that have found something, if there are any, beside those that it
    /// has already.
    #[must_use]
    pub fn with_findings(mut self, findings: &[Finding]) -> Self {
        let is_list = |(key, _): &&(TrailerKey, String)| *key == TrailerKey::Findings;
        let known = self.trailers.iter().filter(is_list).flat_map(|(_, names)| names.split(' '));
        let known = known.filter_map(Check::from_name);
        let checks: BTreeSet<Check> = known.chain(findings.iter().map(Finding::check)).collect();
        let names: Vec<&str> = checks.into_iter().map(Check::name).collect();
        self.trailers.retain(|(key, _)| *key != TrailerKey::Findings);
        self.set(TrailerKey::Findings, &names.join(" "));
        self
    }
}
