//! What a dry run says about tasks that are worked on at the same time, on branches of their own (docs/parallel.md).

use super::before_run::Start;
use crate::error::Result;
use crate::history::Run;
use crate::plan::{NodeIx, Readiness};
use crate::record::State;
use crate::report;
use crate::run::{Plan, TaskScope, branch_of};
use crate::workflow::first_to_begin;

/// The tasks of a run that works on several at the same time.
pub(crate) struct DryJobs<'a> {
    /// How many at most.
    pub(crate) jobs: u32,
    /// The tasks that it may work on.
    pub(crate) scope: &'a TaskScope,
    /// Those that it would reach.
    pub(crate) leaves: &'a [NodeIx],
}

impl DryJobs<'_> {
    /// What would be merged, what begins at once and where, and what follows, as sentences. `state` is the state of each task
    /// for this run.
    ///
    /// # Errors
    /// If HEAD is on no branch.
    pub(crate) fn notes(
        &self,
        start: &Start<'_>,
        run: &Run,
        state: impl Fn(NodeIx) -> State,
    ) -> Result<Vec<String>> {
        let Self { jobs, scope, leaves } = *self;
        let (plan, base) = (start.plan, start.session.repository.branch()?.branch_name().to_owned());
        let id = |leaf: NodeIx| &plan.tree.node(leaf).id;
        let is_unmerged =
            |leaf: &NodeIx| state(*leaf).is_done() && run.branches.tasks.contains_key(id(*leaf));
        let unmerged: Vec<NodeIx> = plan.tree.order().iter().copied().filter(is_unmerged).collect();
        let mut notes = Vec::new();
        if !unmerged.is_empty() {
            let is = if unmerged.len() == 1 { "is" } else { "are" };
            let names = report::first_few(unmerged.iter().map(|leaf| id(*leaf).as_str()));
            notes.push(format!("{names} {is} complete, and merged into {base} first, after tests."));
        }
        // What is merged first keeps nothing from beginning.
        let readiness = scope.readiness(&plan.tree, state);
        let ready: Vec<NodeIx> =
            leaves.iter().copied().filter(|leaf| readiness.of(*leaf) == Readiness::Ready).collect();
        let first = first_to_begin(&plan.tree, &ready, usize::try_from(jobs).unwrap_or(usize::MAX));
        if !first.is_empty() {
            notes.extend(self.beginnings(plan, run, &first));
            notes.push(format!(
                "Each is merged into {base} when it is complete, after tests of the merged files."
            ));
        }
        Ok(notes)
    }

    /// Where the first tasks are worked on, and when the others follow.
    fn beginnings(&self, plan: &Plan, run: &Run, first: &[NodeIx]) -> Vec<String> {
        let place = |leaf: &NodeIx| {
            let id = &plan.tree.node(*leaf).id;
            match run.branches.tasks.get(id) {
                Some(branch) => format!("{id} continues on {}", branch.name),
                None => format!("{id} begins on {}", branch_of(plan, *leaf)),
            }
        };
        let places: Vec<String> = first.iter().map(place).collect();
        let at_once = match self.jobs {
            1 => "One task at a time is worked on".to_owned(),
            jobs => format!("Up to {jobs} tasks are worked on at the same time"),
        };
        let mut notes = vec![format!(
            "{at_once}, each in a work tree and on a branch of its own: {}.",
            places.join(", ")
        )];
        if self.leaves.len() > first.len() {
            notes.push(
                "The others begin when a work tree is free and what they need is merged, in this order as far as possible."
                    .to_owned(),
            );
        }
        notes
    }
}
