//! Reads which tests are awaited at a commit, from the complete commits before it.

use super::range::Range;
use super::repository::Repository;
use super::steps::{Picked, StepValidity, pick_steps};
use crate::error::Result;
use crate::record::{AwaitedChange, AwaitedTests, CommitId, CommitKind};

/// The tests that are awaited at the end of a range: those that tasks of the run have written, that failed when their task was
/// complete, and that have passed in no task and no phase since. Steps that do not count say nothing.
///
/// # Errors
/// As for [`super::read_run`].
pub fn read_awaited(repository: &Repository, range: &Range) -> Result<AwaitedTests> {
    let picked = pick_steps(repository, range, |kind, message| {
        let (task, record) = match kind {
            CommitKind::Task(task, record) => (Some(task.clone()), record),
            CommitKind::Phase(_, record) => (None, record),
            _ => return None,
        };
        AwaitedTests::counts(record).then(|| (task, AwaitedChange::recorded_in(message)))
    })?;
    let mut tests = AwaitedTests::default();
    for Picked { validity, value: (task, change), .. } in picked.into_iter().rev() {
        match task {
            _ if validity != StepValidity::Counts => {}
            Some(task) => tests.take(&task, change),
            None => tests.take_phase(&change),
        }
    }
    Ok(tests)
}

/// The same at a commit that descends from the end of the range.
///
/// # Errors
/// As for [`super::read_run`].
pub fn read_awaited_at(repository: &Repository, range: &Range, commit: CommitId) -> Result<AwaitedTests> {
    read_awaited(repository, &range.moved_to(commit))
}
