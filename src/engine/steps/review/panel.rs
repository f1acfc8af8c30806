//! The answers of all reviewers of a change. All of them must approve.

use std::time::Duration;

use super::answer::Answer;
use crate::record::{Finding, Outcome, Quote, Remark, StepDraft, Usage, Work};
use crate::text::{clean, one_line};
use crate::workflow::Verdict;

/// The answers to one review, at least one, in the order in which the reviewers were asked.
#[derive(Default)]
pub(super) struct ReviewAnswers {
    pub(super) answers: Vec<Answer>,
}

impl ReviewAnswers {
    /// Passed if all approve.
    pub(super) fn outcome(&self) -> Outcome {
        let approves = |answer: &Answer| answer.outcome() == Outcome::Pass;
        if self.answers.iter().all(approves) { Outcome::Pass } else { Outcome::Fail }
    }

    /// Whether all of them reject the tests themselves, when only these are judged.
    pub(super) fn rejects_tests(&self) -> bool {
        self.answers
            .iter()
            .all(|answer| matches!(answer.review.verdict, Verdict::Rejected | Verdict::TestsRejected))
    }

    /// A reviewer that gives no verdict, and what it has said; `None` if there is none, or if others have rejected the change anyway.
    pub(super) fn without_verdict(&self) -> Option<(String, String)> {
        let rejects =
            |answer: &Answer| matches!(answer.review.verdict, Verdict::Rejected | Verdict::TestsRejected);
        if self.answers.iter().any(rejects) {
            return None;
        }
        let mute = self.answers.iter().find(|answer| answer.review.verdict == Verdict::Unclear)?;
        Some((one_line(&mute.handover.worker), clean(&mute.handover.said).trim().to_owned()))
    }

    /// Who reviewed, how long they took together, and what they have used together.
    pub(super) fn work(&self) -> Work {
        let labels: Vec<&str> = self.answers.iter().map(|answer| answer.handover.worker.as_str()).collect();
        let usage = Usage::together(self.answers.iter().map(|answer| answer.handover.usage));
        Work { runner: labels.join(","), duration: self.duration(), usage }
    }

    pub(super) fn duration(&self) -> Duration {
        self.answers.iter().map(|answer| answer.handover.duration).sum()
    }

    /// A few words for a progress line.
    pub(super) fn detail(&self) -> String {
        match self.answers.as_slice() {
            [only] => only.detail().to_owned(),
            several => several.iter().map(verdict_of).collect::<Vec<_>>().join(", "),
        }
    }

    /// What the reviewers could not see, each once.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut found: Vec<Finding> = Vec::new();
        for finding in self.answers.iter().flat_map(|answer| &answer.findings) {
            if !found.contains(finding) {
                found.push(finding.clone());
            }
        }
        found
    }

    /// Why it was rejected: the first objection; `None` if it was approved, or no reviewer said why.
    pub(super) fn reason(&self) -> Option<String> {
        let first = self.objections().into_iter().next()?;
        first.lines().map(one_line).find(|line| !line.is_empty())
    }

    /// All that was said, for the log.
    pub(super) fn log(&self) -> Vec<u8> {
        let said = |answer: &Answer| clean(&answer.handover.said);
        match self.answers.as_slice() {
            [only] => format!("{}\n", said(only)),
            several => {
                let one = |answer: &Answer| format!("=== {} ===\n\n{}\n", verdict_of(answer), said(answer));
                several.iter().map(one).collect::<Vec<_>>().join("\n")
            }
        }
        .into_bytes()
    }

    /// The objections of all who rejected, with the names of the reviewers if there are several.
    fn objections(&self) -> Vec<String> {
        self.listed(Answer::objections)
    }

    /// What those who approved have found, if the change is approved.
    fn open_remarks(&self) -> Vec<String> {
        let of = |answer: &Answer| answer.open_remarks().iter().map(Remark::to_string).collect();
        if self.outcome() == Outcome::Pass { self.listed(of) } else { Vec::new() }
    }

    fn listed(&self, of: impl Fn(&Answer) -> Vec<String>) -> Vec<String> {
        let is_alone = self.answers.len() == 1;
        let named = |answer: &Answer| {
            let by = format!(" ({})", one_line(&answer.handover.worker));
            let by = if is_alone { String::new() } else { by };
            of(answer).into_iter().map(move |one| format!("{one}{by}"))
        };
        self.answers.iter().flat_map(named).collect()
    }

    /// Adds to a step the verdicts, how they were understood, and the words of the reviewers.
    pub(super) fn describe(&self, draft: &mut StepDraft) {
        draft.facts.rejects_tests =
            self.answers.iter().any(|answer| answer.review.verdict == Verdict::TestsRejected);
        let is_alone = self.answers.len() == 1;
        for answer in &self.answers {
            let who = if is_alone { "The reviewer" } else { &one_line(&answer.handover.worker) };
            let plain = || format!("{who} {} the change.", answer.word());
            draft.notes.extend(answer.remark(who).or_else(|| (!is_alone).then(plain)));
        }
        draft.facts.objections = self.objections();
        draft.facts.open_remarks = self.open_remarks();
        self.quote_in(draft);
    }

    /// Adds the words of the reviewers to a step.
    pub(super) fn quote_in(&self, draft: &mut StepDraft) {
        let is_alone = self.answers.len() == 1;
        for answer in &self.answers {
            let label = (!is_alone).then(|| one_line(&answer.handover.worker));
            draft.quotes.push(Quote::review(label.as_deref(), answer.review.words.as_bytes()));
        }
    }
}

/// Who it is, and the verdict.
pub(super) fn verdict_of(answer: &Answer) -> String {
    format!("{} {}", one_line(&answer.handover.worker), answer.word())
}
