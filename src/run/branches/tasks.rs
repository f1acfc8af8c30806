//! Finds the branches of tasks: each task is done on its own branch, which began at the tip of the branch of the run
//! and is merged back when the task is complete (docs/parallel.md). And who is at work on them.

use std::collections::BTreeMap;

use super::names::{folder, task_of};
use crate::error::Result;
use crate::history::{Picked, Repository, Run, pick_steps};
use crate::plan::{NodeIx, TaskBranch};
use crate::record::{CommitId, CommitKind, Step, StepFacts, TaskId};
use crate::run::plan::Plan;
use crate::run::plan::file::BranchMode;

/// Whether tasks are done on their own branches: if the user says so, or if the user does not say anything and tasks of
/// this run have branches already.
#[must_use]
pub fn has_task_branches(plan: &Plan, run: &Run) -> bool {
    match plan.branch_rule().chosen {
        Some(mode) => mode == BranchMode::Task,
        None => !run.branches.tasks.is_empty(),
    }
}

/// The branches of tasks that belong to a run and are not merged into it. `run` is the state at the tip of the branch of the
/// run.
///
/// # Errors
/// If branches or commits cannot be read.
pub(crate) fn task_branches(
    repository: &Repository,
    plan: &Plan,
    run: &Run,
) -> Result<BTreeMap<TaskId, TaskBranch>> {
    open_tasks(repository, plan, run, repository.branches_in(&folder(plan))?)
}

/// The same among these branches.
pub(crate) fn open_tasks(
    repository: &Repository,
    plan: &Plan,
    run: &Run,
    branches: BTreeMap<String, CommitId>,
) -> Result<BTreeMap<TaskId, TaskBranch>> {
    let mut found = BTreeMap::new();
    for (name, tip) in branches {
        if let Some(leaf) = task_of(plan, &name)
            && is_of_a_task(repository, plan, leaf, &name)?
        {
            found.insert(plan.tree.node(leaf).id.clone(), TaskBranch { name, tip });
        }
    }
    let tips: Vec<CommitId> = found.values().map(|branch| branch.tip).collect();
    let open = repository.open_tips(&run.range, &tips)?;
    found.retain(|_, branch| open.contains(&branch.tip));
    Ok(found)
}

/// Whether a branch with the name of this node is the branch of a task. A task without a parent is also a phase; the branches
/// of phases have an upstream, unless they come from another repository and the user says what they are.
pub(crate) fn is_of_a_task(repository: &Repository, plan: &Plan, node: NodeIx, name: &str) -> Result<bool> {
    let tree = &plan.tree;
    if !tree.is_leaf(node) || tree.node(node).parent.is_some() {
        return Ok(tree.is_leaf(node));
    }
    Ok(match plan.branch_rule().chosen {
        Some(BranchMode::Task) => true,
        Some(BranchMode::Phase) => false,
        Some(BranchMode::None) | None => repository.upstream(name)?.is_none(),
    })
}

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
