//! The commits of a range with children before parents, and what each of them has among its descendants.

use std::collections::BinaryHeap;

use super::bits::Bits;
use super::graph::{Annotate, Graph, Node};
use super::reachability::Reachability;
use crate::record::CommitId;

/// The commits of a range, children before their parents; among those that could come next the newest by
/// committer date, then by id: `git log --date-order`, without its dependence on chance where dates are equal.
pub(super) fn children_first<A: Annotate>(
    graph: &Graph<'_, A>,
    range: &Reachability,
    head: Node,
) -> Vec<Node> {
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
fn children_of<A: Annotate>(graph: &Graph<'_, A>, range: &Reachability) -> Vec<usize> {
    let mut children = vec![0; graph.len()];
    for node in (0..graph.len()).filter(|&node| range.is_inside(node)) {
        graph.known_parents(node).for_each(|parent| children[parent] += 1);
    }
    children
}

/// Visits the commits of `order` with the set of what was entered for their descendants. What a visit enters is seen
/// by all ancestors of the commit.
///
/// A set is moved from a commit to its parent and copied only where the history forks, so that there are never more
/// sets than lines of history side by side.
pub(super) fn fold_ancestors<A: Annotate>(
    graph: &Graph<'_, A>,
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
