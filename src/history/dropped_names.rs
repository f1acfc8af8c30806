//! Finds out which work under another name a merge has dropped.
//!
//! If a plan gives a task another name, and work is done under it, then earlier work does not count any more, even if the
//! task gets its old name back. But if this happened on a branch, and the merge kept the name that the task has on another
//! parent, then the other name never came to the run, and that work takes nothing back.

use std::collections::HashMap;

use super::bits::Bits;
use super::graph::{Known, Node};
use super::plan_version::PlanVersion;
use super::run_begin::PlanVersions;

/// The commits whose work was not dropped by a merge, for each task for which this was asked.
pub(super) struct DroppedNames<'r> {
    versions: &'r PlanVersions,
    head: Option<Node>,
    known: HashMap<String, Bits>,
}

impl<'r> DroppedNames<'r> {
    /// For a range with this order of commits, children before parents.
    pub(super) fn new(versions: &'r PlanVersions, order: &[Node]) -> Self {
        Self { versions, head: order.first().copied(), known: HashMap::new() }
    }

    /// Whether the work of this commit on the task was dropped.
    pub(super) fn contain(&mut self, graph: &Known, node: Node, task: &str) -> bool {
        if !self.versions.has_merged_versions() {
            return false;
        }
        if !self.known.contains_key(task) {
            let taken = self.taken(graph, task);
            self.known.insert(task.to_owned(), taken);
        }
        !self.known[task].contains(node)
    }

    /// The commits to which a line of commits leads from the head on which no merge dropped the name of the task.
    fn taken(&self, graph: &Known, task: &str) -> Bits {
        let mut taken = Bits::default();
        let mut seen: HashMap<Node, Vec<PlanVersion>> = HashMap::new();
        let mut open: Vec<(Node, PlanVersion)> =
            self.head.map(|head| (head, self.versions.at_head().clone())).into_iter().collect();
        while let Some((node, here)) = open.pop() {
            let known = seen.entry(node).or_default();
            if known.iter().any(|known| known.is_same(&here)) {
                continue;
            }
            known.push(here.clone());
            taken.insert(node);
            let on = self.versions.at_parents(graph, node, &here);
            let name = here.name(task);
            let keeps = |on: &PlanVersion| on.name(task) == name;
            let is_kept = on.iter().any(|(_, on)| keeps(on));
            open.extend(on.into_iter().filter(|(_, on)| !is_kept || keeps(on)));
        }
        taken
    }
}
