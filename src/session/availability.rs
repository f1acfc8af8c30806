//! The messages of `garden`, `gardener` and `next` if a task, or every task, cannot be worked on.

use crate::config::Config;
use crate::error::{Error, Kind, Result};
use crate::history::{Repository, Run};
use crate::plan::{NodeIx, PerTask, Readiness, TreeReadiness};
use crate::record::{EndedPhase, OpenQuestion, State, TaskId};
use crate::report;
use crate::run::{Plan, TaskScope, landed_branch, open_questions, policy};
use crate::session::Session;
use crate::text::advice::{self, Advice};
use crate::text::capital;
use crate::worktree::who_is_at_work;

/// Explains which tasks of a plan can be worked on, and why others cannot.
#[derive(Clone, Copy)]
pub(crate) struct Availability<'a> {
    plan: &'a Plan,
    run: &'a Run,
    /// The settings of every task.
    tasks: &'a PerTask<Config>,
    /// The ends of phases, as far as they were read.
    ends: &'a [EndedPhase],
}

impl<'a> Availability<'a> {
    pub(crate) fn new(plan: &'a Plan, run: &'a Run, tasks: &'a PerTask<Config>) -> Self {
        Self { plan, run, tasks, ends: &[] }
    }

    /// The same, for a message about a phase that has failed to name the tasks to which its tests point.
    pub(crate) fn with_ends(self, ends: &'a [EndedPhase]) -> Self {
        Self { ends, ..self }
    }

