//! The answers of all reviewers of a change. All of them must approve.

use std::collections::BTreeMap;
use std::time::Duration;

use super::answer::Answer;
use super::probe::Probed;
use crate::engine::objections::numbered;
use crate::record::{Block, Finding, IDLE, NumberedList, Outcome, StepMessage, Usage, Work};
use crate::text::{clean, one_line};
use crate::workflow::{Verdict, objections};

/// The answers to one review, at least one, in the order in which the reviewers were asked.
pub(super) struct Panel(pub(super) Vec<Answer>);

impl Panel {
    /// Passed if all approve.
    pub(super) fn outcome(&self) -> Outcome {
        let approve = self.0.iter().all(|answer| answer.outcome() == Outcome::Pass);
        if approve { Outcome::Pass } else { Outcome::Fail }
    }

    /// Whether all of them reject the tests themselves, when only these are judged.
    pub(super) fn rejects_tests(&self) -> bool {
        self.0.iter().all(|answer| matches!(answer.verdict, Verdict::Rejected | Verdict::TestsRejected))
    }

    /// Who reviewed, how long they took together, and what they have used together.
    pub(super) fn work(&self) -> Work {
        let labels: Vec<&str> = self.0.iter().map(|answer| answer.handover.worker.as_str()).collect();
        let usage = Usage::together(self.0.iter().map(|answer| answer.handover.usage));
        Work { runner: labels.join(","), duration: self.duration(), usage }
    }

    pub(super) fn duration(&self) -> Duration {
        self.0.iter().map(|answer| answer.handover.duration).sum()
    }

    /// A few words for a progress line.
    pub(super) fn detail(&self) -> String {
        match self.0.as_slice() {
            [only] => only.detail().to_owned(),
            several => several.iter().map(verdict_of).collect::<Vec<_>>().join(", "),
        }
    }

    /// What the reviewers could not see, each once.
    pub(super) fn findings(&self) -> Vec<Finding> {
        let mut found: Vec<Finding> = Vec::new();
        for finding in self.0.iter().flat_map(|answer| &answer.findings) {
            if !found.contains(finding) {
                found.push(finding.clone());
            }
        }
        found
    }

    /// Why it was rejected: the first objection; `None` if it was approved, or nobody said why.
    pub(super) fn reason(&self) -> Option<String> {
        let unclear = |answer: &Answer| match answer.verdict {
            Verdict::Unclear => objections(&answer.handover.said),
            _ => Vec::new(),
        };
        let all =
            |answer: &Answer| objections_of(answer).into_iter().chain(unclear(answer)).collect::<Vec<_>>();
        let first = self.0.iter().flat_map(all).next()?;
        first.lines().map(one_line).find(|line| !line.is_empty())
    }

    /// All that was said, for the log.
    pub(super) fn log(&self) -> Vec<u8> {
        let said = |answer: &Answer| clean(&answer.handover.said);
        match self.0.as_slice() {
            [only] => format!("{}\n", said(only)),
            several => {
                let one = |answer: &Answer| format!("=== {} ===\n\n{}\n", verdict_of(answer), said(answer));
                several.iter().map(one).collect::<Vec<_>>().join("\n")
            }
        }
        .into_bytes()
    }

    /// The objections of all who rejected, with the names of the reviewers if there are several.
    fn objections(&self) -> BTreeMap<usize, String> {
        let is_alone = self.0.len() == 1;
        let of = |answer: &Answer| -> Vec<String> {
            let found = objections_of(answer).into_iter();
            found
                .map(|one| if is_alone { one } else { format!("({}) {one}", answer.handover.worker) })
                .collect()
        };
        numbered(self.0.iter().flat_map(of).collect())
    }

    /// The message with the verdicts, how they were understood, and the words of the reviewers.
    pub(super) fn described_in(self, mut message: StepMessage) -> StepMessage {
        let is_idle = self.0.iter().any(Answer::is_idle);
        if is_idle {
            message = message.with_sentence(IDLE);
        }
        if self.0.iter().any(|answer| answer.verdict == Verdict::TestsRejected) {
            message = message.rejecting_tests();
        }
        let is_alone = self.0.len() == 1;
        for answer in &self.0 {
            let who = if is_alone { "The reviewer" } else { &one_line(&answer.handover.worker) };
            let plain = || format!("{who} {} the change.", answer.word());
            let sentence = answer.remark(who).or_else(|| (!is_alone).then(plain));
            message = sentence.iter().fold(message, |message, sentence| message.with_sentence(sentence));
            message = answer.probed.iter().fold(message, |message, probed| probed.described_in(message, who));
        }
        message = message.with_list(NumberedList::Objections, &self.objections());
        self.words_in(message)
    }

    /// The message with the words of the reviewers.
    pub(super) fn words_in(self, message: StepMessage) -> StepMessage {
        let is_alone = self.0.len() == 1;
        self.0.into_iter().fold(message, |message, answer| {
            let label = (!is_alone).then(|| one_line(&answer.handover.worker));
            let message = message.with_block(&Block::of_review(label.as_deref(), answer.handover.said));
            answer.probed.iter().fold(message, |message, probed| probed.quoted_in(message))
        })
    }
}

/// What speaks against the change: the test that the reviewer has left, and its objections if it rejects the change.
fn objections_of(answer: &Answer) -> Vec<String> {
    let rejects = matches!(answer.verdict, Verdict::Rejected | Verdict::TestsRejected);
    let said = if rejects { objections(&answer.handover.said) } else { Vec::new() };
    answer.probed.iter().filter_map(Probed::objection).chain(said).collect()
}

/// Who it is, and the verdict.
pub(super) fn verdict_of(answer: &Answer) -> String {
    format!("{} {}", one_line(&answer.handover.worker), answer.word())
}
