//! A run as views get it: where it was read, and the steps of its tasks.

use std::collections::HashMap;

use super::plan_view::PlanView;
use super::show::StepView;
use crate::plan::NodeIx;
use crate::record::{CommitId, TaskId};

/// Where a run was read.
#[derive(Clone, Copy, Debug)]
pub struct RunSource<'a> {
    /// The path of the tree file, as messages name it.
    pub tree_file: &'a str,
    /// The commit from which the history was read.
    pub head: CommitId,
    /// The commit that began the run; `None` if the plan was never committed.
    pub anchor: Option<CommitId>,
}

/// Tasks of a plan, with all their steps in the run.
#[derive(Clone, Debug)]
pub struct TasksOfRun<'a> {
    /// The state of every task.
    pub plan_view: PlanView<'a>,
    /// The steps of every task, oldest first.
    pub steps: &'a HashMap<TaskId, Vec<StepView>>,
    /// The tasks that are shown, in the order of execution.
    pub leaves: &'a [NodeIx],
}

impl TasksOfRun<'_> {
    /// The steps of a task, oldest first.
    pub(super) fn steps_of(&self, leaf: NodeIx) -> &[StepView] {
        self.steps.get(&self.plan_view.tree.node(leaf).id).map(Vec::as_slice).unwrap_or_default()
    }
}
