//! The trailers that hold facts: each is written and read here.

use super::{StepEffort, StepFacts};
use crate::record::landing::commit_range;
use crate::record::ours::Ours;
use crate::record::{By, Counts, Origin, REJECTED_TESTS, RedKind, TrailerKey, seconds};

impl StepEffort {
    /// What these trailers say. If a key appears more than once, the first one counts.
    pub(in crate::record) fn among(ours: &Ours<'_>) -> Self {
        let facts = StepFacts {
            runner_time: ours.time(TrailerKey::Duration),
            test_time: ours.time(TrailerKey::TestRuntime),
            proof: ours.proof(),
            ..StepFacts::default()
        };
        Self { worked: facts.worked(), usage: ours.usage() }
    }
}

impl StepFacts {
    /// The facts in the trailers alone.
    pub(super) fn of_trailers(ours: &Ours<'_>) -> Self {
        let value = |key| ours.value(key);
        let count = |key| value(key)?.parse::<u32>().ok();
        let (passed, failed, skipped) =
            (count(TrailerKey::TestPassed), count(TrailerKey::TestFailed), count(TrailerKey::TestSkipped));
        let or_none = |count: Option<u32>| count.unwrap_or(0);
        let tests = passed.or(failed).or(skipped).map(|_| Counts {
            passed: or_none(passed),
            failed: or_none(failed),
            skipped: or_none(skipped),
        });
        let findings = value(TrailerKey::Findings);
        let from: Vec<Origin> = Origin::among(ours);
        let by = if from.is_empty() { By::Run } else { By::Request };
        Self {
            by: value(TrailerKey::By).and_then(|word| By::from_word(&word)).unwrap_or(by),
            from,
            runner: value(TrailerKey::Runner),
            runner_time: ours.time(TrailerKey::Duration),
            usage: ours.usage(),
            test_type: value(TrailerKey::TestType),
            tests,
            test_time: ours.time(TrailerKey::TestRuntime),
            red: value(TrailerKey::Red).and_then(|word| RedKind::from_word(&word)),
            coverage: value(TrailerKey::Coverage),
            changed_coverage: value(TrailerKey::DiffCoverage),
            proof: ours.proof(),
            report: value(TrailerKey::Report),
            test_log: value(TrailerKey::TestLog),
            review_log: value(TrailerKey::ReviewLog),
            range: value(TrailerKey::Range).and_then(|range| commit_range(range.as_bytes())),
            rejects_tests: value(TrailerKey::Reject).as_deref() == Some(REJECTED_TESTS),
            findings: findings.iter().flat_map(|names| names.split(' ')).map(str::to_owned).collect(),
            reason: value(TrailerKey::Reason),
            plan: value(TrailerKey::Plan),
            claimant: value(TrailerKey::Claimant),
            nonce: value(TrailerKey::Nonce),
            ..Self::default()
        }
    }

    /// The value of a trailer that follows from the facts alone.
    pub(in crate::record) fn value(&self, key: TrailerKey) -> Option<String> {
        match key {
            TrailerKey::Report => self.report.clone(),
            TrailerKey::TestLog => self.test_log.clone(),
            TrailerKey::ReviewLog => self.review_log.clone(),
            TrailerKey::TestType => self.test_type.clone(),
            TrailerKey::TestPassed => self.tests.map(|tests| tests.passed.to_string()),
            TrailerKey::TestFailed => self.tests.map(|tests| tests.failed.to_string()),
            TrailerKey::TestSkipped => self.tests.map(|tests| tests.skipped.to_string()),
            TrailerKey::TestRuntime => self.test_time.map(seconds),
            TrailerKey::Runner => self.runner.clone(),
            TrailerKey::Duration => self.runner_time.map(seconds),
            TrailerKey::Tokens => Some(self.usage.tokens.to_string()),
            TrailerKey::Cost => self.usage.cost.map(|cost| cost.to_string()),
            TrailerKey::Red => self.red.map(|kind| kind.word().to_owned()),
            TrailerKey::Coverage => self.coverage.clone(),
            TrailerKey::DiffCoverage => self.changed_coverage.clone(),
            TrailerKey::Proof => self.proof.as_ref().map(ToString::to_string),
            TrailerKey::Range => self.range.map(|(base, tip)| format!("{base}..{tip}")),
            TrailerKey::Findings => Some(self.findings.join(" ")),
            TrailerKey::By => self.by.word().map(str::to_owned),
            TrailerKey::Reason => self.reason.clone(),
            TrailerKey::Plan => self.plan.clone(),
            TrailerKey::Claimant => self.claimant.clone(),
            TrailerKey::Nonce => self.nonce.clone(),
            TrailerKey::Step
            | TrailerKey::Result
            | TrailerKey::Test
            | TrailerKey::Review
            | TrailerKey::Retry
            | TrailerKey::Merge
            | TrailerKey::Reject
            | TrailerKey::From
            | TrailerKey::Complete
            | TrailerKey::Run
            | TrailerKey::Landed
            | TrailerKey::Task
            | TrailerKey::Phase => None,
        }
    }
}
