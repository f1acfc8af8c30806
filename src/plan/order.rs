//! The order of the tasks: Kahn's algorithm over starts and ends, where ties are broken by the place in the tree
//! (docs/plans.md).
//!
//! Every node has two moments. It starts after its parent has started and after everything that it depends on has
//! ended; it ends when all its children have ended. So a dependency on a phase is one edge, not one for every pair of
//! leaves.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::node::Node;
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

    pub(super) fn node(self) -> NodeIx {
        match self {
            Self::Start(node) | Self::End(node) => node,
        }
    }

    /// The `nth` moment that must come before this one; `None` after the last.
    pub(super) fn before(self, nodes: &[Node], nth: usize) -> Option<Self> {
        let node = &nodes[self.node().position()];
        match self {
            Self::Start(_) => match (nth, node.parent) {
                (0, Some(parent)) => Some(Self::Start(parent)),
                (_, parent) => {
                    let nth = nth - usize::from(parent.is_some());
                    node.depends_on.get(nth).copied().map(Self::End)
                }
            },
            Self::End(own) if nth == 0 => Some(Self::Start(own)),
            Self::End(_) => node.children.get(nth - 1).copied().map(Self::End),
        }
    }

    /// How many moments must come before this one.
    fn count_before(self, nodes: &[Node]) -> usize {
        let node = &nodes[self.node().position()];
        match self {
            Self::Start(_) => usize::from(node.parent.is_some()) + node.depends_on.len(),
            Self::End(_) => 1 + node.children.len(),
        }
    }
}

/// All moments, each after those that must come before it.
///
/// # Errors
/// If there is a cycle: for each moment, by number, whether it could be placed.
pub(super) fn sequence(nodes: &[Node]) -> Result<Vec<NodeMoment>, Vec<bool>> {
    let mut queue = Queue::new(nodes);
    let mut sequence = Vec::with_capacity(2 * nodes.len());
    while let Some(moment) = queue.next() {
        sequence.push(moment);
        queue.release_after(moment);
    }
    if sequence.len() == 2 * nodes.len() {
        return Ok(sequence);
    }
    let mut placed = vec![false; 2 * nodes.len()];
    for moment in sequence {
        placed[moment.number()] = true;
    }
    Err(placed)
}

/// The priority of a task: its own, or that of the nearest node above that has one.
fn priority(nodes: &[Node], task: NodeIx) -> u32 {
    let above = |ix: &NodeIx| nodes[ix.position()].parent;
    let mut path = std::iter::successors(Some(task), above);
    path.find_map(|ix| nodes[ix.position()].fields.priority()).unwrap_or(u32::MAX)
}

/// The moments that no longer wait for others.
struct Queue<'n> {
    nodes: &'n [Node],
    /// The nodes that depend on each node.
    dependents: Vec<Vec<NodeIx>>,
    /// How many moments each moment still waits for.
    waiting: Vec<usize>,
    /// Starts of tasks with their priorities: among those with the same one, the first in the plan goes first.
    tasks: BinaryHeap<Reverse<(u32, NodeIx)>>,
    /// All other moments. They take no time, so they come before any task.
    others: Vec<NodeMoment>,
}

impl<'n> Queue<'n> {
    fn new(nodes: &'n [Node]) -> Self {
        let mut dependents = vec![Vec::new(); nodes.len()];
        for (own, node) in nodes.iter().enumerate() {
            for dependency in &node.depends_on {
                dependents[dependency.position()].push(NodeIx::new(own));
            }
        }
        let waiting: Vec<usize> =
            (0..2 * nodes.len()).map(|number| NodeMoment::of_number(number).count_before(nodes)).collect();
        let mut queue = Self { nodes, dependents, waiting, tasks: BinaryHeap::new(), others: Vec::new() };
        for number in
            (0..queue.waiting.len()).filter(|number| queue.waiting[*number] == 0).collect::<Vec<_>>()
        {
            queue.add(NodeMoment::of_number(number));
        }
        queue
    }

    fn add(&mut self, moment: NodeMoment) {
        match moment {
            NodeMoment::Start(node) if self.nodes[node.position()].is_leaf() => {
                self.tasks.push(Reverse((priority(self.nodes, node), node)));
            }
            _ => self.others.push(moment),
        }
    }

    fn next(&mut self) -> Option<NodeMoment> {
        self.others.pop().or_else(|| self.tasks.pop().map(|Reverse((_, node))| NodeMoment::Start(node)))
    }

    /// Records that others no longer wait for `moment`.
    fn release_after(&mut self, moment: NodeMoment) {
        let nodes = self.nodes;
        let node = &nodes[moment.node().position()];
        match moment {
            NodeMoment::Start(own) => {
                self.release(NodeMoment::End(own));
                for child in &node.children {
                    self.release(NodeMoment::Start(*child));
                }
            }
            NodeMoment::End(own) => {
                if let Some(parent) = node.parent {
                    self.release(NodeMoment::End(parent));
                }
                for dependent in std::mem::take(&mut self.dependents[own.position()]) {
                    self.release(NodeMoment::Start(dependent));
                }
            }
        }
    }

    fn release(&mut self, moment: NodeMoment) {
        let waiting = &mut self.waiting[moment.number()];
        *waiting -= 1;
        if *waiting == 0 {
            self.add(moment);
        }
    }
}

/// The leaves of a sequence: the order in which they are executed.
pub(super) fn leaves(sequence: &[NodeMoment], nodes: &[Node]) -> Vec<NodeIx> {
    let leaf = |moment: &NodeMoment| match moment {
        NodeMoment::Start(node) if nodes[node.position()].is_leaf() => Some(*node),
        _ => None,
    };
    sequence.iter().filter_map(leaf).collect()
}

/// Two nodes of which the first depends on the second, although a leaf of the first precedes a leaf of the second in
/// `order`, which must contain every leaf once. `None` if the order respects all dependencies.
pub(super) fn first_violation(order: &[NodeIx], nodes: &[Node]) -> Option<(NodeIx, NodeIx)> {
    let mut first = vec![usize::MAX; nodes.len()];
    let mut last = vec![0; nodes.len()];
    for (rank, leaf) in order.iter().enumerate() {
        first[leaf.position()] = rank;
        last[leaf.position()] = rank;
    }
    for (own, node) in nodes.iter().enumerate().rev() {
        if let Some(parent) = node.parent {
            first[parent.position()] = first[parent.position()].min(first[own]);
            last[parent.position()] = last[parent.position()].max(last[own]);
        }
    }
    nodes.iter().enumerate().find_map(|(own, node)| {
        let late = |dependency: &&NodeIx| last[dependency.position()] > first[own];
        node.depends_on.iter().find(late).map(|dependency| (NodeIx::new(own), *dependency))
    })
}
