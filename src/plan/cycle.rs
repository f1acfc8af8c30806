//! Finds short cycles of dependencies, so that a person can see which one to remove.

use std::collections::{HashMap, HashSet, VecDeque};

use super::node_ix::NodeIx;
use super::order::{Moments, NodeMoment};
use super::problem::circle;

/// How many moments may be visited in search of a shorter cycle, once one is found.
const SEARCH_LIMIT: usize = 100_000;

/// How many steps between a node and one of its parents, or back, a message about a cycle explains.
const MOST_EXPLAINED: usize = 4;

/// What is wrong with the dependencies of nodes that form a cycle.
pub(super) fn told<'i>(
    cycle: &[NodeIx],
    id: impl Fn(NodeIx) -> &'i str,
    parent: impl Fn(NodeIx) -> Option<NodeIx>,
) -> String {
    let steps = cycle.iter().copied().zip(cycle.iter().copied().cycle().skip(1));
    let part = |(here, next)| match (parent(here), parent(next)) {
        (Some(above), _) if above == next => Some(format!("{} is part of {}", id(here), id(next))),
        (_, Some(above)) if above == here => Some(format!("{} is part of {}", id(next), id(here))),
        _ => None,
    };
    let mut parts: Vec<String> = steps.filter_map(part).take(MOST_EXPLAINED).collect();
    parts.dedup();
    let parts = if parts.is_empty() { String::new() } else { format!(" ({})", parts.join(", ")) };
    let ids: Vec<&str> = cycle.iter().map(|ix| id(*ix)).collect();
    format!("the dependencies form a cycle: {}{parts}", circle(&ids))
}

impl Moments {
    /// Short cycles that have no node in common: in each, every node waits for the next one, and the last for the first. `placed` says
    /// for each moment whether it is certainly not in a cycle.
    ///
    /// The first is the shortest of all, unless the search reaches its limit.
    pub(super) fn cycles(&self, placed: &[bool]) -> Vec<Vec<NodeIx>> {
        // What no moment of a cycle waits for is in none: it is placed if time runs backwards.
        let backwards = Self { before: self.after.clone(), after: self.before.clone() };
        let is_last = backwards.sequence(|_| 0).err().unwrap_or_default();
        let is_in = |moment: &&NodeMoment| !placed[moment.number()] && !is_last[moment.number()];
        let mut found = Vec::new();
        let mut looked_at = 0;
        for start in (0..placed.len()).map(NodeMoment::of_number).filter(|start| is_in(&start)) {
            let mut needs = self.before[start.number()].iter().filter(is_in);
            let depends = needs.any(|on| matches!((start, on), (NodeMoment::Start(_), NodeMoment::End(_))));
            if depends && looked_at <= SEARCH_LIMIT {
                found.extend(self.cycle_through(start, is_in, &mut looked_at));
            }
        }
        found.sort_by_key(Vec::len);
        let mut seen = HashSet::new();
        found.retain(|cycle| {
            let is_apart = cycle.iter().all(|ix| !seen.contains(ix));
            seen.extend(cycle.iter().copied().filter(|_| is_apart));
            is_apart
        });
        found
    }

    /// The shortest cycle through `start`, breadth first, as nodes without duplicates that begin with the first leaf.
    fn cycle_through(
        &self,
        start: NodeMoment,
        inside: impl Fn(&&NodeMoment) -> bool,
        looked_at: &mut usize,
    ) -> Option<Vec<NodeIx>> {
        let mut came_from: HashMap<NodeMoment, NodeMoment> = HashMap::new();
        let mut queue = VecDeque::from([start]);
        while let Some(here) = queue.pop_front() {
            for next in self.before[here.number()].iter().filter(&inside) {
                *looked_at += 1;
                if *next == start {
                    let way = std::iter::successors(Some(here), |at| came_from.get(at).copied());
                    let mut way: Vec<NodeIx> = way.map(|moment| NodeIx::new(moment.number() / 2)).collect();
                    way.reverse();
                    way.dedup();
                    if way.len() > 1 && way.first() == way.last() {
                        way.pop();
                    }
                    let key = |at: &usize| (!self.is_leaf(way[*at]), way[*at]);
                    let first = (0..way.len()).min_by_key(key).unwrap_or(0);
                    way.rotate_left(first);
                    return Some(way);
                }
                came_from.entry(*next).or_insert_with(|| {
                    queue.push_back(*next);
                    here
                });
            }
        }
        None
    }
}
