//! Finds a short cycle in each group of cyclic dependencies, so that a person can see which one to remove.

use std::collections::{HashMap, VecDeque};

use super::node_ix::NodeIx;
use super::order::{Moments, NodeMoment};

/// How many moments may be visited in search of a shorter cycle, once one is found.
const SEARCH_LIMIT: usize = 100_000;

impl Moments {
    /// One cycle for each knot (each set of nodes that all wait for each other): every node waits for the next one, and the
    /// last for the first. `placed` says for each moment whether it is certainly not in a cycle.
    ///
    /// The cycle is the shortest one through any of the knot's dependencies, unless the search reaches its limit.
    pub(super) fn cycles(&self, placed: &[bool]) -> Vec<Vec<NodeIx>> {
        let (knots, knot_of) = self.knots(placed);
        knots
            .iter()
            .filter(|members| members.len() > 1)
            .map(|members| self.shortest(members, &knot_of))
            .collect()
    }

    /// The strongly connected components of the moments that are not placed, by Kosaraju's algorithm, and the component of each
    /// moment.
    fn knots(&self, placed: &[bool]) -> (Vec<Vec<NodeMoment>>, Vec<usize>) {
        let mut finished = Vec::new();
        let mut seen = placed.to_vec();
        for first in 0..placed.len() {
            let is_new = !std::mem::replace(&mut seen[first], true);
            let mut path: Vec<(usize, usize)> = is_new.then_some((first, 0)).into_iter().collect();
            while let Some((here, nth)) = path.last_mut() {
                *nth += 1;
                match self.before[*here].get(*nth - 1).map(|next| next.number()) {
                    Some(next) if seen[next] => {}
                    Some(next) => {
                        seen[next] = true;
                        path.push((next, 0));
                    }
                    None => {
                        finished.push(*here);
                        path.pop();
                    }
                }
            }
        }
        let mut knots: Vec<Vec<NodeMoment>> = Vec::new();
        let mut knot_of = vec![usize::MAX; placed.len()];
        for first in finished.into_iter().rev().map(NodeMoment::of_number) {
            let mut members = Vec::new();
            let mut open = vec![first];
            while let Some(here) = open.pop() {
                if !placed[here.number()] && knot_of[here.number()] == usize::MAX {
                    knot_of[here.number()] = knots.len();
                    members.push(here);
                    open.extend(&self.after[here.number()]);
                }
            }
            members.sort_unstable();
            knots.push(members);
        }
        (knots, knot_of)
    }

    fn shortest(&self, members: &[NodeMoment], knot_of: &[usize]) -> Vec<NodeIx> {
        let inside = |moment: &&NodeMoment| knot_of[moment.number()] == knot_of[members[0].number()];
        let is_dependency = |moment: &&NodeMoment| matches!(moment, NodeMoment::End(_));
        let depends = |member: &&NodeMoment| {
            matches!(member, NodeMoment::Start(_))
                && self.before[member.number()].iter().filter(is_dependency).any(|on| inside(&on))
        };
        let mut best: Option<Vec<NodeIx>> = None;
        let mut looked_at = 0;
        for member in members.iter().filter(depends) {
            if let Some(cycle) = self.cycle_through(*member, inside, &mut looked_at)
                && best.as_ref().is_none_or(|best| cycle.len() < best.len())
            {
                best = Some(cycle);
            }
            if looked_at > SEARCH_LIMIT {
                break;
            }
        }
        best.unwrap_or_default()
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
                    let mut way: Vec<NodeIx> = way.map(NodeMoment::node).collect();
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
