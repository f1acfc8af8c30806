//! Decides which of the findings that the steps of a task record still apply.

use super::{Finding, Lifetime, Severity, StepRecord};

/// A step that counts, and what its message records.
#[derive(Clone, Debug)]
pub struct StepFindings {
    /// The step.
    pub record: StepRecord,
    /// What it has found.
    pub found: Vec<Finding>,
}

/// The findings of the steps of a task, newest first, that still apply: those about its commits, and those of the steps
/// since its newest change. An error has failed its attempt and applies no longer.
pub fn open_findings(steps: impl IntoIterator<Item = StepFindings>) -> Vec<Finding> {
    let mut open = Vec::new();
    let mut is_newest = true;
    for StepFindings { record, found } in steps {
        if !record.step.is_part_of_an_attempt() {
            continue;
        }
        open.extend(found.into_iter().filter(|finding| {
            finding.severity() == Severity::Warning
                && (is_newest || finding.check().lifetime() == Lifetime::WithCommit)
        }));
        is_newest &= !record.step.changes_files();
    }
    open
}
