//! Reads a run across its branches: the steps on branches of phases that are not merged count like all others.

use super::base::BaseOf;
use super::rule::BranchMode;
use super::survey::Survey;
use crate::engine::plan::Plan;
use crate::error::Result;
use crate::history::{PhaseBranches, Repository, Run, read_union};
use crate::record::CommitId;

/// A run that was read at `HEAD`, together with what is on its other branches.
///
/// # Errors
/// If branches or commits cannot be read.
pub(in crate::engine) fn with_branches(repository: &Repository, plan: &Plan, run: Run) -> Result<Run> {
    if plan.branch_rule().chosen == Some(BranchMode::None) || !has_branches(repository, plan)? {
        return Ok(run);
    }
    // A detached HEAD is on no branch, so it is not known where phases would be merged.
    let Ok(head) = repository.branch() else { return Ok(run) };
    let survey = Survey::take(repository, plan, &run, head)?;
    let base = match &survey.base {
        BaseOf::Known(name) => Some(name.clone()),
        BaseOf::Unknown(_) => None,
    };
    let open = survey.open().map(|(phase, branch)| (plan.tree.node(phase).id.clone(), branch.name.clone()));
    let branches = PhaseBranches { base, open: open.collect() };
    let head = run.range.head();
    let mut beside: Vec<CommitId> = survey.open().map(|(_, branch)| branch.tip).collect();
    beside.extend(survey.base_tip);
    beside.retain(|tip| *tip != head);
    beside.sort_unstable();
    beside.dedup();
    let reached = repository.reached_from(head, &beside)?;
    beside.retain(|tip| !reached.contains(tip));
    let run = if beside.is_empty() { run } else { read_union(repository, head, beside, &plan.query())? };
    Ok(Run { branches, ..run })
}

fn has_branches(repository: &Repository, plan: &Plan) -> Result<bool> {
    Ok(!repository.branches_in(&super::names::folder(plan))?.is_empty())
}
