//! What `garden`, `gardener` and `next` say when a task, or every task, cannot be worked on.

use crate::engine::Plan;
use crate::error::{Error, Kind};
use crate::history::Run;
use crate::plan::{NodeIx, Readiness, TreeReadiness};
use crate::record::{State, TaskId};
use crate::report;

/// Which tasks of a plan are available to be worked on, and why others are not.
#[derive(Clone, Copy)]
pub(super) struct Availability<'a> {
    plan: &'a Plan,
    run: &'a Run,
}

impl<'a> Availability<'a> {
    pub(super) fn new(plan: &'a Plan, run: &'a Run) -> Self {
        Self { plan, run }
    }

    pub(super) fn readiness(self) -> TreeReadiness<'a> {
        TreeReadiness::new(&self.plan.tree, |leaf| self.plan.state(self.run, leaf))
    }

    /// The task waits for others.
    pub(super) fn not_ready(self, leaf: NodeIx, remedy: impl Fn(&str) -> String) -> Error {
        let names = self.ids(&self.readiness().waits_for(leaf));
        let first = names.first().copied().unwrap_or_default();
        let what = format!("{} is not ready: it waits for {}", self.id(leaf), names.join(", "));
        Error::new(Kind::No, what, remedy(first))
    }

    /// Nothing is ready, because of tasks that have failed; `None` if none has, for then everything is complete.
    pub(super) fn nothing_ready(self) -> Option<Error> {
        let readiness = self.readiness();
        let with = |task_readiness: Readiness| -> Vec<NodeIx> {
            let leaves = self.plan.tree.order().iter().copied();
            leaves.filter(|leaf| readiness.of(*leaf) == task_readiness).collect()
        };
        let failed = self.ids(&with(Readiness::Failed));
        if failed.is_empty() {
            return None;
        }
        let blocked = self.ids(&with(Readiness::Blocked));
        let blocks = match blocked.len() {
            0 => String::new(),
            1..=5 => format!(", which blocks {}", blocked.join(", ")),
            count => format!(", which blocks {} and {} more", blocked[..4].join(", "), count - 4),
        };
        let what = format!("no task is ready: {} failed{blocks}", failed.join(", "));
        Some(Error::new(Kind::No, what, report::after_failure(&failed, &[])))
    }

    /// A run that stops at failed tasks would stop at once; `None` if no task has failed.
    pub(super) fn stops_at_once(self) -> Option<Error> {
        let leaves = self.plan.tree.order().iter().copied();
        let failed: Vec<NodeIx> =
            leaves.filter(|leaf| self.plan.state(self.run, *leaf) == State::Failed).collect();
        let failed = self.ids(&failed);
        if failed.is_empty() {
            return None;
        }
        let ready: Vec<NodeIx> = self.readiness().ready().collect();
        let what = format!("{} failed in an earlier run, so this one would stop at once", failed.join(", "));
        Some(Error::new(Kind::No, what, report::after_failure(&failed, &self.ids(&ready))))
    }

    /// That a task is complete, how far the plan is, and which task comes next.
    pub(super) fn task_is_complete(self, leaf: NodeIx) -> String {
        let order = self.plan.tree.order();
        let complete =
            order.iter().filter(|leaf| self.plan.state(self.run, **leaf) == State::Complete).count();
        let next = match self.readiness().ready().next() {
            Some(next) => format!("; {} is next", self.id(next)),
            None => String::new(),
        };
        format!("{} is complete already ({complete}/{} complete{next})", self.id(leaf), order.len())
    }

    /// That all tasks are complete, and what is left to do.
    pub(super) fn all_complete(self) -> String {
        report::after_the_last_task(&self.plan.tree, |phase| self.run.phases.contains_key(phase))
    }

    pub(super) fn id(self, leaf: NodeIx) -> &'a TaskId {
        &self.plan.tree.node(leaf).id
    }

    fn ids(self, leaves: &[NodeIx]) -> Vec<&'a str> {
        leaves.iter().map(|leaf| self.id(*leaf).as_str()).collect()
    }
}
