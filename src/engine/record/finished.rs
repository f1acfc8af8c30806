//! A finished step: what its commit will say and contain.

use std::time::Duration;

use crate::engine::run_context::assignment::Assignment;
use crate::engine::tree::pending::Pending;
use crate::git::{Head, HookRefusal, Selection};
use crate::record::{Outcome, StepMessage};
use crate::worktree::PathStates;

/// A finished step, with everything that its commit needs.
#[derive(Clone, Debug)]
pub(crate) struct FinishedStep<'p> {
    /// The task and the step.
    pub(crate) job: Assignment<'p>,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// The head of the branch, on top of which the commit is made.
    pub(crate) head: Head,
    /// The files that are committed.
    pub(crate) selection: Selection,
    /// The message.
    pub(crate) message: StepMessage,
    /// How long the work took.
    pub(crate) duration: Duration,
    /// A few words for a progress line; may be empty.
    pub(crate) detail: String,
    /// Why it failed: the first line of that; `None` if the detail says it, or nothing does.
    pub(crate) reason: Option<String>,
}

impl FinishedStep<'_> {
    /// The step as the journal keeps it; `files` is the current state of its files.
    pub(crate) fn pending(&self, files: PathStates, refusal: Option<HookRefusal>) -> Pending {
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
