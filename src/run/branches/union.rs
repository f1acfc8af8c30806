//! Reads a run across its branches: the steps on branches of phases and tasks that are not merged count like all others.

use std::path::Path;

use super::base::BaseOf;
use super::names::folder;
use super::survey::{PhaseBranch, Survey};
use super::tasks::open_tasks;
use crate::error::Result;
use crate::history::{Repository, Run, read_union};
use crate::plan::{NodeIx, OpenBranches};
use crate::run::journal::JournalView;
use crate::run::plan::Plan;
use crate::run::plan::file::BranchMode;

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
    let (mut branches, mut tips) = (OpenBranches::default(), Vec::new());
    // A detached HEAD is on no branch, so it is not known where phases would be merged.
    if chosen != Some(BranchMode::Task)
        && let Ok(head) = repository.branch()
    {
        let survey = Survey::take(repository, plan, &run, head)?;
        if !survey.branches.is_empty() {
            let of_phase = |(phase, branch): (NodeIx, &PhaseBranch)| {
                tips.push(branch.tip);
                (plan.tree.node(phase).id.clone(), branch.name.clone())
            };
            branches.phases = survey.open().map(of_phase).collect();
            tips.extend(survey.base_tip);
            let reached = repository.reached_from(run.range.head(), &tips)?;
            tips.retain(|tip| !reached.contains(tip));
            if let BaseOf::Known(name) = survey.base {
                branches.base = Some(name);
            }
        }
    }
    branches.tasks = open_tasks(repository, plan, &run, found)?;
    tips.extend(branches.tasks.values().map(|branch| branch.tip));
    tips.sort_unstable();
    tips.dedup();
    let run = match tips.is_empty() {
        true => run,
        false => read_union(repository, run.range.head(), tips, &plan.query())?,
    };
    Ok(Run { branches, ..run })
}
