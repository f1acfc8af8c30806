//! Reads a run across its branches: the steps on branches of phases and tasks that are not merged count like all others.

use std::collections::BTreeMap;

use super::base::BaseOf;
use super::names::folder;
use super::rule::BranchMode;
use super::survey::Survey;
use super::tasks::task_branches;
use crate::engine::plan::Plan;
use crate::error::Result;
use crate::history::{Repository, Run, read_union};
use crate::plan::OpenBranches;
use crate::record::CommitId;

/// A run that was read at `HEAD`, together with what is on its other branches.
///
/// # Errors
/// If branches or commits cannot be read.
pub(in crate::engine) fn with_branches(repository: &Repository, plan: &Plan, run: Run) -> Result<Run> {
    let chosen = plan.branch_rule().chosen();
    if chosen == Some(BranchMode::None) || repository.branches_in(&folder(plan))?.is_empty() {
        return Ok(run);
    }
    let mut beside = match chosen {
        Some(BranchMode::Task) => Beside::default(),
        _ => Beside::of_phases(repository, plan, &run)?,
    };
    let tasks = task_branches(repository, plan, &run)?;
    beside.tips.extend(tasks.values().map(|branch| branch.tip));
    beside.branches.tasks = tasks;
    beside.add_to(repository, plan, run)
}

/// The branches of a run other than the one that is checked out.
#[derive(Default)]
struct Beside {
    branches: OpenBranches,
    tips: Vec<CommitId>,
}

impl Beside {
    fn of_phases(repository: &Repository, plan: &Plan, run: &Run) -> Result<Self> {
        // A detached HEAD is on no branch, so it is not known where phases would be merged.
        let Ok(head) = repository.branch() else { return Ok(Self::default()) };
        let survey = Survey::take(repository, plan, run, head)?;
        if survey.branches.is_empty() {
            return Ok(Self::default());
        }
        let base = match &survey.base {
            BaseOf::Known(name) => Some(name.clone()),
            BaseOf::Unknown(_) => None,
        };
        let open =
            survey.open().map(|(phase, branch)| (plan.tree.node(phase).id.clone(), branch.name.clone()));
        let branches = OpenBranches { base, phases: open.collect(), tasks: BTreeMap::new() };
        let tips = survey.open().map(|(_, branch)| branch.tip).chain(survey.base_tip).collect();
        Ok(Self { branches, tips })
    }

    fn add_to(self, repository: &Repository, plan: &Plan, run: Run) -> Result<Run> {
        let Self { branches, tips: mut beside } = self;
        let head = run.range.head();
        beside.retain(|tip| *tip != head);
        beside.sort_unstable();
        beside.dedup();
        let reached = repository.reached_from(head, &beside)?;
        beside.retain(|tip| !reached.contains(tip));
        let run = if beside.is_empty() { run } else { read_union(repository, head, beside, &plan.query())? };
        Ok(Run { branches, ..run })
    }
}
