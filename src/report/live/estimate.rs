//! Estimates how long a run will take, from the tasks that it has completed.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use crate::plan::{NodeIx, TaskTree};

/// What a run has done and has to do.
#[derive(Debug)]
pub(super) struct Estimate {
    began: Instant,
    open: HashSet<NodeIx>,
    /// How many tasks are worked on at the same time.
    jobs: u32,
    /// The tasks that were begun, and when.
    begun: HashMap<NodeIx, Instant>,
    /// How long the tasks took that were completed, together.
    taken: Duration,
    completed: u32,
}

impl Estimate {
    /// A run that begins now and is to complete these tasks, `jobs` of them at the same time.
    pub(super) fn new(open: Vec<NodeIx>, jobs: u32) -> Self {
        Self {
            began: Instant::now(),
            open: open.into_iter().collect(),
            jobs: jobs.max(1),
            begun: HashMap::new(),
            taken: Duration::ZERO,
            completed: 0,
        }
    }

    /// How long the run has taken so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// A step of a task begins.
    pub(super) fn begins(&mut self, task: NodeIx) {
        self.begun.entry(task).or_insert_with(Instant::now);
    }

    /// A task is complete.
    pub(super) fn finished(&mut self, task: NodeIx) {
        self.open.remove(&task);
        if let Some(began) = self.begun.remove(&task) {
            self.taken += began.elapsed();
            self.completed += 1;
        }
    }

    /// How long the rest will take if its tasks take as long as the completed ones did on average; `None` if none was
    /// completed, nothing is left, or it takes longer than that already. However many tasks are worked on at the same time, those that depend on each other
    /// follow each other.
    pub(super) fn left(&self, tree: &TaskTree) -> Option<Duration> {
        let each = self.taken.checked_div(self.completed)?;
        if self.open.is_empty() {
            return None;
        }
        let rest: HashMap<NodeIx, Duration> =
            self.open.iter().map(|task| (*task, self.rest(*task, each))).collect();
        let all = rest.values().fold(Duration::ZERO, |sum, rest| sum.saturating_add(*rest));
        let left = if self.jobs == 1 { all } else { longest_chain(tree, &rest).max(all / self.jobs) };
        Some(left).filter(|left| left.as_secs() > 0)
    }

    fn rest(&self, task: NodeIx, each: Duration) -> Duration {
        let done = self.begun.get(&task).map_or(Duration::ZERO, Instant::elapsed);
        each.saturating_sub(done)
    }
}

/// How long the tasks take that follow each other, where that is longest.
fn longest_chain(tree: &TaskTree, rest: &HashMap<NodeIx, Duration>) -> Duration {
    // When everything below a node has ended.
    let mut ends: HashMap<NodeIx, Duration> = HashMap::new();
    for task in tree.order() {
        let before = tree.dependencies(*task).into_iter().filter_map(|node| ends.get(&node).copied()).max();
        let own = rest.get(task).copied().unwrap_or_default();
        let end = before.unwrap_or_default().saturating_add(own);
        for node in std::iter::once(*task).chain(tree.ancestors(*task)) {
            let latest = ends.entry(node).or_default();
            *latest = end.max(*latest);
        }
    }
    ends.into_values().max().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The seconds that are left of a plan, if each of its tasks takes ten.
    fn left(plan: &serde_json::Value, jobs: u32) -> u64 {
        let tree = TaskTree::from_json(plan.to_string().as_bytes()).unwrap().tree;
        let estimate = Estimate {
            taken: Duration::from_secs(20),
            completed: 2,
            ..Estimate::new(tree.order().to_vec(), jobs)
        };
        estimate.left(&tree).unwrap().as_secs()
    }

    #[test]
    fn an_estimate_that_has_run_out_is_none() {
        let plan = serde_json::json!({"nodes": {"a": {"id": "a", "name": "a"}}});
        let tree = TaskTree::from_json(plan.to_string().as_bytes()).unwrap().tree;
        let mut estimate = Estimate {
            taken: Duration::from_millis(500),
            completed: 1,
            ..Estimate::new(tree.order().to_vec(), 1)
        };
        assert_eq!(estimate.left(&tree), None);
        estimate.taken = Duration::from_secs(9);
        assert_eq!(estimate.left(&tree), Some(Duration::from_secs(9)));
    }

    #[test]
    fn tasks_at_the_same_time_take_as_long_as_those_that_follow_each_other() {
        let apart = serde_json::json!({"nodes": {"a": {"id": "a", "name": "a"}, "b": {"id": "b", "name": "b"}, "c": {"id": "c", "name": "c"}}});
        assert_eq!((left(&apart, 1), left(&apart, 2), left(&apart, 8)), (30, 15, 10));
        let chain = serde_json::json!({"nodes": {
            "a": {"id": "a", "name": "a"}, "b": {"id": "b", "name": "b", "depends_on": ["a"]}, "c": {"id": "c", "name": "c", "depends_on": ["b"]},
        }});
        assert_eq!((left(&chain, 1), left(&chain, 8)), (30, 30));
    }
}
