//! What every step of a run gets: the repository, the plan, the settings and services of the run, and which task, step and
//! attempt it is. The lowest folder of the engine: nothing here knows how a step is done or recorded.

pub(crate) mod budget;
pub(crate) mod context;
pub(crate) mod limits;
pub(crate) mod settings;

use crate::plan::NodeIx;
use crate::record::{Attempt, Outcome, Step, StepDraft, TaskRef};

/// A task, with the step and the attempt that it is at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assignment<'p> {
    pub(crate) leaf: NodeIx,
    pub(crate) task: TaskRef<'p>,
    pub(crate) step: Step,
    pub(crate) attempt: Attempt,
}

impl Assignment<'_> {
    /// The step after it has ended like this, with nothing to say besides.
    pub(crate) fn draft(self, outcome: Outcome) -> StepDraft {
        StepDraft::new(self.step, self.task, self.attempt, outcome)
    }

    /// The same in this attempt to merge the finished task, if it is in one.
    pub(crate) fn in_merge(mut self, merge: Option<u32>) -> Self {
        self.attempt.merge = merge;
        self
    }
}
