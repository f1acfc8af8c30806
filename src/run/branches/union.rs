//! Reads a run across its branches: the steps on branches of phases and tasks that are not merged count like all others.

use std::collections::BTreeMap;
use std::path::Path;

use super::base::BaseOf;
use super::names::{folder, phase_of};
use super::survey::Survey;
use super::tasks::{is_of_a_task, named_after_tasks, only, tips_of};
use crate::error::Result;
use crate::history::{Repository, Run, read_union};
use crate::plan::OpenBranches;
use crate::record::CommitId;
use crate::run::journal::JournalView;
use crate::run::plan::Plan;
use crate::run::plan::branch_rule::BranchMode;

/// A run that was read at `HEAD`, together with what is on its other branches. `journal` is the git directory whose journal says what the
/// branches must be; `None` for a run that is at work, which knows that itself.
///
/// # Errors
/// If branches or commits cannot be read.
pub(crate) fn with_branches(
    repository: &Repository,
    plan: &Plan,
    run: Run,
    journal: Option<&Path>,
) -> Result<Run> {
    let chosen = plan.branch_rule().chosen;
    if chosen == Some(BranchMode::None) {
        return Ok(run);
    }
    let mut found = repository.branches_in(&folder(plan))?;
    if !found.is_empty()
        && let Some(git_dir) = journal
    {
        found = JournalView::read(git_dir).as_left(found);
    }
    if found.is_empty() {
        return Ok(run);
    }
    let mut beside = match has_phases(repository, plan, &found)? {
        true => OtherBranches::of_phases(repository, plan, &run)?,
        false => OtherBranches::default(),
    };
    let tasks = named_after_tasks(repository, plan, found)?;
    let (range, tips) = (&run.range, tips_of(&tasks));
    let open = repository.open_tips(range, &tips)?;
    beside.branches.tasks = only(tasks, &open);
    beside.tips.extend(open);
    beside.add_to(run, |head, beside| read_union(repository, head, beside, &plan.query()))
}

/// Whether phases have branches among these.
fn has_phases(repository: &Repository, plan: &Plan, branches: &BTreeMap<String, CommitId>) -> Result<bool> {
    if plan.branch_rule().chosen == Some(BranchMode::Task) {
        return Ok(false);
    }
    for name in branches.keys() {
        if let Some(phase) = phase_of(plan, name)
            && !is_of_a_task(repository, plan, phase, name)?
        {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The branches of a run other than the one that is checked out, none of which it contains.
#[derive(Default)]
struct OtherBranches {
    branches: OpenBranches,
    tips: Vec<CommitId>,
}

impl OtherBranches {
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
        let mut tips: Vec<CommitId> =
            survey.open().map(|(_, branch)| branch.tip).chain(survey.base_tip).collect();
        let reached = repository.reached_from(run.range.head(), &tips)?;
        tips.retain(|tip| !reached.contains(tip));
        Ok(Self { branches, tips })
    }

    fn add_to(self, run: Run, read: impl FnOnce(CommitId, Vec<CommitId>) -> Result<Run>) -> Result<Run> {
        let Self { branches, mut tips } = self;
        tips.sort_unstable();
        tips.dedup();
        let run = if tips.is_empty() { run } else { read(run.range.head(), tips)? };
        Ok(Run { branches, ..run })
    }
}
