//! What `status` shows besides the history: the branch, the runs that are at work, and commits for which a run stops.

use std::collections::{BTreeMap, HashMap};

use super::active::Active;
use crate::error::Result;
use crate::git::RESCUE;
use crate::record::{Claimant, NotedCommit, TaskId};
use crate::report::{
    Effort, Extent, Integration, Known, LineSelection, Presence, RunDocument, RunningStep, Screen, StatusView,
};
use crate::run::{
    BRANCH_FOLDER, INTEGRATION_BRANCH, JournalView, as_part, claimants, landed_branch, refused_commits,
};
use crate::session::Session;
use crate::session::plan_state::PlanState;

/// What is shown besides the history.
pub(crate) struct RunSurroundings {
    branch: Option<String>,
    refused: Vec<NotedCommit>,
    active: Active,
    running: Vec<RunningStep>,
    claimants: BTreeMap<TaskId, String>,
    integrator: Option<String>,
    saved: Vec<TaskId>,
    interrupted: Option<TaskId>,
    landed: Option<String>,
    /// The remote repository on which workers are at work, if this is a clone that looks at it.
    pub(crate) remote: Option<String>,
    /// What the steps have taken, if that was read.
    pub(crate) effort: HashMap<TaskId, Effort>,
}

impl RunSurroundings {
    pub(crate) fn of(plan_state: &PlanState) -> Result<Self> {
        let Session { git, repository, work_tree, .. } = &plan_state.session;
        let active = Active::of(work_tree);
        Ok(Self {
            // Without a branch, there is only a name less.
            branch: repository.branch().ok().map(|head| head.branch_name().to_owned()),
            refused: refused_commits(git, repository, work_tree)?,
            running: active.running(&plan_state.plan.tree, plan_state.now),
            active,
            claimants: who_claimed(plan_state)?,
            integrator: who_integrates(plan_state)?,
            saved: saved_tasks(plan_state)?,
            interrupted: interrupted(plan_state),
            landed: landed(plan_state)?,
            remote: None,
            effort: HashMap::new(),
        })
    }

    /// Counts again for how long the running step has been running.
    pub(crate) fn look_at_clock(&mut self, plan_state: &PlanState) {
        self.running = self.active.running(&plan_state.plan.tree, plan_state.now);
    }

    /// The state of the run, with all of it.
    pub(crate) fn document<'a>(&'a self, plan_state: &'a PlanState) -> RunDocument<'a> {
        let presence = match self.remote {
            Some(_) => Presence::Fleet,
            None => self.active.presence(&self.running),
        };
        let known = Known { presence, claimants: Some(&self.claimants), ..plan_state.known() };
        let mut document = plan_state.document(known);
        document.branch = self.branch.as_deref();
        document.integration = self.integrator.as_deref().map(|claimant| Integration { claimant });
        document.saved = &self.saved;
        document.interrupted = self.interrupted.as_ref();
        document.landed = self.landed.as_deref();
        let document = document.with_doubts(&plan_state.run.doubts, &self.refused);
        document.with_effort(&self.effort).with_runs(&self.active.runs).with_advice()
    }
}

/// The branch on which everything is landed, if all tasks are done.
fn landed(PlanState { session, plan, run, .. }: &PlanState) -> Result<Option<String>> {
    let is_open = plan.tree.order().iter().any(|leaf| !plan.state(run, *leaf).is_done());
    if is_open { Ok(None) } else { landed_branch(&session.repository, run) }
}

/// The open task in whose step the last run here was when it ended. If one is at work, that is its own.
fn interrupted(PlanState { session, plan, run, .. }: &PlanState) -> Option<TaskId> {
    let task = JournalView::read(&session.work_tree.git_dir).unit?.unit.begun.task;
    let node = plan.tree.find(task.as_str())?;
    let is_done = plan.tree.is_leaf(node) && plan.state(run, node).is_done();
    (!is_done).then_some(task)
}

/// The open tasks of which stopped steps have left something that is saved, and on which nobody has worked since, in order.
fn saved_tasks(PlanState { session, plan, run, .. }: &PlanState) -> Result<Vec<TaskId>> {
    let repository = &session.repository;
    let mut saved = Vec::new();
    for (name, commit) in repository.references()? {
        let task = name.strip_prefix(RESCUE).and_then(|rest| rest.split('/').next());
        let Some(leaf) = task.and_then(|task| plan.tree.find(task)) else { continue };
        let base = repository.commit(&commit)?.parents.first().copied();
        let is_newest = match (plan.latest(run, leaf), base) {
            (None, _) => true,
            (Some(_), Some(base)) => {
                let step = run.tasks.get(&plan.tree.node(leaf).id).map(|step| step.id);
                step.is_some_and(|step| repository.reaches(base, step).unwrap_or(false))
            }
            (Some(_), None) => false,
        };
        if is_newest && plan.tree.is_leaf(leaf) && !plan.state(run, leaf).is_done() {
            saved.push(leaf);
        }
    }
    let in_order = plan.tree.order().iter().filter(|leaf| saved.contains(leaf));
    Ok(in_order.map(|leaf| plan.tree.node(*leaf).id.clone()).collect())
}

/// Who holds the integration.
fn who_integrates(plan_state: &PlanState) -> Result<Option<String>> {
    let repository = &plan_state.session.repository;
    let Some(plan) = plan_state.plan.tree.spec_id() else { return Ok(None) };
    let branch = format!("{BRANCH_FOLDER}/{}/{INTEGRATION_BRANCH}", as_part(plan));
    let Some(tip) = repository.tip_of(&branch)? else { return Ok(None) };
    let claimant = Claimant::of_integration(&repository.commit(&tip)?.message);
    Ok(claimant.filter(|claimant| !claimant.is_nobody()).map(|claimant| claimant.to_string()))
}

/// Who has claimed each task whose branch is not merged.
fn who_claimed(plan_state: &PlanState) -> Result<BTreeMap<TaskId, String>> {
    let PlanState { session, run, .. } = plan_state;
    if run.branches.tasks.is_empty() {
        return Ok(BTreeMap::new());
    }
    claimants(&session.repository, run)
}

/// The whole tree as text, as other commands show it too.
pub(crate) fn text(plan_state: &PlanState, screen: &Screen) -> Result<String> {
    let surroundings = RunSurroundings::of(plan_state)?;
    let selection = LineSelection::Plan(Extent::Everything);
    Ok(StatusView { document: &surroundings.document(plan_state), selection }.text(screen))
}
