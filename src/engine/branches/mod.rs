//! Branches of phases: the work on each phase happens on its own branch, `arborist/<spec-id>/<phase-id>`, which begins at the
//! tip of the base branch and is merged back when the phase is complete (docs/branches.md).
//!
//! The branches and the history say everything about such a run. `run::branches` reads them, `decision` decides what to do,
//! and [`Brancher`] does it.

mod decision;
mod merge_commit;

use self::decision::{BranchMove, CheckedOut, moves_to_merge, moves_to_phase};
use self::merge_commit::MergeCommit;
use crate::engine::event::{BranchMerged, BranchOf, Event};
use crate::engine::run_context::context::RunContext;
use crate::engine::tree::workspace::Workspace;
use crate::error::{Error, Kind, Result};
use crate::git::{Head, MergeRequest, Merging};
use crate::history::FollowedRun;
use crate::plan::NodeIx;
use crate::record::CommitId;
use crate::run::branch_of;
use crate::run::branches::names::subject_of_merge;
use crate::run::branches::refusals;
use crate::run::branches::survey::{BranchState, Survey};

/// Brings the work tree to the branches of phases, and merges them.
pub(crate) struct Brancher<'e, 'a> {
    /// The state of the plan at `HEAD`.
    pub(crate) followed: &'e FollowedRun<'a>,
    /// The work tree.
    pub(crate) workspace: &'e mut Workspace<'a>,
    /// The base branch, without `refs/heads/`.
    pub(crate) base: &'e str,
}

impl Brancher<'_, '_> {
    /// Looks at the branches as they are now.
    fn survey(&self) -> Result<Survey> {
        let RunContext { repository, plan, .. } = self.workspace.run;
        let head = repository.branch()?;
        let run = self.followed.catch_up(head.commit)?;
        let survey = Survey::take(repository, plan, &run, head)?;
        refusals::of_survey(plan, &survey, self.base)?;
        Ok(survey)
    }

    /// Checks out the branch of a phase. It is made if there is none.
    ///
    /// # Errors
    /// [`Kind::Repository`] if the branch cannot be used, or if changes in the work tree are in the way.
    pub(crate) fn enter(&mut self, phase: NodeIx) -> Result<()> {
        let plan = self.workspace.run.plan;
        loop {
            let survey = self.survey()?;
            let Some(state) = survey.state(phase) else {
                return Err(refusals::of_branch(plan, &survey, phase, self.base));
            };
            let here = if survey.here == Some(phase) { CheckedOut::Own } else { CheckedOut::Elsewhere };
            let Some(step) = moves_to_phase(state, here).first() else { break };
            self.make(*step, phase, &survey)?;
        }
        self.look_around()
    }

    /// Makes one move.
    fn make(&mut self, step: BranchMove, phase: NodeIx, survey: &Survey) -> Result<()> {
        let RunContext { git, repository, plan, observer, work_tree, .. } = self.workspace.run;
        let name = branch_of(plan, phase);
        match step {
            BranchMove::Create => {
                git.create_branch(&name, self.base)?;
                let (phase, base) = (plan.tree.node(phase).id.clone(), self.base.to_owned());
                observer.on(Event::BranchBegun { of: BranchOf::Phase { phase }, branch: name, base });
                Ok(())
            }
            BranchMove::Advance => {
                let branch = survey.branches.get(&phase).expect("a branch that moves forward exists");
                let base_tip = survey.base_tip.ok_or_else(|| refusals::no_base(self.base, &name))?;
                let head = Head { branch: format!("refs/heads/{name}"), ..survey.head.clone() };
                git.check_branch_is_ours_alone(work_tree, &head)?;
                git.advance_branch(&name, &branch.tip, &base_tip)
            }
            BranchMove::SwitchToBase => self.switch(self.base),
            BranchMove::SwitchToPhase => {
                if repository.upstream(&name)?.is_none() && survey.state(phase) != Some(BranchState::Open) {
                    git.set_upstream(&name, self.base)?;
                }
                self.switch(&name)
            }
            BranchMove::Merge => self.merge_into_base(phase, &name),
        }
    }

    /// Merges the base branch into the branch that is checked out, which has to contain what was merged there since it
    /// began.
    ///
    /// # Errors
    /// As for [`Self::merge`].
    pub(crate) fn update(&mut self, phase: NodeIx) -> Result<()> {
        let name = branch_of(self.workspace.run.plan, phase);
        let message = format!("Merge branch '{}' into {name}", self.base);
        self.merge_branch(MergeRequest { branch: self.base, message: &message }, &name)?;
        self.look_around()
    }

    /// Merges the branch of a phase that is marked complete into the base branch, and stays there.
    ///
    /// # Errors
    /// [`Kind::Repository`] if files are in conflict, or changes in the work tree are in the way.
    /// [`Kind::Environment`] if a hook refuses. The merge is then tried again by the next run.
    pub(crate) fn merge(&mut self, phase: NodeIx) -> Result<()> {
        loop {
            let survey = self.survey()?;
            let state = survey.state(phase).unwrap_or(BranchState::Missing);
            let is_at_base = survey.head.branch_name() == self.base;
            let Some(step) = moves_to_merge(state, is_at_base).first() else { break };
            self.make(*step, phase, &survey)?;
        }
        self.look_around()
    }

    fn merge_into_base(&mut self, phase: NodeIx, name: &str) -> Result<()> {
        let plan = self.workspace.run.plan;
        let node = plan.tree.node(phase);
        let message = subject_of_merge(plan, phase, &self.workspace.run.shown_name(&node.name));
        let commit = self.merge_branch(MergeRequest { branch: name, message: &message }, self.base)?;
        let (id, base) = (node.id.clone(), self.base.to_owned());
        let merged =
            BranchMerged { of: BranchOf::Phase { phase: id }, branch: name.to_owned(), base, commit };
        self.workspace.run.observer.on(Event::BranchMerged(merged));
        Ok(())
    }

    fn merge_branch(&mut self, request: MergeRequest<'_>, into: &str) -> Result<CommitId> {
        let RunContext { git, work_tree, repository, .. } = self.workspace.run;
        let before = repository.branch()?;
        let tip = repository.tip_of(request.branch)?.ok_or_else(|| {
            Error::new(Kind::Repository, format!("the branch {} is gone", request.branch), "")
        })?;
        let change =
            self.workspace.change_to(&format!("the merge of {} into {into}", request.branch), Some(tip));
        let open = format!("{} is not merged into {into} yet; the next run tries it again.", request.branch);
        let merging = self.workspace.guarded(change, |git| git.merge(&work_tree.git_dir, request));
        match merging.map_err(|error| error.stating(&open))? {
            Merging::Made => MergeCommit { git, repository, before: &before, tip }.read_back(),
            Merging::Conflicts(files) => Err(refusals::conflicts(request.branch, into, &files)),
            Merging::Refused(refusal) => Err(refusal.to_error().stating(&open)),
        }
    }

    fn switch(&mut self, branch: &str) -> Result<()> {
        let change = self.workspace.change_to(&format!("the switch to {branch}"), None);
        self.workspace.guarded(change, |git| git.switch(branch))
    }

    /// Takes note of the work tree and of the repository after a change of branches.
    fn look_around(&mut self) -> Result<()> {
        self.workspace.after_branch_change()?;
        let RunContext { plan, repository, .. } = self.workspace.run;
        if plan.is_unchanged() {
            return Ok(());
        }
        let branch = repository.branch()?;
        Err(refusals::other_plan(&plan.shown, branch.branch_name(), self.base))
    }
}
