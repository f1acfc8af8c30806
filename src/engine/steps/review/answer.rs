//! The answer of one reviewer, and how it was understood.

use super::probe::Probed;
use crate::agents::Captured;
use crate::engine::called::Called;
use crate::engine::steps::idle::ended_at_once;
use crate::engine::unit::Handover;
use crate::error::{Error, Kind, Result};
use crate::record::{Finding, Outcome};
use crate::workflow::{QuotedTest, Verdict, has_rejection, quoted_test, verdict};

/// The verdict of a reviewer, who may have been asked for it twice.
pub(super) struct Answer {
    pub(super) verdict: Verdict,
    /// The answer and its duration; if the reviewer was asked twice, both answers and their total duration.
    pub(super) handover: Handover,
    /// What the reviewer could not see.
    pub(super) findings: Vec<Finding>,
    /// The test that it has left.
    pub(super) probed: Option<Probed>,
    /// The test in its words, until it is run.
    pub(super) quoted: Option<QuotedTest>,
    requests: Requests,
}

/// How often the verdict was asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Requests {
    Once,
    /// Twice, because the first answer had no clear verdict.
    Twice,
    /// The first answer both rejected and approved, and the second one only approved.
    Contradicting,
}

/// The line between the two answers of a reviewer that was asked twice.
const ASKED_AGAIN: &str = "[asked once more for the verdict]";

impl Answer {
    fn once(verdict: Verdict, handover: Handover) -> Self {
        let requests = Requests::Once;
        Self { verdict, handover, findings: Vec::new(), probed: None, quoted: None, requests }
    }

    /// The answer of a reviewer that has ended. If it may leave a test, one in its words is taken out of them: the code of a
    /// test says nothing about the verdict.
    ///
    /// # Errors
    /// [`Kind::Environment`] if it did not end well.
    pub(super) fn of(called: Called<'_>, may_probe: bool) -> Result<Self> {
        require_review(&called)?;
        let printed = &called.result.job.stdout;
        let mut said = printed.to_bytes_with_note();
        let quoted = if may_probe { quoted_test(&String::from_utf8_lossy(&said)) } else { None };
        if let Some(quoted) = &quoted {
            said = quoted.rest.clone().into_bytes();
        }
        let verdict = verdict_of(&said, printed);
        let handover = Handover { said, ..Handover::of(called) };
        Ok(Self { quoted, ..Self::once(verdict, handover) })
    }

    /// This answer together with a second one. Both are one review, and a review that contains a rejection cannot approve.
    pub(super) fn followed_by(self, second: Self) -> Self {
        let contradicts = second.verdict == Verdict::Approved && has_rejection(&self.handover.said);
        let said = [&self.handover.said, ASKED_AGAIN.as_bytes(), &second.handover.said].join(&b"\n\n"[..]);
        let duration = self.handover.duration + second.handover.duration;
        let usage = self.handover.usage.and(second.handover.usage);
        let handover = Handover { said, duration, usage, ..second.handover };
        let quoted = second.quoted.or(self.quoted);
        let (verdict, requests) = if contradicts {
            (Verdict::Unclear, Requests::Contradicting)
        } else {
            (second.verdict, Requests::Twice)
        };
        Self { quoted, requests, ..Self::once(verdict, handover) }
    }

    /// Passed if the reviewer approves, and its test does not fail.
    pub(super) fn outcome(&self) -> Outcome {
        let refutes = self.probed.as_ref().is_some_and(|probed| probed.objection().is_some());
        if self.verdict == Verdict::Approved && !refutes { Outcome::Pass } else { Outcome::Fail }
    }

    /// Whether the reviewer had no result and ended within seconds each time.
    pub(super) fn is_idle(&self) -> bool {
        self.verdict == Verdict::Unclear
            && self.requests != Requests::Contradicting
            && ended_at_once(&self.handover.exit_reason, self.handover.duration)
    }

    /// A few words for a progress line.
    pub(super) fn detail(&self) -> &'static str {
        match (self.verdict, self.requests) {
            (Verdict::Approved, _) if self.outcome() == Outcome::Fail => "its test fails",
            (_, Requests::Contradicting) => "contradicts itself",
            (Verdict::Unclear, _) => "no clear verdict",
            (Verdict::TestsRejected, _) => "the tests themselves",
            (_, Requests::Twice) => "asked twice",
            (_, Requests::Once) => "",
        }
    }

    /// How it was understood, as one word or a few, for a list of several answers.
    pub(super) fn word(&self) -> &'static str {
        match self.verdict {
            Verdict::Approved => "approved",
            Verdict::Rejected => "rejected",
            Verdict::TestsRejected => "rejected the tests",
            Verdict::Unclear => "gave no clear verdict",
        }
    }

    /// How this verdict came about, as a sentence about `who`; `None` if it was plainly said.
    pub(super) fn remark(&self, who: &str) -> Option<String> {
        Some(match (self.verdict, self.requests) {
            (_, Requests::Contradicting) => format!(
                "{who} rejected the change in its first answer and approved it when it was asked once more. That is no \
                 clear verdict and counts as a rejection."
            ),
            (Verdict::Unclear, _) => format!(
                "{who} gave no clear verdict, not even when it was asked once more. That counts as a rejection."
            ),
            (Verdict::TestsRejected, _) => format!("{who} rejects the tests themselves."),
            (_, Requests::Twice) => format!("{who} was asked twice before it gave a clear verdict."),
            (_, Requests::Once) => return None,
        })
    }
}

/// The verdict in the output of a reviewer. If the middle of a long output was dropped, it cannot approve, because the
/// missing part may contain a rejection.
fn verdict_of(said: &[u8], printed: &Captured) -> Verdict {
    match verdict(said) {
        Verdict::Approved if printed.omitted() > 0 => Verdict::Unclear,
        verdict => verdict,
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
