//! Decides, before a run begins, whether phases get branches, and into which branch they are merged.

use super::base::BaseOf;
use super::names::folder;
use super::refusals;
use super::survey::Survey;
use crate::error::Result;
use crate::git::{Git, Head, WorkTree};
use crate::history::{Repository, read_run};
use crate::run::plan::Plan;
use crate::run::plan::file::BranchMode;

/// A run in which each phase has a branch of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhaseRun {
    /// The base branch, without `refs/heads/`.
    pub base: String,
}

impl PhaseRun {
    /// Makes sure that no other work tree uses the base branch, into which this one has to switch.
    ///
    /// # Errors
    /// [`crate::error::Kind::Repository`], naming the other work tree.
    pub fn check_base(&self, git: &Git, work_tree: &WorkTree, repository: &Repository) -> Result<()> {
        let branch = format!("refs/heads/{}", self.base);
        git.check_branch_is_ours_alone(work_tree, &Head { branch, ..repository.branch()? })
    }

    /// Whether phases get branches: if the user says so, or if the user does not say anything and phases of this run have
    /// branches already.
    ///
    /// # Errors
    /// [`crate::error::Kind::Input`] if the phases depend on each other in a cycle. [`crate::error::Kind::Repository`] if the
    /// base branch is not certain, or if there are branches of phases although the user wants none.
    pub fn of(repository: &Repository, plan: &Plan) -> Result<Option<Self>> {
        let chosen = plan.branch_rule().chosen;
        if chosen == Some(BranchMode::Task) {
            return Ok(None);
        }
        if chosen != Some(BranchMode::Phase) && repository.branches_in(&folder(plan))?.is_empty() {
            return Ok(None);
        }
        let run = read_run(repository, plan.tip_in(repository)?, &plan.query())?;
        let survey = Survey::take(repository, plan, &run, repository.branch()?)?;
        let is_elsewhere = |name: &str| name != survey.head.branch_name();
        match chosen {
            Some(BranchMode::None) if survey.open().any(|(_, branch)| is_elsewhere(&branch.name)) => {
                return Err(refusals::has_open_branches(&survey));
            }
            Some(BranchMode::None) => return Ok(None),
            None if survey.here.is_none() && survey.open().next().is_none() => return Ok(None),
            None | Some(BranchMode::Phase | BranchMode::Task) => {}
        }
        if let Some(cycle) = plan.tree.phase_cycle() {
            return Err(refusals::cycle(plan, &cycle));
        }
        let base = match (&plan.branch_rule().base, &survey.base) {
            (Some(named), _) => named.clone(),
            (None, BaseOf::Known(name)) => name.clone(),
            // The refusal says why.
            (None, BaseOf::Unknown(_)) => String::new(),
        };
        refusals::of_survey(plan, &survey, &base)?;
        Ok(Some(Self { base }))
    }
}
