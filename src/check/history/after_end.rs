//! Tells steps that may follow the completion of their task from those that may not.

use crate::record::{Goal, Outcome, StepRecord, merged_commit, was_not_merged};

/// Whether a step may follow the completion of its task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterEnd {
    /// It may not.
    No,
    /// It may, because the finished task could not be merged into the branch of the run (docs/parallel.md).
    NotMerged,
}

impl AfterEnd {
    /// A step that merges the branch of the run has to be that merge. Only an attempt that has failed commits nothing of it.
    pub(super) fn of(record: &StepRecord, message: &[u8], parents: usize) -> Self {
        let (is_failed, step) = (record.outcome == Outcome::Fail, record.step);
        let is_merge = step.row().goal == Goal::Change && (is_failed || parents > 1);
        let may = is_merge && merged_commit(message).is_some()
            || is_failed && step.is_end() && was_not_merged(message);
        if may { Self::NotMerged } else { Self::No }
    }
}
