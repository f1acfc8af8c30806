//! Puts the nodes into their final places, depth first, and removes dependencies that could never be met.

use super::draft::DraftNode;
use super::index::Pos;
use super::links::Links;
use super::node::Node;
use super::node_ix::NodeIx;
use super::notes::Notes;

/// The nodes of a draft in their final places.
pub(super) struct Assembled {
    pub(super) nodes: Vec<Node>,
    pub(super) roots: Vec<NodeIx>,
    /// For each node, the byte positions of its `depends_on` entries, in the same order.
    positions: Vec<Vec<usize>>,
}

impl Assembled {
    /// Links the nodes for good. A node that depends on itself, on one of its parents or on a part of itself is a
    /// problem.
    pub(super) fn new(drafts: Vec<DraftNode<'_>>, links: &Links, notes: &mut Notes<'_>) -> Self {
        let order = depth_first(links);
        let mut place = vec![NodeIx::new(0); order.len()];
        for (at, pos) in order.iter().enumerate() {
            place[*pos] = NodeIx::new(at);
        }
        let mut drafts: Vec<Option<Node>> = drafts.into_iter().map(|draft| Some(draft.node)).collect();
        let mut nodes: Vec<Node> = order.iter().filter_map(|pos| drafts[*pos].take()).collect();
        for (node, pos) in nodes.iter_mut().zip(&order) {
            node.children = links.children[*pos].iter().map(|child| place[*child]).collect();
        }
        set_shape(&mut nodes);
        let mut positions = vec![Vec::new(); nodes.len()];
        for (own, pos) in order.iter().enumerate() {
            for (dependency, at) in &links.depends_on[*pos] {
                let dependency = place[*dependency];
                if let Some((what, remedy)) = fault(&nodes, NodeIx::new(own), dependency) {
                    notes.problem(*at, format!("{} depends on {what}", nodes[own].noun()), remedy);
                } else {
                    nodes[own].depends_on.push(dependency);
                    positions[own].push(*at);
                }
            }
        }
        let roots = links.roots.iter().map(|pos| place[*pos]).collect();
        Self { nodes, roots, positions }
    }

    /// The byte at which the file says that the first depends on the second, if it says so.
    pub(super) fn position_of(&self, own: NodeIx, dependency: NodeIx) -> Option<usize> {
        let own = own.position();
        let nth = self.nodes[own].depends_on.iter().position(|known| *known == dependency)?;
        self.positions[own].get(nth).copied()
    }
}

/// All positions, parents before children. This does not recurse, because a forest may be as deep as it has nodes.
fn depth_first(links: &Links) -> Vec<Pos> {
    let mut order = Vec::with_capacity(links.children.len());
    let mut open: Vec<Pos> = links.roots.iter().rev().copied().collect();
    while let Some(pos) = open.pop() {
        order.push(pos);
        open.extend(links.children[pos].iter().rev());
    }
    order
}

/// Sets parent, depth and end of all nodes from their children.
fn set_shape(nodes: &mut [Node]) {
    for own in 0..nodes.len() {
        let depth = nodes[own].depth + 1;
        for child in nodes[own].children.clone() {
            nodes[child.position()].parent = Some(NodeIx::new(own));
            nodes[child.position()].depth = depth;
        }
    }
    for own in (0..nodes.len()).rev() {
        let last = nodes[own].children.last();
        nodes[own].end = last.map_or(NodeIx::new(own + 1), |last| nodes[last.position()].end);
    }
}

/// Why `own` can never wait for `dependency`, in words that follow "depends on", and the remedy; `None` if it can.
fn fault(nodes: &[Node], own: NodeIx, dependency: NodeIx) -> Option<(String, String)> {
    let (node, other) = (&nodes[own.position()], &nodes[dependency.position()]);
    let remove = "Remove it from depends_on.".to_owned();
    if own == dependency {
        Some(("itself".to_owned(), remove))
    } else if node.is_above(own, dependency) {
        Some((format!("{}, which is part of it", other.id), remove))
    } else if other.is_above(dependency, own) {
        let remedy =
            format!("Name the tasks inside {} that it waits for, or remove it from depends_on.", other.id);
        Some((format!("{}, which it is part of", other.id), remedy))
    } else {
        None
    }
}
