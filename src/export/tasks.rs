//! The tasks that get a job of their own: those that are open, with the open tasks on which each of them waits.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::plan::{NodeIx, Readiness, TaskTree, TreeReadiness};

/// The open tasks of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OpenTasks {
    /// Those that can be worked on now or later, each after everything on which it waits.
    pub(crate) tasks: Vec<DagTask>,
    /// Those that have failed, and those that wait for them.
    pub(crate) stuck: Vec<String>,
}

/// A task that gets a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct DagTask {
    pub(crate) id: String,
    /// The places of the tasks on which it waits, among the open tasks. Those that another one of them waits for are left
    /// out.
    pub(crate) needs: Vec<usize>,
}

impl OpenTasks {
    /// The open tasks of a tree. A dependency on a phase is one on every task of it, and a task waits for what the phases
    /// around it wait for.
    pub(crate) fn of(tree: &TaskTree, readiness: &TreeReadiness<'_>) -> Self {
        let mut open = Self::default();
        let mut place: HashMap<NodeIx, usize> = HashMap::new();
        // For each open task, everything on which it waits, directly or indirectly.
        let mut behind: Vec<HashSet<usize>> = Vec::new();
        for leaf in tree.order() {
            let id = tree.node(*leaf).id.to_string();
            match readiness.of(*leaf) {
                Readiness::Done => continue,
                Readiness::Failed | Readiness::Blocked => {
                    open.stuck.push(id);
                    continue;
                }
                Readiness::Waiting | Readiness::Held | Readiness::Asked | Readiness::Ready => {}
            }
            let below = tree.dependencies(*leaf).into_iter().flat_map(|on| tree.leaves_below(on));
            let waits: BTreeSet<usize> = below.filter_map(|task| place.get(&task).copied()).collect();
            let mut all = HashSet::new();
            let mut needs = Vec::new();
            // The later one of two tasks cannot be behind the earlier one.
            for at in waits.into_iter().rev() {
                if all.insert(at) {
                    needs.push(at);
                    all.extend(&behind[at]);
                }
            }
            needs.reverse();
            place.insert(*leaf, open.tasks.len());
            behind.push(all);
            open.tasks.push(DagTask { id, needs });
        }
        open
    }
}
