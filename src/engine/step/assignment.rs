//! The step that the engine works on: which task, which step, which attempt.

use crate::plan::NodeIx;
use crate::record::{Attempt, Step, TaskRef};

/// A task, with the step and the attempt that it is at.
#[derive(Clone, Copy, Debug)]
pub(in crate::engine) struct Assignment<'p> {
    pub(in crate::engine) leaf: NodeIx,
    pub(in crate::engine) task: TaskRef<'p>,
    pub(in crate::engine) step: Step,
    pub(in crate::engine) attempt: Attempt,
}

impl Assignment<'_> {
    /// The same in this attempt to merge the finished task, if it is in one.
    pub(in crate::engine) fn in_merge(mut self, merge: Option<u32>) -> Self {
        self.attempt.merge = merge;
        self
    }
}
