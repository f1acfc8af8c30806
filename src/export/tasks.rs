//! The tasks that get a job of their own: those that are open, with the open tasks on which each of them waits.

use std::collections::HashMap;

use crate::plan::{NodeIx, Readiness, TaskTree, TreeReadiness};

/// The open tasks of a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenTasks {
    /// Those that can be worked on now or later, each after everything on which it waits.
    pub tasks: Vec<DagTask>,
    /// Those that have failed, and those that wait for them.
    pub stuck: Vec<String>,
}

/// A task that gets a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DagTask {
    /// Its id.
    pub id: String,
    /// The places of the tasks on which it waits, among the open tasks. Those that another one of them waits for are left
    /// out.
    pub needs: Vec<usize>,
}

impl OpenTasks {
    /// The open tasks of a tree. A dependency on a phase is one on every task of it, and a task waits for what the phases
    /// around it wait for.
    #[must_use]
    pub fn of(tree: &TaskTree, readiness: &TreeReadiness<'_>) -> Self {
        let mut open = Self::default();
        let mut place: HashMap<NodeIx, usize> = HashMap::new();
        // For each open task, everything on which it waits, directly or indirectly.
        let mut behind: Vec<PlaceSet> = Vec::new();
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
            let mut waits = PlaceSet::default();
            for dependency in tree.dependencies(*leaf) {
                let below = tree.leaves_below(dependency).filter_map(|task| place.get(&task));
                below.for_each(|at| waits.insert(*at));
            }
            let mut all = PlaceSet::default();
            let mut needs = Vec::new();
            // The later one of two tasks cannot be behind the earlier one.
            for at in waits.descending() {
                if !all.contains(at) {
                    needs.push(at);
                    all.insert(at);
                    all.merge(&behind[at]);
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

/// A set of places.
#[derive(Clone, Debug, Default)]
struct PlaceSet(Vec<u64>);

impl PlaceSet {
    fn insert(&mut self, at: usize) {
        if self.0.len() <= at / 64 {
            self.0.resize(at / 64 + 1, 0);
        }
        self.0[at / 64] |= 1 << (at % 64);
    }

    fn contains(&self, at: usize) -> bool {
        self.0.get(at / 64).is_some_and(|word| word & (1 << (at % 64)) != 0)
    }

    fn merge(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, word) in self.0.iter_mut().zip(&other.0) {
            *own |= word;
        }
    }

    fn descending(&self) -> impl Iterator<Item = usize> {
        let words = self.0.iter().copied().enumerate().rev();
        words.flat_map(|(at, word)| {
            (0..64).rev().filter(move |bit| word & (1 << bit) != 0).map(move |bit| at * 64 + bit)
        })
    }
}
