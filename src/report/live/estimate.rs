//! Estimates how long a run will take, from the tasks that it has completed.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::plan::NodeIx;

/// What a run has done and has to do.
#[derive(Debug)]
pub(super) struct Estimate {
    began: Instant,
    open: HashSet<NodeIx>,
    completed: u32,
    /// When the last of them was completed.
    newest: Instant,
}

impl Estimate {
    /// A run that begins now and is to complete these tasks.
    pub(super) fn new(open: impl Iterator<Item = NodeIx>) -> Self {
        let began = Instant::now();
        Self { began, open: open.collect(), completed: 0, newest: began }
    }

    /// How long the run has taken so far.
    pub(super) fn elapsed(&self) -> Duration {
        self.began.elapsed()
    }

    /// A task is complete.
    pub(super) fn finished(&mut self, task: NodeIx) {
        if self.open.remove(&task) {
            self.completed += 1;
            self.newest = Instant::now();
        }
    }

    /// How long the rest will take if a task is completed as often as until now, however many are worked on at the same time; `None` if
    /// none was completed, nothing is left, or it takes longer than that already.
    pub(super) fn left(&self) -> Option<Duration> {
        let each = self.newest.duration_since(self.began).checked_div(self.completed)?;
        let all = each.saturating_mul(u32::try_from(self.open.len()).unwrap_or(u32::MAX));
        Some(all.saturating_sub(self.newest.elapsed())).filter(|left| left.as_secs() > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TaskTree;

    #[test]
    fn the_rest_takes_as_long_as_the_completed_tasks_did_and_an_estimate_that_has_run_out_is_none() {
        let plan =
            serde_json::json!({"nodes": {"a": {"id": "a", "name": "a"}, "b": {"id": "b", "name": "b"}}});
        let tree = TaskTree::from_json(plan.to_string().as_bytes()).unwrap().tree;
        let new = Estimate::new(tree.order().iter().copied());
        assert_eq!(new.left(), None);
        let newest = new.began + Duration::from_secs(20);
        let left =
            |newest| Estimate { completed: 2, newest, ..Estimate::new(tree.order().iter().copied()) }.left();
        let told = Estimate { completed: 2, newest, ..new }.left();
        assert_eq!(told, Some(Duration::from_secs(20)), "two tasks of ten seconds each");
        assert_eq!(left(Instant::now()), None);
    }
}
