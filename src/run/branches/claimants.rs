//! Who is at work on the tasks whose branches are not merged yet.

use std::collections::BTreeMap;

use crate::error::Result;
use crate::history::{Picked, Repository, Run, pick_steps};
use crate::record::{CommitId, CommitKind, Step, StepFacts, TaskId};

/// Who has claimed each task that has a branch, by the newest claim on that branch. A claim that says nothing of who made it, as one
/// that gives a task back, counts as none.
///
/// # Errors
/// If history cannot be read.
pub fn claimants(repository: &Repository, run: &Run) -> Result<BTreeMap<TaskId, String>> {
    let claims = pick_steps(repository, &run.range, |kind, message| match kind {
        CommitKind::Task(task, record)
            if record.step == Step::CLAIM && run.branches.tasks.contains_key(task) =>
        {
            Some((task.clone(), StepFacts::of(message).claimant))
        }
        _ => None,
    })?;
    let commits: Vec<CommitId> = claims.iter().map(|claim| claim.id).collect();
    // What the branch of the run has was claimed for work that is merged.
    let merged = repository.reached_from(run.range.head(), &commits)?;
    let mut newest = BTreeMap::new();
    for Picked { id, value: (task, claimant), .. } in claims {
        if !merged.contains(&id) {
            newest.entry(task).or_insert(claimant);
        }
    }
    Ok(newest.into_iter().filter_map(|(task, claimant)| Some((task, claimant?))).collect())
}
