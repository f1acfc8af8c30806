//! Builds the message of a step commit: subject, body and trailers (docs/commits.md).
//!
//! No matter what a runner or a test prints, git reads exactly the intended trailers: bodies are cleaned, lines that
//! look like structure are indented, and the block is always the last paragraph.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroU32;
use std::time::Duration;

use serde::{Deserialize, Serialize};

mod body;
mod lists;
mod person;
mod sentences;
mod work;

pub use lists::NumberedList;
pub use person::notes_in;
pub use sentences::{
    IDLE, UNCHANGED, adopted_base, is_idle, is_unchanged, merged_commit, not_merged_onto, refusal_block,
    refused_by_hook, was_not_merged, why_not_merged,
};
pub use work::Work;

use super::lines::{REVIEW_BY, REVIEW_LABEL, RUNNER_LABEL};
use super::lists::Paragraph;
use super::{Counts, Need, Outcome, Owner, REJECTED_TESTS, RedKind, Step, TaskId, TrailerKey};
use crate::text::{ellipsis, one_line};

/// How many characters of a task's name a subject shows.
pub const NAME_LIMIT: usize = 50;
/// How many characters of a runner's output or a review a body keeps.
pub const RUNNER_LIMIT: usize = 2000;
/// How many characters of a test command's stream a body keeps.
pub const TEST_LIMIT: usize = 1000;

/// A task as messages name it.
#[derive(Clone, Copy, Debug)]
pub struct TaskRef<'a> {
    /// Its id.
    pub id: &'a TaskId,
    /// Its full name.
    pub name: &'a str,
}

/// The attempt to which a step belongs, and the number of attempts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Attempt {
    /// Counted from 0, as `Arborist-Retry` does.
    #[serde(rename = "attempt")]
    pub number: u32,
    /// The maximum number of attempts.
    #[serde(rename = "max_attempts")]
    pub max: u32,
    /// The attempt to merge the finished task, from 0, if the step belongs to one. It is no further attempt at the task.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub merge: Option<u32>,
}

impl Attempt {
    /// The attempt with this number if `limit` attempts are allowed. An attempt that began while more were allowed is
    /// still finished, as the last one.
    #[must_use]
    pub fn new(number: u32, limit: NonZeroU32) -> Self {
        Self { number, max: limit.get().max(number.saturating_add(1)), merge: None }
    }
}

impl fmt::Display for Attempt {
    /// The attempt as people count: `2/5`. One to merge is not shown.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number.saturating_add(1), self.max)
    }
}

/// The results of a test step, apart from the output itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestFacts {
    /// The type of the command that failed, otherwise of the last one.
    pub kind: Option<&'static str>,
    /// The sums, if the output could be read.
    pub counts: Option<Counts>,
    /// The duration of all commands together.
    pub runtime: Duration,
    /// The path of the log, written on failure only.
    pub log: Option<String>,
}

/// A part of another program's output, with a label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// The line above the text, for example `Test (unit) stderr (last 1000 chars):`.
    pub label: String,
    /// The raw output.
    pub text: Vec<u8>,
    /// How many characters of it the body keeps.
    pub limit: usize,
}

/// The message of one step commit, with its intended trailers.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepMessage {
    subject: String,
    /// The name that takes the place of `{name}` in the subject; `None` if there is no such place.
    name: Option<String>,
    body: Vec<Paragraph>,
    /// How long its lines may be.
    width: Option<usize>,
    trailers: Vec<(TrailerKey, String)>,
    /// Whether somebody outside of the run did the work.
    is_handed_in: bool,
}

impl Block {
    /// The output of a runner, for the body of an implement step.
    #[must_use]
    pub fn of_runner(text: Vec<u8>) -> Self {
        let label = format!("{RUNNER_LABEL}truncated to {RUNNER_LIMIT} chars):");
        Self { label, text, limit: RUNNER_LIMIT }
    }

    /// The words of a reviewer, for the body of a review step; with its name if there were several.
    #[must_use]
    pub fn of_review(reviewer: Option<&str>, text: Vec<u8>) -> Self {
        let label = reviewer.map_or_else(|| REVIEW_LABEL.to_owned(), |name| format!("{REVIEW_BY}{name}):"));
        Self { label, text, limit: RUNNER_LIMIT }
    }
}

impl StepMessage {
    /// The message for a finished step of a task or a phase, with the subject and the trailers that follow from this
    /// alone.
    #[must_use]
    pub fn new(step: Step, task: TaskRef<'_>, attempt: Attempt, outcome: Outcome) -> Self {
        let subject = subject(step, task.id, attempt, outcome);
        let mut message = Self {
            name: subject.contains(NAME).then(|| one_line(task.name)),
            subject,
            body: Vec::new(),
            width: None,
            trailers: Vec::new(),
            is_handed_in: false,
        };
        message.set(TrailerKey::Step, step.word());
        if let Some(key) = step.row().outcome_key() {
            message.set(key, outcome.word(step));
        }
        if step.uses(TrailerKey::Retry).any(|used| used.need == Need::Required) {
            message.set(TrailerKey::Retry, &attempt.number.to_string());
        }
        let merge = attempt.merge.filter(|_| step.uses(TrailerKey::Merge).next().is_some());
        message.set(TrailerKey::Merge, &merge.map(|merge| merge.to_string()).unwrap_or_default());
        message
    }

