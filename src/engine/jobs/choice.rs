//! Decides which tasks begin next, from facts alone.

use std::collections::HashSet;

use crate::plan::{NodeIx, TaskTree};

/// What is known when a slot is free.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<'a> {
    /// The plan.
    pub(super) tree: &'a TaskTree,
    /// The tasks that can be worked on, in the order of the plan. None of them is at work.
    pub(super) ready: &'a [NodeIx],
    /// The tasks at work.
    pub(super) running: &'a [NodeIx],
    /// The tasks that work only while nothing else does, because merging them has failed more than once.
    pub(super) alone: &'a HashSet<NodeIx>,
}

impl Choice<'_> {
    /// The next task to begin; `None` if none may begin before one of those at work has ended.
    pub(super) fn next(&self) -> Option<NodeIx> {
        if self.running.iter().any(|leaf| self.alone.contains(leaf)) {
            return None;
        }
        let others = self.ready.iter().copied().filter(|leaf| !self.alone.contains(leaf));
        let next = others.into_iter().find(|leaf| self.fits(*leaf));
        next.or_else(|| self.ready.first().copied().filter(|_| self.running.is_empty()))
    }

    /// Whether a task changes no file that one at work may change too, as far as the plan says.
    fn fits(&self, leaf: NodeIx) -> bool {
        let own = self.tree.touches(leaf);
        self.running.iter().all(|other| {
            let others = self.tree.touches(*other);
            own.iter().all(|own| others.iter().all(|other| !own.may_overlap(other)))
        })
    }
}

/// The tasks that begin at once if up to `jobs` are worked on at the same time and nothing is at work yet. `ready` are those
/// that can be worked on, in the order of the plan.
#[must_use]
pub fn first_to_begin(tree: &TaskTree, ready: &[NodeIx], jobs: usize) -> Vec<NodeIx> {
    let (mut left, mut running, alone) = (ready.to_vec(), Vec::new(), HashSet::new());
    while running.len() < jobs {
        let choice = Choice { tree, ready: &left, running: &running, alone: &alone };
        let Some(next) = choice.next() else { break };
        left.retain(|leaf| *leaf != next);
        running.push(next);
    }
    running
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree() -> TaskTree {
        let node = |id: &str, touches: &str| serde_json::json!({"id": id, "name": id, "touches": if touches.is_empty() { vec![] } else { vec![touches] }});
        let nodes = serde_json::json!({"nodes": {
            "a": node("a", "src/a.rs"), "b": node("b", "src"), "c": node("c", "docs"), "d": node("d", ""),
        }});
        TaskTree::from_json(nodes.to_string().as_bytes()).unwrap().tree
    }

    fn next(running: &[&str], ready: &[&str], alone: &[&str]) -> Option<String> {
        let tree = tree();
        let of = |ids: &[&str]| ids.iter().map(|id| tree.find(id).unwrap()).collect::<Vec<_>>();
        let (ready, running, alone) = (of(ready), of(running), of(alone).into_iter().collect());
        let choice = Choice { tree: &tree, ready: &ready, running: &running, alone: &alone };
        choice.next().map(|leaf| tree.node(leaf).id.to_string())
    }

    #[test]
    fn tasks_begin_in_the_order_of_the_plan_but_never_two_that_touch_the_same_files() {
        assert_eq!(next(&[], &["a", "b"], &[]).as_deref(), Some("a"));
        assert_eq!(next(&["a"], &["b", "c"], &[]).as_deref(), Some("c"), "b waits for a");
        assert_eq!(
            next(&["a", "c"], &["b", "d"], &[]).as_deref(),
            Some("d"),
            "d says nothing about its files"
        );
        assert_eq!(next(&["a"], &["b"], &[]), None);
        assert_eq!(next(&[], &[], &[]), None);
    }

    #[test]
    fn a_task_whose_merge_failed_twice_begins_when_nothing_else_does() {
        assert_eq!(next(&[], &["a", "c"], &["a"]).as_deref(), Some("c"));
        assert_eq!(next(&["c"], &["a"], &["a"]), None);
        assert_eq!(next(&[], &["a"], &["a"]).as_deref(), Some("a"));
        assert_eq!(next(&["a"], &["c"], &["a"]), None, "and nothing begins beside it");
    }
}