    pub(crate) fn readiness(self) -> TreeReadiness<'a> {
        let policies = self.tasks.map(policy);
        TreeReadiness::new(&self.plan.tree, |leaf| self.plan.leaf_state(self.run, leaf, policies.of(leaf)))
    }

    /// The error for a task that waits for a person's approval.
    pub(crate) fn held(self, leaf: NodeIx) -> Error {
        let id = self.id(leaf).as_str();
        let what = report::awaits_approval(&[id]).trim_end_matches('.').to_owned();
        Error::new(Kind::No, what, report::how_to_approve(id))
    }

    /// The error for a task about which an agent has asked a question.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn asked(self, repository: &Repository, leaf: NodeIx) -> Result<Error> {
        let mut open = self.questions(repository)?;
        open.retain(|open| open.task == *self.id(leaf));
        Ok(about_questions(&open))
    }

    fn questions(self, repository: &Repository) -> Result<Vec<OpenQuestion>> {
        open_questions(repository, self.plan, self.run, |leaf| policy(self.tasks.of(leaf)))
    }

    /// The error that asks all open questions; `None` if there are none.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn asked_all(self, repository: &Repository) -> Result<Option<Error>> {
        let open = self.questions(repository)?;
        Ok((!open.is_empty()).then(|| about_questions(&open)))
    }

    /// The tasks that wait for a person's approval.
    pub(crate) fn waiting_for_approval(self) -> Vec<TaskId> {
        self.leaves_with(Readiness::Held).into_iter().map(|leaf| self.id(leaf).clone()).collect()
    }

    fn leaves_with(self, wanted: Readiness) -> Vec<NodeIx> {
        let readiness = self.readiness();
        self.plan.tree.order().iter().copied().filter(|leaf| readiness.of(*leaf) == wanted).collect()
    }

    /// The error that asks for all approvals; `None` if no task waits for one.
    pub(crate) fn all_held(self) -> Option<Error> {
        let held = self.ids(&self.leaves_with(Readiness::Held));
        let what = format!("no task is ready: {}", report::awaits_approval(&held).trim_end_matches('.'));
        Some(Error::new(Kind::No, what, report::how_to_approve(held.first()?)))
    }

    /// The error for a plan in which the tests of phases fail and nothing else can be done; `None` if they do not fail.
    pub(crate) fn failed_phases(self) -> Option<Error> {
        let phases = self.failing();
        let first = phases.first()?;
        let what = format!("the tests of {} failed", phases.join(", "));
        Some(Error::new(Kind::No, what, self.after_failed_phases(first, &phases)))
    }

    /// What to do after the tests of these phases have failed; the output of the first of them is shown.
    fn after_failed_phases(self, first: &str, phases: &[&str]) -> String {
        let of_these = self.ends.iter().filter(|end| phases.contains(&end.id.as_str()));
        let suspects: Vec<TaskId> = of_these.flat_map(|end| end.suspects.clone()).collect();
        let then = report::after_failed_phase(&suspects, &advice::gardener());
        format!("{} shows their output. {then}", advice::show(first))
    }

    /// The phases whose tests have failed.
    fn failing(self) -> Vec<&'a str> {
        let roots = self.plan.tree.roots().iter().map(|root| self.id(*root));
        roots.filter(|id| self.run.failed_phases.contains_key(*id)).map(TaskId::as_str).collect()
    }

    /// The error for a task that waits for others.
    pub(crate) fn not_ready(self, leaf: NodeIx, remedy: impl Fn(&str) -> String) -> Error {
        let names = self.ids(&self.readiness().waits_for(leaf));
        let first = names.first().expect("a task that is not ready waits for another");
        let what = format!("{} is not ready: it waits for {}", self.id(leaf), names.join(", "));
        let phases = self.readiness().waits_for(leaf).into_iter().map(|other| self.plan.tree.phase_of(other));
        match phases.map(|phase| self.id(phase)).find(|id| self.run.failed_phases.contains_key(*id)) {
            None => Error::new(Kind::No, what, remedy(first)),
            Some(phase) => {
                let what = format!("{what}, and the tests of {phase} fail");
                Error::new(Kind::No, what, self.after_failed_phases(phase.as_str(), &[phase.as_str()]))
            }
        }
    }

    /// The error if no task is ready because some have failed or wait for a person; `None` if there are none of these,
    /// because then all are done.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn nothing_ready(self, repository: &Repository) -> Result<Option<Error>> {
        let approvals = report::approvals(&self.ids(&self.leaves_with(Readiness::Held)));
        let beside = |remedy: &str| match &approvals {
            Some(approvals) => format!("{remedy}\n{approvals}"),
            None => remedy.to_owned(),
        };
        let failed = self.leaves_with(Readiness::Failed);
        if failed.is_empty() {
            if let Some(asked) = self.asked_all(repository)? {
                return Ok(Some(Error::new(asked.kind(), asked.what(), beside(asked.remedy()))));
            }
            return Ok(self.all_held().or_else(|| self.failed_phases()));
        }
        let blocked = self.ids(&self.leaves_with(Readiness::Blocked));
        let blocks = match blocked.len() {
            0 => String::new(),
            1..=5 => format!(", which blocks {}", blocked.join(", ")),
            count => format!(", which blocks {} and {} more", blocked[..4].join(", "), count - 4),
        };
        let what = format!("no task is ready: {} failed{blocks}", self.ids(&failed).join(", "));
        let remedy = self.after_failure(repository, &failed, &[], &advice::gardener());
        Ok(Some(Error::new(Kind::No, what, beside(&remedy))))
    }

    /// What to do if these tasks have failed, of which there is at least one, and these others are ready.
    pub(crate) fn after_failure(
        self,
        repository: &Repository,
        failed: &[NodeIx],
        ready: &[NodeIx],
        again: &Advice,
    ) -> String {
        let branch = failed.first().and_then(|first| {
            self.run.branches.branch_for(self.id(*first), self.id(self.plan.tree.phase_of(*first)))
        });
        let is_here = |branch: &str| repository.branch().is_ok_and(|head| head.branch_name() == branch);
        let branch = branch.filter(|branch| !is_here(branch));
        report::after_failure(&self.ids(failed), &self.ids(ready), branch, again)
    }

    /// How the run goes on from here, in sentences.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn how_to_go_on(self, session: &Session) -> Result<String> {
        if who_is_at_work(&session.work_tree).is_some() {
            return Ok(format!("A run is at work: {} follows it.", advice::watch()));
        }
        let is_ready = self.readiness().ready().next().is_some();
        match self.nothing_ready(&session.repository)?.filter(|_| !is_ready) {
            Some(error) => Ok(capital(&error.to_string())),
            None => Ok(format!("{} goes on with the run.", advice::gardener())),
        }
    }

    /// The error for a run that has nothing to do because of failed tasks; `None` if no task has failed.
    pub(crate) fn stops_at_once(self, repository: &Repository, scope: &TaskScope) -> Option<Error> {
        let leaves = scope.leaves(&self.plan.tree);
        let failed: Vec<NodeIx> =
            leaves.filter(|leaf| self.plan.state(self.run, *leaf) == State::Failed).collect();
        if failed.is_empty() {
            return None;
        }
        let ready: Vec<NodeIx> = self.readiness().ready().filter(|leaf| scope.includes(*leaf)).collect();
        let why =
            if ready.is_empty() { "and nothing else is ready" } else { "so this one would stop at once" };
        let what = format!("{} failed in an earlier run, {why}", self.ids(&failed).join(", "));
        let remedy = self.after_failure(repository, &failed, &ready, &advice::gardener());
        Some(Error::new(Kind::No, what, remedy))
    }

    fn count(self, state: State) -> usize {
        let order = self.plan.tree.order();
        order.iter().filter(|leaf| self.plan.state(self.run, **leaf) == state).count()
    }

    /// Says that a task is complete or skipped, how many are, and which task comes next.
    pub(crate) fn task_is_done(self, leaf: NodeIx) -> String {
        let order = self.plan.tree.order();
        let next = match self.readiness().ready().next() {
            Some(next) => format!("; {} is next", self.id(next)),
            None => String::new(),
        };
        let state = self.plan.state(self.run, leaf).word();
        let done = report::tasks_done(self.count(State::Complete), self.count(State::Skipped), order.len());
        format!("{} is already {state} ({done}{next})", self.id(leaf))
    }

    /// What to do about those of these tasks that are complete on their own branches, as sentences; `None` if there
    /// are none.
    pub(crate) fn to_merge(self, wanted: impl Fn(NodeIx) -> bool) -> Option<String> {
        let branch = |leaf: &NodeIx| self.run.branches.tasks.get(self.id(*leaf));
        let is_done = |leaf: &NodeIx| self.plan.state(self.run, *leaf).is_done();
        let order = self.plan.tree.order().iter().copied();
        let unmerged: Vec<NodeIx> =
            order.filter(|leaf| wanted(*leaf) && is_done(leaf) && branch(leaf).is_some()).collect();
        let first = unmerged.first().and_then(branch)?;
        Some(report::only_to_merge(&self.ids(&unmerged), &first.name))
    }

    /// Says that all tasks are done, and what is left to do.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn all_done(self, repository: &Repository) -> Result<String> {
        if let Some(to_merge) = self.to_merge(|_| true) {
            return Ok(to_merge);
        }
        let landed = landed_branch(repository, self.run)?;
        let skipped = self.count(State::Skipped);
        let done = report::LastTask { tree: &self.plan.tree, skipped, landed: landed.as_deref() };
        Ok(report::after_the_last_task(done, |phase| self.run.phases.contains_key(phase)))
    }

    pub(crate) fn id(self, leaf: NodeIx) -> &'a TaskId {
        &self.plan.tree.node(leaf).id
    }

    fn ids(self, leaves: &[NodeIx]) -> Vec<&'a str> {
        leaves.iter().map(|leaf| self.id(*leaf).as_str()).collect()
    }
}

/// The error that asks these questions.
fn about_questions(open: &[OpenQuestion]) -> Error {
    let remedy = open.iter().map(report::how_to_answer).collect::<Vec<_>>().join("\n");
    Error::new(Kind::Person, report::open_questions(open), remedy)
}
