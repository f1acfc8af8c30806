//! Orders the tasks of an imported plan. Stated dependencies must be met; those that only follow from the order of the
//! source are dropped where they contradict stated ones.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashSet};

use super::super::formats::{ImportedPlan, SourceNote, Why};
use super::super::problem::circle;
use super::links::NodeLink;
use crate::record::TaskId;

/// The start and the end of every node: `2 * node` and `2 * node + 1`.
type MomentIx = usize;

fn start(node: usize) -> MomentIx {
    2 * node
}

fn end(node: usize) -> MomentIx {
    2 * node + 1
}

/// The nodes in an order in which all stated dependencies are met. Others that this order does not meet are removed from
/// `links`.
pub(super) fn order(
    plan: &ImportedPlan,
    ids: &[TaskId],
    links: &mut [Vec<NodeLink>],
) -> Result<Vec<usize>, SourceNote> {
    let count = plan.nodes.len();
    let mut after: Vec<Vec<MomentIx>> = vec![Vec::new(); 2 * count];
    let mut waits: Vec<u32> = vec![0; 2 * count];
    let mut edge = |from: MomentIx, to: MomentIx| {
        after[from].push(to);
        waits[to] += 1;
    };
    for (at, node) in plan.nodes.iter().enumerate() {
        edge(start(at), end(at));
        if let Some(parent) = node.parent {
            edge(start(parent), start(at));
            edge(end(at), end(parent));
        }
        for link in links[at].iter().filter(|link| link.why == Why::Stated) {
            edge(end(link.on), start(at));
        }
    }
    let (rank, priority) = (ranks(plan), priorities(plan));
    let key = |moment: MomentIx| Reverse((priority[moment], rank[moment], moment));
    let mut ready: BinaryHeap<Reverse<(u32, usize, MomentIx)>> =
        (0..2 * count).filter(|moment| waits[*moment] == 0).map(key).collect();
    let mut position = vec![usize::MAX; 2 * count];
    let mut placed = Vec::with_capacity(count);
    let mut now = 0;
    while let Some(Reverse((_, _, moment))) = ready.pop() {
        position[moment] = now;
        now += 1;
        if moment % 2 == 0 {
            placed.push(moment / 2);
        }
        for next in &after[moment] {
            waits[*next] -= 1;
            if waits[*next] == 0 {
                ready.push(key(*next));
            }
        }
    }
    if now < 2 * count {
        return Err(cycle(plan, ids, links, &position));
    }
    for (at, own) in links.iter_mut().enumerate() {
        own.retain(|link| position[end(link.on)] < position[start(at)]);
    }
    Ok(placed)
}

/// For each start of a task, its priority or that of the nearest node above; 0 for what takes no time, and if no node has one.
fn priorities(plan: &ImportedPlan) -> Vec<u32> {
    let mut of_moments = vec![0; 2 * plan.nodes.len()];
    if plan.nodes.iter().all(|node| node.fields.priority.is_none()) {
        return of_moments;
    }
    let mut of_nodes: Vec<Option<u32>> = Vec::with_capacity(plan.nodes.len());
    for node in &plan.nodes {
        let above = node.parent.and_then(|parent| of_nodes[parent]);
        of_nodes.push(node.fields.priority.or(above));
    }
    let parents: HashSet<usize> = plan.nodes.iter().filter_map(|node| node.parent).collect();
    for (at, priority) in of_nodes.into_iter().enumerate() {
        if !parents.contains(&at) {
            of_moments[start(at)] = priority.unwrap_or(u32::MAX);
        }
    }
    of_moments
}

/// The position of every start and end in a walk through the tree, in the order of the sources.
fn ranks(plan: &ImportedPlan) -> Vec<usize> {
    let count = plan.nodes.len();
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); count];
    let mut open: Vec<MomentIx> = Vec::new();
    for (at, node) in plan.nodes.iter().enumerate().rev() {
        match node.parent {
            Some(parent) => children[parent].push(at),
            None => open.push(start(at)),
        }
    }
    let mut rank = vec![0; 2 * count];
    let mut next = 0;
    while let Some(moment) = open.pop() {
        rank[moment] = next;
        next += 1;
        if moment % 2 == 0 {
            open.push(moment + 1);
            open.extend(children[moment / 2].iter().map(|child| start(*child)));
        }
    }
    rank
}

/// The mistake to report if some moments have no position: they form a cycle.
fn cycle(plan: &ImportedPlan, ids: &[TaskId], links: &[Vec<NodeLink>], position: &[usize]) -> SourceNote {
    let stuck = |moment: &MomentIx| position[*moment] == usize::MAX;
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); plan.nodes.len()];
    for (at, node) in plan.nodes.iter().enumerate() {
        if let Some(parent) = node.parent {
            children[parent].push(at);
        }
    }
    // Returns a moment that must come before this one and is stuck as well.
    let before = |moment: MomentIx| -> MomentIx {
        let at = moment / 2;
        let stated = links[at].iter().filter(|link| link.why == Why::Stated).map(|link| end(link.on));
        let found = if moment == start(at) {
            stated.chain(plan.nodes[at].parent.map(start)).find(stuck)
        } else {
            children[at].iter().map(|child| end(*child)).chain([start(at)]).find(stuck)
        };
        found.expect("what is stuck waits for something that is stuck")
    };
    let mut seen = vec![usize::MAX; position.len()];
    let mut walk = Vec::new();
    let mut moment = (0..position.len()).find(stuck).expect("something is stuck");
    while seen[moment] == usize::MAX {
        seen[moment] = walk.len();
        walk.push(moment);
        moment = before(moment);
    }
    let mut nodes: Vec<usize> = walk[seen[moment]..].iter().map(|moment| moment / 2).collect();
    nodes.dedup();
    if nodes.len() > 1 && nodes.first() == nodes.last() {
        nodes.pop();
    }
    let places = nodes.iter().zip(nodes.iter().cycle().skip(1)).filter_map(|(at, on)| {
        links[*at].iter().find(|link| link.on == *on && link.why == Why::Stated).map(|link| link.place)
    });
    let place = places.min().unwrap_or(plan.nodes[nodes[0]].place);
    let names: Vec<&str> = nodes.iter().map(|node| ids[*node].as_str()).collect();
    let what = format!("the dependencies form a cycle: {}", circle(&names));
    SourceNote::new(place, what, "Remove one of these dependencies.")
}
