//! How the phases of a plan depend on each other through their tasks.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::TaskTree;
use super::node_ix::NodeIx;
use super::order::{Moments, NodeMoment};

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
    pub fn phases_in_order(&self) -> Vec<NodeIx> {
        let mut seen = HashSet::new();
        let mut by_task: Vec<NodeIx> = self.order().iter().map(|leaf| self.phase_of(*leaf)).collect();
        by_task.retain(|phase| seen.insert(*phase));
        match self.phase_moments(&by_task).sequence(|_| 0) {
            Ok(sequence) => {
                let start = |moment: NodeMoment| match moment {
                    NodeMoment::Start(phase) => Some(by_task[phase.position()]),
                    NodeMoment::End(_) => None,
                };
                sequence.into_iter().filter_map(start).collect()
            }
            Err(_) => by_task,
        }
    }

    /// A shortest cycle of phases that depend on each other, as the dependencies that form it; `None` if there is none.
    /// Within a phase, tasks may depend on each other as they like, so a valid plan may have such a cycle.
    pub fn phase_cycle(&self) -> Option<Vec<PhaseLink>> {
        let moments = self.phase_moments(&self.roots);
        let placed = moments.sequence(|_| 0).err()?;
        let cycle = moments.cycles(&placed).into_iter().min_by_key(Vec::len)?;
        let links = self.phase_links();
        let phase = |ix: &NodeIx| self.roots[ix.position()];
        let steps = cycle.iter().zip(cycle.iter().cycle().skip(1));
        Some(steps.map(|(own, other)| links[&phase(own)][&phase(other)]).collect())
    }

    /// The moments of these phases, which are all, by their places in the list.
    fn phase_moments(&self, phases: &[NodeIx]) -> Moments {
        let links = self.phase_links();
        let place: HashMap<NodeIx, NodeIx> =
            phases.iter().enumerate().map(|(at, phase)| (*phase, NodeIx::new(at))).collect();
        let needs =
            |phase| links.get(phase).into_iter().flat_map(BTreeMap::keys).map(|on| place[on]).collect();
        let needs: Vec<Vec<NodeIx>> = phases.iter().map(needs).collect();
        Moments::new(needs.iter().map(|needs| (None, needs.as_slice())))
    }
}
