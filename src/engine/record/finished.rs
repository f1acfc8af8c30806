//! A finished step: what its commit will say and contain.

use std::time::Duration;

use crate::engine::step::assignment::Assignment;
use crate::engine::tree::pending::Pending;
use crate::git::{Head, HookRefusal, Selection};
use crate::record::{Outcome, StepMessage};
use crate::worktree::changes::PathStates;

/// A finished step, with everything that its commit needs.
#[derive(Clone, Debug)]
pub(in crate::engine) struct FinishedStep<'p> {
    /// The task and the step.
    pub(in crate::engine) job: Assignment<'p>,
    /// How it ended.
    pub(in crate::engine) outcome: Outcome,
    /// The head of the branch, on top of which the commit is made.
    pub(in crate::engine) head: Head,
    /// The files that are committed.
    pub(in crate::engine) selection: Selection,
    /// The message.
    pub(in crate::engine) message: StepMessage,
    /// How long the work took.
    pub(in crate::engine) duration: Duration,
    /// A few words for a progress line; may be empty.
    pub(in crate::engine) detail: String,
    /// Why it failed: the first line of that; `None` if the detail says it, or nothing does.
    pub(in crate::engine) reason: Option<String>,
}

impl FinishedStep<'_> {
    /// The step as the journal keeps it; `files` is the current state of its files.
    pub(in crate::engine) fn pending(&self, files: PathStates, refusal: Option<HookRefusal>) -> Pending {
        Pending {
            task: self.job.task.id.to_string(),
            name: self.job.task.name.to_owned(),
            step: self.job.step.word().to_owned(),
            attempt: self.job.attempt.number,
            passed: self.outcome == Outcome::Pass,
            branch: self.head.branch.clone(),
            head: self.head.commit.to_string(),
            message: self.message.clone(),
            files,
            duration: self.duration,
            detail: self.detail.clone(),
            reason: self.reason.clone(),
            refusal,
        }
    }
}
