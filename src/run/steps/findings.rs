//! The findings that apply to a task now, read from the commits of its steps.

use super::implement_commits::implement_commits;
use crate::error::Result;
use crate::git::Git;
use crate::history::{Repository, TaskStep, changed_paths, counted};
use crate::record::{Check, Finding, Goal, Outcome, Severity, StepFacts, StepFindings, open_findings};

/// The findings for a task: those that its steps record, and whether all its commits together have changed nothing.
///
/// # Errors
/// If a commit cannot be read.
pub(crate) fn findings(repository: &Repository, git: &Git, steps: &[TaskStep]) -> Result<Vec<Finding>> {
    let mut found = recorded(steps);
    let newest = steps.iter().find(|step| step.goal() == Goal::Change);
    let passed = newest.is_some_and(|step| step.record().outcome == Outcome::Pass);
    let newest = newest.filter(|_| passed).map(|step| step.step.id);
    let commits = implement_commits(git, steps);
    let (Some(newest), Some(oldest)) =
        (commits.iter().find(|own| Some(own.commit) == newest), commits.last())
    else {
        return Ok(found);
    };
    let Some(before) = oldest.before(repository)? else { return Ok(found) };
    // Others may have changed further files meanwhile.
    let paths = changed_paths(repository, &commits)?;
    if git.entries(&before, &paths)? == git.entries(&newest.commit, &paths)? {
        let seen = match paths.is_empty() {
            true => "The task has changed nothing, and the agent said that nothing was left to do",
            false => "The task has changed nothing, because its attempts cancel each other out",
        };
        found.push(Finding::new(Check::EmptyChange, Severity::Warning, seen));
    }
    Ok(found)
}

/// The findings that the steps of a task, newest first, record and that still apply: those about its commits, and those
/// of the steps since its newest change. An error has failed its attempt and applies no longer.
fn recorded(steps: &[TaskStep]) -> Vec<Finding> {
    let counted = counted(steps);
    open_findings(
        counted
            .map(|step| StepFindings { record: step.step.record, found: StepFacts::of(&step.message).found }),
    )
}
