//! What is known of the branches of a run when it begins.

use std::collections::BTreeMap;

use crate::engine::run_context::context::RunContext;
use crate::engine::tree::tips::RunTips;
use crate::error::Result;
use crate::git::Head;
use crate::record::CommitId;
use crate::run::branches::names::folder as branch_folder;
use crate::worktree::moved_ref::refused;
use crate::worktree::task_commits::first_claim;
use crate::worktree::{ActiveRun, active_runs};

/// What is known of the branches when a run begins. A run that was killed has noted what it knew: steps that were made on
/// other branches than those at work since are not believed.
///
/// # Errors
/// [`crate::error::Kind::Unsafe`], naming such branches. They were put back.
pub(super) fn tips_at_start(run: &RunContext<'_>, noted: Option<&RunTips>, head: &Head) -> Result<RunTips> {
    let found = branches_of(run)?;
    let noted = noted.filter(|noted| noted.branch == head.branch);
    let mut forged = Vec::new();
    for moved in noted.map(|noted| noted.strange(&found)).unwrap_or_default() {
        let known = noted.into_iter().flat_map(RunTips::all).chain([&head.commit]);
        if let Some(now) = moved.now
            && first_claim(run.repository, &run.git.commits_beside(&now, known)?)?.is_some()
        {
            forged.push(moved);
        }
    }
    if !forged.is_empty() && !others_are_at_work(run) {
        return Err(refused(&run.git, forged, "a program of an earlier run"));
    }
    let mut tips = RunTips::new(head.branch.clone(), head.commit, found);
    if let Some(noted) = noted {
        // Some of them may have come since the run was killed.
        let mut foreign = run.foreign_commits().on_branch(head.commit, noted.head.as_slice())?;
        foreign.reverse();
        tips.foreign = noted.foreign.iter().copied().chain(foreign).collect();
    }
    Ok(tips)
}

/// Of these branches, without `refs/heads/`, it is not known what they must be: a worker was interrupted there.
pub(super) fn interrupt<'a>(tips: &mut RunTips, branches: impl Iterator<Item = &'a str>) {
    branches.for_each(|name| tips.interrupt(&format!("refs/heads/{name}")));
}

/// The branches of the phases and tasks of a plan, by their full names.
///
/// # Errors
/// If they cannot be listed.
pub(super) fn branches_of(run: &RunContext<'_>) -> Result<BTreeMap<String, CommitId>> {
    let found = run.repository.branches_in(&branch_folder(run.plan))?;
    Ok(found.into_iter().map(|(name, tip)| (format!("refs/heads/{name}"), tip)).collect())
}

/// Whether another run is at work in this repository, in a work tree that is not one of our slots.
pub(super) fn others_are_at_work(run: &RunContext<'_>) -> bool {
    let is_other = |other: &ActiveRun| other.slot.is_none() && other.git_dir != run.work_tree.git_dir;
    active_runs(&run.work_tree).iter().any(is_other)
}
