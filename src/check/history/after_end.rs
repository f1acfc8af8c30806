//! Reads what a step says itself about its place among the steps of its task.

use crate::record::{Goal, Outcome, StepRecord, is_unreviewed, merged_commit, was_not_merged};

/// What a step says about its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterEnd {
    /// Nothing, so it may not follow the completion of its task.
    No,
    /// It completes a task that nobody reviewed, because reviews were switched off.
    Unreviewed,
    /// It may follow the completion, because the finished task could not be merged into the branch of the run (docs/parallel.md).
    NotMerged,
}

impl AfterEnd {
    /// A step that merges the branch of the run has to be that merge. Only an attempt that has failed commits nothing of it.
    pub(super) fn of(record: &StepRecord, message: &[u8], parents: usize) -> Self {
        let (is_failed, step) = (record.outcome == Outcome::Fail, record.step);
        let is_merge = step.row().goal == Goal::Change && (is_failed || parents > 1);
        let may = is_merge && merged_commit(message).is_some()
            || is_failed && step.is_end() && was_not_merged(message);
        match may {
            true => Self::NotMerged,
            false if step.is_end() && is_unreviewed(message) => Self::Unreviewed,
            false => Self::No,
        }
    }
}
