//! Finds the branches of tasks: each task is done on its own branch, which began at the tip of the branch of the run
//! and is merged back when the task is complete (docs/parallel.md).

use std::collections::{BTreeMap, HashSet};

use super::names::{folder, task_of};
use crate::error::Result;
use crate::history::{Repository, Run};
use crate::plan::{NodeIx, TaskBranch};
use crate::record::{CommitId, TaskId};
use crate::run::plan::Plan;
use crate::run::plan::branch_rule::BranchMode;

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
    let found = named_after_tasks(repository, plan, repository.branches_in(&folder(plan))?)?;
    let open = repository.open_tips(&run.range, &tips_of(&found))?;
    Ok(only(found, &open))
}

/// Of these branches, those that have the name of a task.
pub(crate) fn named_after_tasks(
    repository: &Repository,
    plan: &Plan,
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
    Ok(found)
}

/// The tips of branches, in the order of their tasks.
pub(crate) fn tips_of(branches: &BTreeMap<TaskId, TaskBranch>) -> Vec<CommitId> {
    branches.values().map(|branch| branch.tip).collect()
}

/// Of these branches, those whose tips are among these.
pub(crate) fn only(
    mut branches: BTreeMap<TaskId, TaskBranch>,
    tips: &HashSet<CommitId>,
) -> BTreeMap<TaskId, TaskBranch> {
    branches.retain(|_, branch| tips.contains(&branch.tip));
    branches
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
