//! The findings for a task, read from the commits of its steps.

use super::checks::named::named_by;
use super::implement_commits::implement_commits;
use crate::error::Result;
use crate::git::Git;
use crate::history::{Repository, TaskStep, have_same_files};
use crate::record::{Finding, Goal, Outcome};

/// The findings for a task: the files that its implement steps name, and whether the newest one passed without changing
/// anything.
///
/// # Errors
/// If a commit cannot be read.
pub(super) fn findings(repository: &Repository, git: &Git, steps: &[TaskStep]) -> Result<Vec<Finding>> {
    let mut found: Vec<Finding> = named_by(steps).found().map(|(finding, ..)| finding).collect();
    let newest = steps.iter().find(|step| step.step.record.step.row().goal == Goal::Change);
    let passed = newest.is_some_and(|step| step.step.record.outcome == Outcome::Pass);
    let Some(commits) = implement_commits(git, steps).into_iter().next().filter(|_| passed) else {
        return Ok(found);
    };
    let empty = match commits.before(repository)? {
        Some(before) => have_same_files(repository, &before, &commits.commit)?,
        None => false,
    };
    found.extend(Some(Finding::EmptyChange).filter(|_| empty));
    Ok(found)
}
