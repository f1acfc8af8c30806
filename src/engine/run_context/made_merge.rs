//! What agents are told about a merge that an earlier step has made.

use super::assignment::Assignment;
use super::context::{RunContext, RunPart, TaskPart};
use crate::error::Result;
use crate::run::steps::branch_line::BranchLine;
use crate::run::steps::merge_facts::made_merge;
use crate::workflow::MergeFacts;

/// What an agent is told in a step of an attempt to merge a task whose merge is committed; `None` in every other step.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn facts_of_made_merge(run: &RunContext<'_>, job: Assignment<'_>) -> Result<Option<MergeFacts>> {
    let RunPart::Task(TaskPart { onto, failure, .. }) = &run.part else { return Ok(None) };
    if job.attempt.merge.is_none() {
        return Ok(None);
    }
    let line = BranchLine::read(run.repository, run.repository.branch()?.commit, *onto)?;
    Ok(made_merge(run.merge_place(), job.leaf, &line, failure.as_ref())?.map(|(_, facts)| facts))
}
