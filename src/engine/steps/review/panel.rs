//! The answers of all reviewers of a change. All of them must approve.

use std::collections::BTreeMap;
use std::time::Duration;

use super::answer::Answer;
use crate::engine::objections::numbered;
use crate::record::{Block, IDLE, NumberedList, Outcome, StepMessage, Usage, Work};
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

    /// Why it was rejected: the first objection; `None` if it was approved, or nobody said why.
    pub(super) fn reason(&self) -> Option<String> {
        let rejected = self.0.iter().filter(|answer| answer.outcome() == Outcome::Fail);
        let first = rejected.flat_map(|answer| objections(&answer.handover.said)).next()?;
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
            let found = objections(&answer.handover.said).into_iter();
            found
                .map(|one| if is_alone { one } else { format!("({}) {one}", answer.handover.worker) })
                .collect()
        };
        let rejects = |answer: &&Answer| matches!(answer.verdict, Verdict::Rejected | Verdict::TestsRejected);
        numbered(self.0.iter().filter(rejects).flat_map(of).collect())
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
        }
        message = message.with_list(NumberedList::Objections, &self.objections());
        self.0.into_iter().fold(message, |message, answer| {
            let label = (!is_alone).then(|| one_line(&answer.handover.worker));
            message.with_block(&Block::of_review(label.as_deref(), answer.handover.said))
        })
    }
}

/// Who it is, and the verdict.
pub(super) fn verdict_of(answer: &Answer) -> String {
    format!("{} {}", one_line(&answer.handover.worker), answer.word())
}
