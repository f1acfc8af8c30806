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
    /// An implement step has to be the merge, or to say that it belongs to an attempt to merge: one that has failed commits nothing
    /// of it, and there is nothing to merge if the branch of the run has not moved.
    pub(super) fn of(record: &StepRecord, message: &[u8], parents: usize) -> Self {
        let (is_failed, step) = (record.outcome == Outcome::Fail, record.step);
        let says_so =
            record.merge.is_some() || merged_commit(message).is_some() && (is_failed || parents > 1);
        let is_merge = step.row().goal == Goal::Change && says_so;
        match is_merge || is_failed && step.is_end() && was_not_merged(message) {
            true => Self::NotMerged,
            false if step.is_end() && is_unreviewed(message) => Self::Unreviewed,
            false => Self::No,
        }
    }
}
