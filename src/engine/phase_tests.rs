//! Which test commands a phase has to pass.

use super::plan::Plan;
use crate::plan::{NodeIx, TestCommand};

/// The test commands of the parent nodes in a phase, the deepest first.
pub(super) fn tests_of_phase(plan: &Plan, phase: NodeIx) -> Vec<TestCommand> {
    let tree = &plan.tree;
    let mut parents: Vec<(usize, NodeIx)> = tree
        .nodes()
        .filter(|(ix, node)| !node.is_leaf() && tree.phase_of(*ix) == phase)
        .map(|(ix, node)| (node.depth(), ix))
        .collect();
    parents.sort_by_key(|(depth, ix)| (std::cmp::Reverse(*depth), ix.position()));
    parents.iter().flat_map(|(_, ix)| tree.node(*ix).test_commands.clone()).collect()
}
