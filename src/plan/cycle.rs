//! Finds a short cycle in each group of cyclic dependencies, so that a person can see which one to remove.

use std::collections::{HashMap, VecDeque};

use super::node::Node;
use super::node_ix::NodeIx;
use super::order::NodeMoment;

/// One cycle for each knot (each set of nodes that all wait for each other): every node waits for the next one, and the
/// last for the first. `placed` says for each moment whether it is certainly not in a cycle.
///
/// The cycle is the shortest one through any of the knot's dependencies, unless the search reaches its limit.
pub(super) fn cycles(nodes: &[Node], placed: &[bool]) -> Vec<Vec<NodeIx>> {
    let components = CyclicComponents::find(nodes, placed);
    components.members.iter().map(|members| shortest(nodes, members, &components.of)).collect()
}

/// The strongly connected components with more than one moment, by Tarjan's algorithm with an explicit stack.
struct CyclicComponents<'n> {
    nodes: &'n [Node],
    /// When each moment was first seen, from 1; 0 if not yet.
    seen: Vec<usize>,
    /// The earliest open moment that can be reached from it, as far as is known.
    low: Vec<usize>,
    /// Moments whose component is not yet known.
    open: Vec<usize>,
    /// The component of each moment, from 1; 0 as long as it has none.
    of: Vec<usize>,
    members: Vec<Vec<NodeMoment>>,
    /// How many moments were seen, and how many components were closed so far.
    clock: usize,
    closed: usize,
}

impl<'n> CyclicComponents<'n> {
    fn find(nodes: &'n [Node], placed: &[bool]) -> Self {
        let none = || vec![0; placed.len()];
        let (open, members) = (Vec::new(), Vec::new());
        let mut components =
            Self { nodes, seen: none(), low: none(), open, of: none(), members, clock: 0, closed: 0 };
        for start in (0..placed.len()).filter(|number| !placed[*number]) {
            if components.seen[start] == 0 {
                components.explore(start, placed);
            }
        }
        components
    }

    fn explore(&mut self, start: usize, placed: &[bool]) {
        let mut path = vec![(start, 0)];
        while let Some((here, nth)) = path.last_mut() {
            let here = *here;
            if *nth == 0 {
                self.clock += 1;
                self.seen[here] = self.clock;
                self.low[here] = self.clock;
                self.open.push(here);
            }
            let next = NodeMoment::of_number(here).before(self.nodes, *nth).map(NodeMoment::number);
            *nth += 1;
            match next {
                Some(next) if placed[next] || self.of[next] != 0 => {}
                Some(next) if self.seen[next] == 0 => path.push((next, 0)),
                Some(next) => self.low[here] = self.low[here].min(self.seen[next]),
                None => {
                    path.pop();
                    if let Some((above, _)) = path.last() {
                        self.low[*above] = self.low[*above].min(self.low[here]);
                    }
                    if self.low[here] == self.seen[here] {
                        self.close(here);
                    }
                }
            }
        }
    }

    /// Combines everything that is open since `first` into one component.
    fn close(&mut self, first: usize) {
        self.closed += 1;
        let begin = self.open.iter().rposition(|number| *number == first).unwrap_or(0);
        let mut members: Vec<NodeMoment> = Vec::new();
        for number in self.open.drain(begin..) {
            self.of[number] = self.closed;
            members.push(NodeMoment::of_number(number));
        }
        if members.len() > 1 {
            members.sort_unstable();
            self.members.push(members);
        }
    }
}

/// How many moments may be visited in search of a shorter cycle, once one is found.
const SEARCH_LIMIT: usize = 100_000;

fn shortest(nodes: &[Node], members: &[NodeMoment], component_of: &[usize]) -> Vec<NodeIx> {
    let component = members.first().map_or(0, |first| component_of[first.number()]);
    let inside = |moment: &NodeMoment| component_of[moment.number()] == component;
    let mut best: Option<Vec<NodeIx>> = None;
    let mut looked_at = 0;
    for member in members {
        let NodeMoment::Start(own) = member else { continue };
        let depends = nodes[own.position()].depends_on.iter().any(|other| inside(&NodeMoment::End(*other)));
        if !depends {
            continue;
        }
        if let Some(cycle) = cycle_through(nodes, *member, inside, &mut looked_at)
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

/// The shortest cycle through `start`, breadth first.
fn cycle_through(
    nodes: &[Node],
    start: NodeMoment,
    inside: impl Fn(&NodeMoment) -> bool,
    looked_at: &mut usize,
) -> Option<Vec<NodeIx>> {
    let mut came_from: HashMap<NodeMoment, NodeMoment> = HashMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(here) = queue.pop_front() {
        let all = (0..).map_while(|nth| here.before(nodes, nth));
        for next in all.filter(&inside) {
            *looked_at += 1;
            if next == start {
                return Some(to_nodes(nodes, here, &came_from));
            }
            came_from.entry(next).or_insert_with(|| {
                queue.push_back(next);
                here
            });
        }
    }
    None
}

/// The path to `last` as nodes without duplicates, beginning with the first leaf of the tree among them.
fn to_nodes(nodes: &[Node], last: NodeMoment, came_from: &HashMap<NodeMoment, NodeMoment>) -> Vec<NodeIx> {
    let mut way = vec![last.node()];
    let mut here = last;
    while let Some(before) = came_from.get(&here) {
        here = *before;
        way.push(here.node());
    }
    way.reverse();
    way.dedup();
    if way.len() > 1 && way.first() == way.last() {
        way.pop();
    }
    let key = |node: &NodeIx| (!nodes[node.position()].is_leaf(), *node);
    let first = (0..way.len()).min_by_key(|at| key(&way[*at])).unwrap_or(0);
    way.rotate_left(first);
    way
}
