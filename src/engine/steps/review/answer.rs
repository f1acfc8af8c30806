//! The answer of one reviewer, and how it was understood.

use super::probe::Probed;
use crate::agents::Captured;
use crate::engine::steps::idle::ended_at_once;
use crate::engine::tree::handover::Called;
use crate::engine::tree::handover::Handover;
use crate::error::{Error, Kind, Result};
use crate::record::{Check, Finding, Outcome, Remark, Severity};
use crate::workflow::{AskAgain, QuotedTest, Review, Verdict, quoted_test, read_review};

/// The answer of a reviewer, who may have been asked twice.
pub(super) struct Answer {
    pub(super) review: Review,
    /// What it printed, and its duration; if it was asked twice, both answers and their total duration.
    pub(super) handover: Handover,
    /// What the checks say about the review.
    pub(super) findings: Vec<Finding>,
    /// The test that it has left.
    pub(super) probed: Option<Probed>,
    /// The test in its words, until it is run.
    pub(super) quoted: Option<QuotedTest>,
    /// Why it was asked once more, if it was.
    asked_again: Option<AskAgain>,
}

/// The line between the two answers of a reviewer that was asked twice.
const ASKED_AGAIN: &str = "[asked once more for the verdict]";

impl Answer {
    /// The answer of a reviewer that has ended. If it may leave a test, one in its words is taken out of them: the code of a
    /// test says nothing about the verdict.
    ///
    /// # Errors
    /// [`Kind::Environment`] if it did not end well.
    pub(super) fn of(called: Called<'_>, may_probe: bool) -> Result<Self> {
        require_review(&called)?;
        let printed = &called.result.job.stdout;
        let mut said = printed.to_bytes_with_note();
        let mut quoted = if may_probe { quoted_test(&String::from_utf8_lossy(&said)) } else { None };
        if let Some(quoted) = &quoted {
            said = quoted.rest.clone().into_bytes();
        }
        let mut review = read(&said, printed);
        if may_probe
            && quoted.is_none()
            && let Some(in_words) = quoted_test(&review.words)
        {
            review.words.clone_from(&in_words.rest);
            quoted = Some(in_words);
        }
        let handover = Handover { said, ..Handover::of(called) };
        Ok(Self { review, handover, findings: Vec::new(), probed: None, quoted, asked_again: None })
    }

    /// Why the reviewer must be asked once more, if it must.
    pub(super) fn doubt(&self) -> Option<&AskAgain> {
        self.review.doubt.as_ref()
    }

    /// This answer together with that to the question which verdict was meant.
    pub(super) fn corrected_by(self, second: Self) -> Self {
        let said = [&self.handover.said, ASKED_AGAIN.as_bytes(), &second.handover.said].join(&b"\n\n"[..]);
        let duration = self.handover.duration + second.handover.duration;
        let usage = self.handover.usage.and(second.handover.usage);
        let handover = Handover { said, duration, usage, ..second.handover };
        let asked_again = self.review.doubt.clone();
        let review = self.review.corrected_by(second.review);
        let contradicts = asked_again.as_ref().is_some_and(AskAgain::is_contradiction);
        let seen = "The reviewer approved the change, but also found that it must not stay as it is, or rejected it; asked which \
                    of the two it meant, it approved";
        let finding = (contradicts && review.verdict == Verdict::Approved)
            .then(|| Finding::new(Check::ContradictoryReview, Severity::Warning, seen));
        let quoted = second.quoted.or(self.quoted);
        Self { review, handover, findings: finding.into_iter().collect(), probed: None, quoted, asked_again }
    }

    /// Passed if the reviewer approves, and its test does not fail.
    pub(super) fn outcome(&self) -> Outcome {
        let refutes = self.probed.as_ref().is_some_and(|probed| probed.objection().is_some());
        if self.review.verdict == Verdict::Approved && !refutes { Outcome::Pass } else { Outcome::Fail }
    }

    /// What speaks against the change: the test that the reviewer has left, and its remarks if it rejects the change.
    pub(super) fn objections(&self) -> Vec<String> {
        let rejects = matches!(self.review.verdict, Verdict::Rejected | Verdict::TestsRejected);
        let remarks = self.review.remarks.iter().filter(|_| rejects).map(Remark::to_string);
        self.probed.iter().filter_map(Probed::objection).chain(remarks).collect()
    }

    /// What the reviewer has found and approved all the same.
    pub(super) fn open_remarks(&self) -> Vec<Remark> {
        if self.outcome() == Outcome::Pass { self.review.open_remarks() } else { Vec::new() }
    }

    /// Whether the reviewer had no result and ended within seconds each time.
    pub(super) fn is_idle(&self) -> bool {
        let has_contradicted = self.review.doubt.as_ref().is_some_and(AskAgain::is_contradiction);
        self.review.verdict == Verdict::Unclear && !has_contradicted && ended_at_once(&self.handover)
    }

    /// A few words for a progress line.
    pub(super) fn detail(&self) -> &'static str {
        match self.review.verdict {
            Verdict::Approved if self.outcome() == Outcome::Fail => "its test fails",
            Verdict::Unclear => "no clear verdict",
            Verdict::TestsRejected => "the tests themselves",
            _ if self.asked_again.is_some() => "asked twice",
            _ => "",
        }
    }

    /// How it was understood, as one word or a few, for a list of several answers.
    pub(super) fn word(&self) -> &'static str {
        match self.review.verdict {
            Verdict::Approved => "approved",
            Verdict::Rejected => "rejected",
            Verdict::TestsRejected => "rejected the tests",
            Verdict::Unclear => "gave no clear verdict",
        }
    }

    /// How this verdict came about, as a sentence about `who`; `None` if it was plainly said.
    pub(super) fn remark(&self, who: &str) -> Option<String> {
        Some(match self.review.verdict {
            Verdict::Unclear => format!(
                "{who} gave no clear verdict, not even when it was asked once more. That counts as a rejection."
            ),
            Verdict::TestsRejected => format!("{who} rejects the tests themselves."),
            _ if self.asked_again.is_some() => {
                format!("{who} was asked twice before it gave a clear verdict.")
            }
            _ => return None,
        })
    }
}

/// The review in the output of a reviewer. If the middle of a long output was dropped, it cannot approve, because the
/// missing part may contain a rejection.
fn read(said: &[u8], printed: &Captured) -> Review {
    let review = read_review(said);
    match review.verdict {
        Verdict::Approved if printed.omitted() > 0 => {
            Review { verdict: Verdict::Unclear, doubt: Some(AskAgain::NoVerdict), ..review }
        }
        _ => review,
    }
}

/// The error for a reviewer that did not end well. It has not reviewed, so there is no commit, neither an approval nor
/// a rejection (docs/agents.md).
fn require_review(called: &Called<'_>) -> Result<()> {
    let Called { runner: reviewer, result, .. } = called;
    let Some(failure) = &result.failure else { return Ok(()) };
    let said = result.job.last_line().map(|line| format!(" ({line})")).unwrap_or_default();
    Err(Error::new(
        Kind::Environment,
        format!("the reviewer {} did not complete its review: {}{said}", reviewer.label(), failure),
        "No review was committed, and no attempt is used up. Run the same command again to ask it once more.",
    ))
}
