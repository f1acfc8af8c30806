//! Decides which phases the commits of a run mark as complete, and of which phases the tests have failed.

use std::collections::HashMap;

use crate::record::{Outcome, StepCommit, TaskId};

/// The latest steps of phases that have no later work.
#[derive(Debug, Default)]
pub(super) struct PhaseMarks {
    /// Of the phases that are complete.
    pub(super) complete: HashMap<TaskId, StepCommit>,
    /// Of the phases whose tests, or the suite after them, have failed.
    pub(super) failed: HashMap<TaskId, StepCommit>,
}

/// The latest step of a phase.
pub(super) struct PhaseStep {
    /// The phase.
    pub(super) id: TaskId,
    /// Whether it has a task that is neither complete nor skipped.
    pub(super) is_open: bool,
    /// The step.
    pub(super) step: StepCommit,
}

impl PhaseMarks {
    /// Sorts the latest steps of phases. A phase with open tasks is not complete, whoever says so.
    pub(super) fn of(latest: impl Iterator<Item = PhaseStep>) -> Self {
        let mut marks = Self::default();
        for PhaseStep { id, step, .. } in latest.filter(|latest| !latest.is_open) {
            let marked = match step.record.outcome {
                Outcome::Fail => &mut marks.failed,
                Outcome::Pass | Outcome::Skip => &mut marks.complete,
            };
            marked.insert(id, step);
        }
        marks
    }
}
