//! The order of the tasks: Kahn's algorithm over starts and ends, where ties are broken by the place in the tree
//! (docs/plans.md).
//!
//! Every node has two moments. It starts after its parent has started and after everything that it depends on has
//! ended; it ends when all its children have ended. So a dependency on a phase is one edge, not one for every pair of
//! leaves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::node_ix::NodeIx;

/// The start or the end of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) enum NodeMoment {
    Start(NodeIx),
    End(NodeIx),
}

impl NodeMoment {
    /// The number of this moment, below twice the number of nodes.
    pub(super) fn number(self) -> usize {
        match self {
            Self::Start(node) => 2 * node.position(),
            Self::End(node) => 2 * node.position() + 1,
        }
    }

    /// The moment with this number.
    pub(super) fn of_number(number: usize) -> Self {
        let node = NodeIx::new(number / 2);
        if number.is_multiple_of(2) { Self::Start(node) } else { Self::End(node) }
    }
}

/// The moments of nodes, and what comes before what.
pub(super) struct Moments {
    /// For each moment, by its number, those that must come right before it.
    pub(super) before: Vec<Vec<NodeMoment>>,
    /// The same the other way round.
    pub(super) after: Vec<Vec<NodeMoment>>,
}

impl Moments {
    /// The moments of nodes, each with its parent and what it depends on.
    pub(super) fn new<'n>(nodes: impl ExactSizeIterator<Item = (Option<NodeIx>, &'n [NodeIx])>) -> Self {
        let mut before = vec![Vec::new(); 2 * nodes.len()];
        for (own, (parent, depends_on)) in nodes.enumerate() {
            let (start, end) = (NodeMoment::of_number(2 * own), NodeMoment::of_number(2 * own + 1));
            before[start.number()].extend(parent.map(NodeMoment::Start));
            before[start.number()].extend(depends_on.iter().copied().map(NodeMoment::End));
            before[end.number()].insert(0, start);
            if let Some(parent) = parent {
                before[NodeMoment::End(parent).number()].push(end);
            }
        }
        let mut after = vec![Vec::new(); before.len()];
        for (number, moments) in before.iter().enumerate() {
            for moment in moments {
                after[moment.number()].push(NodeMoment::of_number(number));
            }
        }
        Self { before, after }
    }

    /// Whether nothing is below the node.
    pub(super) fn is_leaf(&self, node: NodeIx) -> bool {
        self.before[NodeMoment::End(node).number()].len() == 1
    }

    /// All moments, each after those that must come before it. Starts and ends of nodes with others below them take no time, so they
    /// come before any task. Of several tasks, that with the smallest rank comes first, then that which is first in the plan.
    ///
    /// # Errors
    /// If there is a cycle: for each moment, by number, whether it could be placed.
    pub(super) fn sequence<R: Ord>(&self, rank: impl Fn(NodeIx) -> R) -> Result<Vec<NodeMoment>, Vec<bool>> {
        let mut waiting: Vec<usize> = self.before.iter().map(Vec::len).collect();
        let free = |number: &usize| self.before[*number].is_empty();
        let mut free: Vec<NodeMoment> = (0..waiting.len()).filter(free).map(NodeMoment::of_number).collect();
        let (mut tasks, mut others) = (BinaryHeap::new(), Vec::new());
        let mut sequence = Vec::with_capacity(waiting.len());
        loop {
            for moment in free.drain(..) {
                match moment {
                    NodeMoment::Start(node) if self.is_leaf(node) => {
                        tasks.push(Reverse((rank(node), node)));
                    }
                    _ => others.push(moment),
                }
            }
            let task = |Reverse((_, node))| NodeMoment::Start(node);
            let Some(moment) = others.pop().or_else(|| tasks.pop().map(task)) else { break };
            sequence.push(moment);
            for next in &self.after[moment.number()] {
                waiting[next.number()] -= 1;
                if waiting[next.number()] == 0 {
                    free.push(*next);
                }
            }
        }
        if sequence.len() == waiting.len() {
            Ok(sequence)
        } else {
            Err(waiting.iter().map(|left| *left == 0).collect())
        }
    }
}

/// For each node, the places of the first and the last leaf below it in an order of all leaves. A node comes after its parent.
pub(super) fn spans(order: &[NodeIx], parents: &[Option<NodeIx>]) -> Vec<[usize; 2]> {
    let mut spans = vec![[usize::MAX, 0]; parents.len()];
    for (rank, leaf) in order.iter().enumerate() {
        spans[leaf.position()] = [rank, rank];
    }
    for (own, parent) in parents.iter().enumerate().rev() {
        if let Some(parent) = parent {
            let ([first, last], above) = (spans[own], spans[parent.position()]);
            spans[parent.position()] = [above[0].min(first), above[1].max(last)];
        }
    }
    spans
}

/// The leaves of a sequence: the order in which they are executed.
pub(super) fn leaves(sequence: &[NodeMoment], moments: &Moments) -> Vec<NodeIx> {
    let leaf = |moment: &NodeMoment| match moment {
        NodeMoment::Start(node) if moments.is_leaf(*node) => Some(*node),
        _ => None,
    };
    sequence.iter().filter_map(leaf).collect()
}
