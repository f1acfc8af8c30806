//! What the message of a landed commit says of one task.

use crate::history::TaskStep;
use crate::record::{AwaitedChange, AwaitedTests, TaskId};

/// What the message of a task says.
#[derive(Clone, Debug)]
pub(super) struct TaskStory<'a> {
    pub(super) id: &'a TaskId,
    pub(super) name: &'a str,
    pub(super) summary: &'a str,
    pub(super) phase: &'a str,
    /// The steps of the task that count, newest first.
    pub(super) steps: &'a [TaskStep],
    /// What the commit says that completed its phase, if it is the last task of that.
    pub(super) of_phase: AwaitedChange,
}

impl TaskStory<'_> {
    /// What its complete commit says about awaited tests.
    pub(super) fn awaited(&self) -> AwaitedChange {
        let end = self.steps.iter().find(|step| AwaitedTests::counts(&step.step.record));
        let of_task = end.map(|step| AwaitedChange::recorded_in(&step.message).to_complete());
        of_task.unwrap_or_default().then(self.of_phase.clone())
    }
}
