//! The end of a phase, as its step says it: what all views, the end of a run and requests tell about it.

use super::{Finding, Outcome, StepCommit, TaskId};

/// The end of a phase that somebody should know about: its tests, or the suite after them, fail, or it is complete and something was
/// found.
#[derive(Clone, Debug)]
pub struct EndedPhase {
    /// The phase.
    pub id: TaskId,
    /// The step that records it.
    pub step: StepCommit,
    /// What it has found.
    pub findings: Vec<Finding>,
    /// What the body of its message says: which commands failed, and the end of their output.
    pub output: String,
    /// The complete tasks to which that output points, for a person to open again.
    pub suspects: Vec<TaskId>,
}

impl EndedPhase {
    /// Whether its tests, or the suite after them, fail.
    #[must_use]
    pub fn has_failed(&self) -> bool {
        self.step.record.outcome == Outcome::Fail
    }

    /// What fails, as a clause.
    #[must_use]
    pub fn what(&self) -> String {
        let mut errors = self.findings.iter().filter(|finding| finding.is_error());
        errors.next().map_or_else(|| "Its tests fail".to_owned(), Finding::clause)
    }
}