    /// The same message with the results of the test commands.
    #[must_use]
    pub fn with_tests(mut self, facts: &TestFacts) -> Self {
        if let Some(log) = &facts.log {
            self.set(TrailerKey::TestLog, log);
        }
        if let Some(kind) = facts.kind {
            self.set(TrailerKey::TestType, kind);
        }
        if let Some(counts) = facts.counts {
            self.set(TrailerKey::TestPassed, &counts.passed.to_string());
            self.set(TrailerKey::TestFailed, &counts.failed.to_string());
            self.set(TrailerKey::TestSkipped, &counts.skipped.to_string());
        }
        self.set(TrailerKey::TestRuntime, &seconds(facts.runtime));
        self
    }

    /// The same message with the coverage, as far as it is known: shares such as `lines=85.3`, and the covered ones of the
    /// changed lines, as in `37/41`.
    #[must_use]
    pub fn with_coverage(mut self, shares: &str, changed: &str) -> Self {
        self.set(TrailerKey::Coverage, shares);
        self.set(TrailerKey::DiffCoverage, changed);
        self
    }

    /// The same message with the path of the full text of the review.
    #[must_use]
    pub fn with_review_log(mut self, path: &str) -> Self {
        self.set(TrailerKey::ReviewLog, path);
        self
    }

    /// The same message with the path of the task's report, and the number of attempts.
    #[must_use]
    pub fn with_report(mut self, path: &str, attempts: u32) -> Self {
        self.set(TrailerKey::Report, path);
        self.with_sentence(&format!("Completed after {attempts} attempt(s). Report: {path}"))
    }

    pub(super) fn set(&mut self, key: TrailerKey, value: &str) {
        let value = one_line(value);
        if !value.is_empty() {
            self.trailers.push((key, value));
        }
    }

    /// The same message with the reason why the tests that it contains fail.
    #[must_use]
    pub fn with_red(mut self, kind: RedKind) -> Self {
        self.set(TrailerKey::Red, kind.word());
        self
    }

    /// The same review, but it rejects the tests themselves and not the code.
    #[must_use]
    pub fn rejecting_tests(mut self) -> Self {
        self.set(TrailerKey::Reject, REJECTED_TESTS);
        self
    }

    /// The same message with the tree file of the plan to which the step belongs.
    #[must_use]
    pub fn of_plan(mut self, path: &str) -> Self {
        self.trailers.retain(|(key, _)| *key != TrailerKey::Plan);
        self.set(TrailerKey::Plan, path);
        self
    }

    /// The same message with another subject.
    pub(super) fn with_subject(self, subject: String) -> Self {
        Self { subject, name: None, ..self }
    }

    /// The same message with this value of a trailer, and no other one.
    pub(super) fn with_value(mut self, key: TrailerKey, value: &str) -> Self {
        self.trailers.retain(|(other, _)| *other != key);
        self.set(key, value);
        self
    }

    /// The subject line.
    #[must_use]
    pub fn subject(&self) -> Cow<'_, str> {
        match &self.name {
            Some(name) => self.subject.replacen(NAME, &ellipsis(name, NAME_LIMIT), 1).into(),
            None => Cow::Borrowed(&self.subject),
        }
    }

    /// The trailers that git should read, in order.
    #[must_use]
    pub fn trailers(&self) -> &[(TrailerKey, String)] {
        &self.trailers
    }
}

/// The place of the name in a subject.
const NAME: &str = "{name}";

/// The subject of a step, from the table of steps, with a place for the name of its task.
fn subject(step: Step, id: &TaskId, attempt: Attempt, outcome: Outcome) -> String {
    let owner = match step.row().owner {
        Owner::Task => "task",
        Owner::Phase => "phase",
    };
    let summary = outcome
        .of(step)
        .subject
        .replace("{attempt}", &attempt.to_string())
        .replace("{max}", &attempt.max.to_string());
    format!("{owner}({id}): {summary}")
}

/// A duration in seconds with at most three decimals, for trailers.
#[must_use]
pub fn seconds(duration: Duration) -> String {
    rounded_seconds(duration).to_string()
}

/// A duration in seconds with at most three decimals, for JSON documents.
#[must_use]
pub fn rounded_seconds(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1000.0).round() / 1000.0
}

#[cfg(test)]
mod tests;
