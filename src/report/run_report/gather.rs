//! Makes the facts of a run from its plan and its steps.

use std::collections::HashSet;

use super::RunInput;
use super::facts::{GroupFacts, PhaseFacts, RunReport, TaskReport};
use super::look::look_at;
use super::merges::merges;
use super::story::story;
use super::verdict::{state_of, verdict};
use crate::plan::NodeIx;
use crate::record::{Landing, State, TaskId};
use crate::report::figures::{Figures, TaskSteps, total};
use crate::text::advice;

impl RunInput<'_> {
    fn figures(&self, leaves: impl Iterator<Item = NodeIx>) -> Figures {
        total(leaves.map(|leaf| TaskSteps { state: self.state(leaf), steps: self.tasks.steps_of(leaf) }))
    }

    /// The state of a task for the figures: what is not merged is still to be done.
    fn state(&self, leaf: NodeIx) -> State {
        match self.tasks.plan_view.state(leaf) {
            state if state.is_done() && self.is_elsewhere(leaf) => State::Pending,
            state => state,
        }
    }

    /// The facts.
    #[must_use]
    pub fn report(&self) -> RunReport {
        let tasks: Vec<TaskReport> = self
            .tasks
            .leaves
            .iter()
            .map(|leaf| story(self, *leaf, &self.figures(std::iter::once(*leaf))))
            .collect();
        let phases = self.phases();
        let look = look_at(&tasks, &phases, self.doubts);
        let state = state_of(&tasks, &phases);
        let has_complete = tasks.iter().any(TaskReport::is_complete);
        RunReport {
            version: 1,
            title: self.title.to_owned(),
            spec_id: self.tasks.plan_view.tree.spec_id().map(str::to_owned),
            tree: self.source.tree_file.to_owned(),
            head: self.source.head,
            anchor: self.source.anchor,
            nodes: self.nodes.to_vec(),
            state,
            verdict: verdict(&tasks, &phases, &look),
            began: tasks.iter().filter_map(|task| task.began).min(),
            ended: tasks.iter().filter_map(|task| task.ended).max(),
            total: self.figures(self.tasks.leaves.iter().copied()),
            look,
            merges: merges(self),
            prove: has_complete.then(|| self.prove_command()),
            trailers: self.trailers(),
            phases,
            tasks,
        }
    }

    fn prove_command(&self) -> String {
        match &self.source.anchor {
            Some(anchor) => advice::prove_one(format_args!("{anchor}..{}", self.source.head)).line(),
            None => advice::prove().line(),
        }
    }

    /// Also of tasks that are not shown: a merge brings the work of all that are merged here.
    fn trailers(&self) -> Vec<String> {
        let tree = self.tasks.plan_view.tree;
        let complete = tree.order().iter().filter(|leaf| self.state(**leaf) == State::Complete);
        let complete: Vec<TaskId> = complete.map(|leaf| tree.node(*leaf).id.clone()).collect();
        let landing = self.base.and_then(|base| Landing::new(complete, base, self.source.head));
        landing.map(|landing| landing.trailers().lines().map(str::to_owned).collect()).unwrap_or_default()
    }

    fn phases(&self) -> Vec<PhaseFacts> {
        let tree = self.tasks.plan_view.tree;
        let shown: HashSet<NodeIx> = self.tasks.leaves.iter().copied().collect();
        let below = |ix: NodeIx| tree.leaves_below(ix).filter(|leaf| shown.contains(leaf));
        let roots = tree.roots().iter().copied().filter(|root| below(*root).next().is_some());
        let inner = |root: NodeIx| {
            tree.nodes()
                .filter(move |(ix, node)| *ix != root && !node.is_leaf() && tree.phase_of(*ix) == root)
                .filter(|(ix, _)| below(*ix).next().is_some())
        };
        let end_of = |root: NodeIx| self.tasks.plan_view.end_of(root);
        let failed = |root: NodeIx| end_of(root).filter(|end| end.has_failed());
        roots
            .map(|root| PhaseFacts {
                id: tree.node(root).id.to_string(),
                name: tree.node(root).name.clone(),
                depends_on: self
                    .tasks
                    .plan_view
                    .ids(&tree.node(root).depends_on)
                    .into_iter()
                    .map(str::to_owned)
                    .collect(),
                figures: self.figures(below(root)),
                marker: self.markers.get(&tree.node(root).id).map(|marker| marker.id),
                failed_tests: failed(root).map(|end| end.step.id),
                findings: end_of(root).map(|end| end.findings.clone()).unwrap_or_default(),
                output: failed(root).map(|end| end.output.clone()),
                groups: inner(root)
                    .map(|(_, node)| GroupFacts {
                        id: node.id.to_string(),
                        name: node.name.clone(),
                        parent: node.parent.map(|ix| tree.node(ix).id.to_string()).unwrap_or_default(),
                    })
                    .collect(),
            })
            .collect()
    }
}
