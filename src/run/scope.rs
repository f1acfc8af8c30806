//! The tasks that a run may work on.

use std::collections::HashSet;

use crate::plan::{NodeIx, TaskTree, TreeReadiness};
use crate::record::State;

/// The tasks that a run may work on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TaskScope {
    /// All of them.
    #[default]
    All,
    /// Only these.
    Some(HashSet<NodeIx>),
}

impl TaskScope {
    /// The tasks below these nodes; all tasks if no node is named.
    #[must_use]
    pub fn below(tree: &TaskTree, nodes: &[NodeIx]) -> Self {
        match nodes {
            [] => Self::All,
            nodes => Self::Some(nodes.iter().flat_map(|node| tree.leaves_below(*node)).collect()),
        }
    }

    /// No task.
    #[must_use]
    pub fn none() -> Self {
        Self::Some(HashSet::new())
    }

    /// Whether a run may work on this task.
    #[must_use]
    pub fn includes(&self, leaf: NodeIx) -> bool {
        match self {
            Self::All => true,
            Self::Some(leaves) => leaves.contains(&leaf),
        }
    }

    /// The readiness of the tasks as far as this run can come: leaves outside that are not done never will be.
    pub fn readiness<'t>(&self, tree: &'t TaskTree, state_of: impl Fn(NodeIx) -> State) -> TreeReadiness<'t> {
        TreeReadiness::new(tree, |leaf| match state_of(leaf) {
            state if state.is_done() => state,
            _ if !self.includes(leaf) => State::Failed,
            state => state,
        })
    }

    /// Its tasks, in the order of execution.
    pub fn leaves<'s>(&'s self, tree: &'s TaskTree) -> impl Iterator<Item = NodeIx> + 's {
        tree.order().iter().copied().filter(|leaf| self.includes(*leaf))
    }
}
