//! How the phases of a plan depend on each other through their tasks.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};

use super::TaskTree;
use super::node_ix::NodeIx;

/// A dependency between nodes of two phases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PhaseLink {
    /// The node that depends on the other.
    pub own: NodeIx,
    /// The node on which it depends.
    pub dependency: NodeIx,
}

impl TaskTree {
    /// The phases on which each phase depends, and for each of these one dependency that says so.
    #[must_use]
    pub fn phase_links(&self) -> BTreeMap<NodeIx, BTreeMap<NodeIx, PhaseLink>> {
        let mut links: BTreeMap<NodeIx, BTreeMap<NodeIx, PhaseLink>> = BTreeMap::new();
        for (own, node) in self.nodes() {
            let phase = self.phase_of(own);
            for dependency in &node.depends_on {
                let other = self.phase_of(*dependency);
                if other != phase {
                    let link = PhaseLink { own, dependency: *dependency };
                    links.entry(phase).or_default().entry(other).or_insert(link);
                }
            }
        }
        links
    }

    /// The phases, each after those on which it depends, as far as there is no cycle. Among those that could come next, the
    /// one whose first task comes first does.
    #[must_use]
    pub fn phases_in_order(&self) -> Vec<NodeIx> {
        let links = self.phase_links();
        let mut seen = HashSet::new();
        let mut left: Vec<NodeIx> = self.order().iter().map(|leaf| self.phase_of(*leaf)).collect();
        left.retain(|phase| seen.insert(*phase));
        let mut placed = HashSet::new();
        let mut order = Vec::with_capacity(left.len());
        let is_free = |phase: &NodeIx, placed: &HashSet<NodeIx>| {
            links.get(phase).is_none_or(|others| others.keys().all(|other| placed.contains(other)))
        };
        while let Some(at) = left.iter().position(|phase| is_free(phase, &placed)) {
            let phase = left.remove(at);
            placed.insert(phase);
            order.push(phase);
        }
        order.extend(left);
        order
    }

    /// A shortest cycle of phases that depend on each other, as the dependencies that form it; `None` if there is none.
    /// Within a phase, tasks may depend on each other as they like, so a valid plan may have such a cycle.
    #[must_use]
    pub fn phase_cycle(&self) -> Option<Vec<PhaseLink>> {
        let links = self.phase_links();
        let cycles = links.keys().filter_map(|phase| cycle_through(&links, *phase));
        cycles.min_by_key(Vec::len)
    }
}

fn cycle_through(
    links: &BTreeMap<NodeIx, BTreeMap<NodeIx, PhaseLink>>,
    start: NodeIx,
) -> Option<Vec<PhaseLink>> {
    let mut came_by: HashMap<NodeIx, (NodeIx, PhaseLink)> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(here) = queue.pop_front() {
        for (next, link) in links.get(&here).into_iter().flatten() {
            if *next == start {
                let mut cycle = vec![*link];
                let mut at = here;
                while let Some((before, link)) = came_by.get(&at) {
                    cycle.push(*link);
                    at = *before;
                }
                cycle.reverse();
                return Some(cycle);
            }
            came_by.entry(*next).or_insert_with(|| {
                queue.push_back(*next);
                (here, *link)
            });
        }
    }
    None
}
