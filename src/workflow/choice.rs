//! Decides which tasks begin next, from facts alone.

use crate::plan::{NodeIx, TaskTree};

/// What is known when a slot is free.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SlotChoice<'a> {
    /// The plan.
    pub(crate) tree: &'a TaskTree,
    /// The tasks that can be worked on, in the order of the plan.
    pub(crate) ready: &'a [NodeIx],
    /// The tasks at work.
    pub(crate) running: &'a [NodeIx],
    /// The task that is merged before all others, because they were merged before it twice.
    pub(crate) first: Option<NodeIx>,
    /// The tasks that wait until that one is merged, to be the next of this kind.
    pub(crate) waiting: &'a [NodeIx],
}

impl SlotChoice<'_> {
    /// The next task to begin; `None` if none may begin before one of those at work has ended.
    pub(crate) fn next(&self) -> Option<NodeIx> {
        let first = self.first.filter(|first| self.ready.contains(first));
        if let Some(first) = first.filter(|first| self.fits(*first)) {
            return Some(first);
        }
        // Otherwise one after the other could keep it from beginning.
        let is_beside =
            |leaf: &NodeIx| first.is_none_or(|first| *leaf != first && !self.overlap(*leaf, first));
        self.all().find(is_beside)
    }

    /// Each task that may begin now, if no other one does, in the order of the plan.
    pub(crate) fn all(&self) -> impl Iterator<Item = NodeIx> {
        let ready = self.ready.iter().copied().filter(|leaf| !self.waiting.contains(leaf));
        ready.filter(|leaf| self.fits(*leaf))
    }

    /// Whether a task changes no file that another one at work may change too, as far as the plan says.
    fn fits(&self, leaf: NodeIx) -> bool {
        self.running.iter().all(|other| *other == leaf || !self.overlap(leaf, *other))
    }

    /// Whether two tasks may change the same file, as far as the plan says. They are never worked on at the same time then.
    fn overlap(&self, one: NodeIx, other: NodeIx) -> bool {
        let others = self.tree.touches(other);
        self.tree.touches(one).iter().any(|own| others.iter().any(|other| own.may_overlap(other)))
    }
}

/// The tasks that begin at once if up to `jobs` are worked on at the same time and nothing is at work yet. `ready` are those
/// that can be worked on, in the order of the plan.
#[must_use]
pub fn first_to_begin(tree: &TaskTree, ready: &[NodeIx], jobs: usize) -> Vec<NodeIx> {
    let (mut left, mut running) = (ready.to_vec(), Vec::new());
    while running.len() < jobs {
        let choice = SlotChoice { tree, ready: &left, running: &running, first: None, waiting: &[] };
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

    fn next(running: &[&str], ready: &[&str], overtaken: &[&str]) -> Option<String> {
        let tree = tree();
        let of = |ids: &[&str]| ids.iter().map(|id| tree.find(id).unwrap()).collect::<Vec<_>>();
        let (ready, running, overtaken) = (of(ready), of(running), of(overtaken));
        let (first, waiting) = (overtaken.first().copied(), overtaken.get(1..).unwrap_or_default());
        let choice = SlotChoice { tree: &tree, ready: &ready, running: &running, first, waiting };
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
    fn a_task_that_was_overtaken_twice_begins_before_all_others() {
        assert_eq!(next(&[], &["a", "c"], &["c"]).as_deref(), Some("c"));
        assert_eq!(next(&["c"], &["a", "d"], &["d"]).as_deref(), Some("d"), "others work meanwhile");
        assert_eq!(next(&["b"], &["a", "c"], &["a"]).as_deref(), Some("c"), "it waits for what it overlaps");
        assert_eq!(next(&["d"], &["b", "c"], &["a"]).as_deref(), Some("b"), "it is at work or not ready");
        assert_eq!(next(&["c"], &["d"], &["a", "d"]), None, "the next one waits until it is merged");
    }
}
