//! Orders the commits of a range with children before parents, and collects facts about the descendants of each.

use std::collections::BinaryHeap;

use super::bits::Bits;
use super::graph::{Known, Node};
use super::reachability::Reachability;
use crate::record::CommitId;

/// The commits of a range, children before parents. Among those that could come next, the newest by committer date
/// comes first, then the order of ids decides. This is `git log --date-order`, but deterministic if dates are equal.
pub(super) fn children_first(graph: &Known, range: &Reachability, head: Node) -> Vec<Node> {
    let mut children = children_of(graph, range);
    let key = |node: Node| -> (i64, CommitId, Node) {
        let commit = graph.commit(node);
        (commit.time, commit.id, node)
    };
    let mut order = Vec::new();
    let mut ready = BinaryHeap::new();
    if range.is_inside(head) {
        ready.push(key(head));
    }
    while let Some((_, _, node)) = ready.pop() {
        order.push(node);
        for parent in graph.known_parents(node).filter(|&parent| range.is_inside(parent)) {
            children[parent] -= 1;
            if children[parent] == 0 {
                ready.push(key(parent));
            }
        }
    }
    order
}

/// How many children each commit has in a range.
fn children_of(graph: &Known, range: &Reachability) -> Vec<usize> {
    let mut children = vec![0; graph.len()];
    for node in (0..graph.len()).filter(|&node| range.is_inside(node)) {
        graph.known_parents(node).for_each(|parent| children[parent] += 1);
    }
    children
}

/// Visits the commits of `order` with a set that their descendants have filled. All ancestors of a commit see what its
/// visit adds to the set.
///
/// A set is moved from a commit to its parent and copied only where the history forks, so that there are never more
/// sets than parallel lines of history.
pub(super) fn fold_ancestors(
    graph: &Known,
    range: &Reachability,
    order: &[Node],
    mut visit: impl FnMut(Node, &mut Bits),
) {
    let mut sets: Vec<Option<Bits>> = vec![None; graph.len()];
    for &node in order {
        let mut set = sets[node].take().unwrap_or_default();
        visit(node, &mut set);
        let mut parents = graph.known_parents(node).filter(|&parent| range.is_inside(parent)).peekable();
        while let Some(parent) = parents.next() {
            let given = if parents.peek().is_some() { set.clone() } else { std::mem::take(&mut set) };
            sets[parent] = Some(match sets[parent].take() {
                Some(there) => there.union(given),
                None => given,
            });
        }
    }
}
