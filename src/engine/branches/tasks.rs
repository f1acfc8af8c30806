//! Finds the branches of tasks: each task is worked on on a branch of its own, which began at the tip of the branch of the run
//! and is merged back when the task is complete (docs/parallel.md).

use std::collections::{BTreeMap, HashSet};

use super::names::{folder, task_of};
use super::rule::BranchMode;
use crate::engine::plan::Plan;
use crate::error::Result;
use crate::history::{Repository, Run};
use crate::plan::{NodeIx, TaskBranch};
use crate::record::{CommitId, TaskId};

/// Whether tasks are worked on on branches of their own: if the user says so, or if the user does not say anything and tasks of
/// this run have branches already.
#[must_use]
pub fn has_task_branches(plan: &Plan, run: &Run) -> bool {
    match plan.branch_rule().chosen() {
        Some(mode) => mode == BranchMode::Task,
        None => !run.branches.tasks.is_empty(),
    }
}

/// How many commits of a branch are looked at to find where it began.
const LONGEST: usize = 10_000;

/// The branches of tasks that belong to a run and are not merged into it. `run` is the state at the tip of the branch of the
/// run.
///
/// # Errors
/// If branches or commits cannot be read.
pub(in crate::engine) fn task_branches(
    repository: &Repository,
    plan: &Plan,
    run: &Run,
) -> Result<BTreeMap<TaskId, TaskBranch>> {
    let mut found = Vec::new();
    for (name, tip) in repository.branches_in(&folder(plan))? {
        if let Some(leaf) = task_of(plan, &name)
            && is_of_a_task(repository, plan, leaf, &name)?
        {
            found.push((leaf, TaskBranch { name, tip }));
        }
    }
    let head = run.range.head();
    let tips: Vec<CommitId> = found.iter().map(|(_, branch)| branch.tip).filter(|tip| *tip != head).collect();
    if tips.is_empty() {
        return Ok(BTreeMap::new());
    }
    let merged = repository.reached_from(head, &tips)?;
    found.retain(|(_, branch)| branch.tip != head && !merged.contains(&branch.tip));
    if found.is_empty() {
        return Ok(BTreeMap::new());
    }
    let of_run = repository.commits_since(head, run.range.anchor())?;
    let mut open = BTreeMap::new();
    for (leaf, branch) in found {
        if began_in(repository, branch.tip, &of_run)? {
            open.insert(plan.tree.node(leaf).id.clone(), branch);
        }
    }
    Ok(open)
}

/// Whether a branch with the name of this node is the branch of a task. A task without a parent is also a phase; the branches
/// of phases have an upstream, unless they come from another repository and the user says what they are.
pub(super) fn is_of_a_task(repository: &Repository, plan: &Plan, node: NodeIx, name: &str) -> Result<bool> {
    let tree = &plan.tree;
    if !tree.is_leaf(node) || tree.node(node).parent.is_some() {
        return Ok(tree.is_leaf(node));
    }
    Ok(match plan.branch_rule().chosen() {
        Some(BranchMode::Task) => true,
        Some(BranchMode::Phase) => false,
        Some(BranchMode::None) | None => repository.upstream(name)?.is_none(),
    })
}

/// Whether the first line of descent from a commit leads to one of these.
fn began_in(repository: &Repository, tip: CommitId, commits: &HashSet<CommitId>) -> Result<bool> {
    let mut at = tip;
    for _ in 0..LONGEST {
        if commits.contains(&at) {
            return Ok(true);
        }
        match repository.first_parent(&at)? {
            Some(parent) => at = parent,
            None => return Ok(false),
        }
    }
    Ok(false)
}
