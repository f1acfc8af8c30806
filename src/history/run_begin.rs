//! Finds the start of a run in a history with merges.

use super::graph::{Graph, Known, Node};
use super::plan_tracker::PlanTracker;
use super::plan_version::PlanVersion;
use super::source::shallow_cut;
use crate::error::Result;

fn carries_step(graph: &Known, node: Node) -> bool {
    graph.said(node).is_some_and(|said| said.text.carries_step)
}

/// The commit that begins the run. From each commit, the walk goes to the first parent that belongs to the same run.
/// The commit at which there is no such parent begins the run.
pub(super) fn find_anchor(graph: &mut Graph<'_>, tracker: &PlanTracker, head: Node) -> Result<Option<Node>> {
    let (mut node, mut version) = (head, tracker.head.clone());
    loop {
        if graph.commit(node).is_cut {
            return Err(shallow_cut(&graph.commit(node).id));
        }
        let parents = graph.parents(node)?.to_vec();
        if parents.is_empty() {
            let tree = graph.commit(node).tree;
            let adds = graph.file(&version.path, tree)?.is_some() && !carries_step(graph, node);
            return Ok(adds.then_some(node));
        }
        // Usually the first parent of a merge has the same plan, so the others need not be looked at.
        if let [first, _, ..] = parents[..]
            && tracker.version_at_parent(graph, &version, node, first)?.is_some_and(|on| on.is_same(&version))
        {
            node = first;
            continue;
        }
        let on = versions_at_parents(graph, tracker, node, &version)?;
        match parents.into_iter().zip(on).find_map(|(parent, on)| Some((parent, on?))) {
            Some(next) => (node, version) = next,
            None => return Ok(Some(node)),
        }
    }
}

/// The version of the plan at each parent of a commit, whose parents were read; `None` for a parent that belongs to an
/// earlier run.
///
/// A step never begins a run, even if it changed the tree file: it counts as having left the plan alone. If it is a merge none of
/// whose parents belongs to the run, its first parent counts as belonging to it.
pub(super) fn versions_at_parents(
    graph: &mut Graph<'_>,
    tracker: &PlanTracker,
    node: Node,
    version: &PlanVersion,
) -> Result<Vec<Option<PlanVersion>>> {
    let parents: Vec<Node> = graph.known_parents(node).collect();
    let is_step = carries_step(graph, node);
    if is_step && parents.len() == 1 {
        return Ok(vec![Some(version.clone())]);
    }
    let mut on = Vec::with_capacity(parents.len());
    for parent in parents {
        on.push(tracker.version_at_parent(graph, version, node, parent)?);
    }
    if is_step
        && on.iter().all(Option::is_none)
        && let Some(first) = on.first_mut()
    {
        *first = Some(version.clone());
    }
    Ok(on)
}
