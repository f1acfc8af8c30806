//! What the facts of a run are made from.

use std::collections::{HashMap, HashSet};

use super::facts::CodeChange;
use crate::plan::NodeIx;
use crate::record::{CommitId, Doubt, StepCommit, TaskId};
use crate::report::plan_view::PlanView;
use crate::report::show::StepView;

/// What the facts of a run are made from.
#[derive(Clone, Debug)]
pub struct RunInput<'a> {
    /// The state of every task.
    pub plan_view: PlanView<'a>,
    /// The name of the plan, or of the folder in which it is.
    pub title: &'a str,
    /// The path of the tree file, for people.
    pub tree_file: &'a str,
    /// The commit from which the history was read.
    pub head: CommitId,
    /// The commit that began the run.
    pub anchor: Option<CommitId>,
    /// The commit on which the run is said to begin in the trailers of the body; `None` if nothing can be said.
    pub base: Option<CommitId>,
    /// The markers of complete phases.
    pub markers: &'a HashMap<TaskId, StepCommit>,
    /// The doubts that the history leaves.
    pub doubts: &'a [Doubt],
    /// The nodes that were asked for; none for the whole plan.
    pub nodes: &'a [String],
    /// The tasks that are shown, in the order of execution.
    pub leaves: &'a [NodeIx],
    /// The steps of every task, oldest first.
    pub steps: &'a HashMap<TaskId, Vec<StepView>>,
    /// The tasks whose step that counts is on another branch than the one that is reported.
    pub elsewhere: &'a HashSet<TaskId>,
    /// The commits of the branch since the run began, along first parents, newest first, each followed by its parents.
    pub line: &'a [Vec<CommitId>],
    /// What the steps have changed, by their commits.
    pub changes: &'a HashMap<CommitId, CodeChange>,
}

impl RunInput<'_> {
    /// Whether the step of a task that counts is on another branch.
    pub(super) fn is_elsewhere(&self, leaf: NodeIx) -> bool {
        self.elsewhere.contains(&self.plan_view.tree.node(leaf).id)
    }

    pub(super) fn steps_of(&self, leaf: NodeIx) -> &[StepView] {
        self.steps.get(&self.plan_view.tree.node(leaf).id).map(Vec::as_slice).unwrap_or_default()
    }
}
