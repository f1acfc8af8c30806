//! Finds the start of a run in a history with merges, as `git log -- <path>` would name it.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::graph::{Annotate, Graph, Node};
use super::path::{Lookup, RepoPath};
use super::source::shallow_cut;
use crate::error::Result;

/// The first commit of `git log -- <path>` from `head` that is no step commit.
///
/// git's rules for a history limited to a path: of a merge that agrees with one of its parents at the path only the
/// first such parent is followed, and commits that agree with a parent are left out. Only below a merge that agrees
/// with none do several lines go on, newest committer date first.
pub(super) fn find_anchor<A: Annotate>(
    graph: &mut Graph<'_, A>,
    head: Node,
    path: &RepoPath,
) -> Result<Option<Node>> {
    let mut lookup = Lookup::new(path);
    let mut queue = BinaryHeap::from([(graph.commit(head).time, Reverse(0), head)]);
    let mut queued = HashSet::from([head]);
    while let Some((_, _, node)) = queue.pop() {
        if graph.commit(node).is_cut {
            return Err(shallow_cut(&graph.commit(node).id));
        }
        let parents = graph.parents(node)?;
        let next = match unchanged_from(graph, &mut lookup, node, &parents)? {
            Verdict::Same(parent) => vec![parent],
            Verdict::Changed if !graph.carries_step(node)? => return Ok(Some(node)),
            Verdict::Changed | Verdict::Absent => parents,
        };
        for parent in next {
            if queued.insert(parent) {
                queue.push((graph.commit(parent).time, Reverse(queued.len()), parent));
            }
        }
    }
    Ok(None)
}

/// What a commit did at a path.
enum Verdict {
    /// Nothing, seen from this parent.
    Same(Node),
    /// A root commit without the path.
    Absent,
    /// It differs from all its parents there.
    Changed,
}

fn unchanged_from<A: Annotate>(
    graph: &mut Graph<'_, A>,
    lookup: &mut Lookup<'_>,
    node: Node,
    parents: &[Node],
) -> Result<Verdict> {
    // Whatever a step commit did there, it is left out: with one parent there is nothing to decide.
    if let (&[parent], true) = (parents, A::is_step(&graph.commit(node).note)) {
        return Ok(Verdict::Same(parent));
    }
    let tree = graph.commit(node).tree;
    if let Some(&first) = parents.first()
        && graph.commit(first).tree == tree
    {
        return Ok(Verdict::Same(first));
    }
    let entry = lookup.entry(graph.source, tree)?;
    for &parent in parents {
        let tree = graph.commit(parent).tree;
        if lookup.entry(graph.source, tree)? == entry {
            return Ok(Verdict::Same(parent));
        }
    }
    Ok(if parents.is_empty() && entry.is_none() { Verdict::Absent } else { Verdict::Changed })
}
