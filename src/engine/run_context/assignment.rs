//! The step that the engine works on: which task, which step, which attempt.

use crate::plan::NodeIx;
use crate::record::{Attempt, Step, TaskRef};

/// A task, with the step and the attempt that it is at.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Assignment<'p> {
    pub(crate) leaf: NodeIx,
    pub(crate) task: TaskRef<'p>,
    pub(crate) step: Step,
    pub(crate) attempt: Attempt,
}

impl Assignment<'_> {
    /// The same in this attempt to merge the finished task, if it is in one.
    pub(crate) fn in_merge(mut self, merge: Option<u32>) -> Self {
        self.attempt.merge = merge;
        self
    }
}
