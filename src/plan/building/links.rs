//! Resolves the dependencies of an imported plan. Stated ones must be met; those that only follow from the order of the source are
//! dropped where they contradict stated ones.

use std::collections::{HashMap, HashSet};

use super::super::cycle::told;
use super::super::formats::{ImportedId, ImportedNode, ImportedPlan, Needed, Place, Prerequisite, between};
use super::super::node_ix::NodeIx;
use super::super::order::{Moments, leaves, spans};
use super::super::problem::shown;
use crate::record::TaskId;
use crate::suggest;

/// For how many mistakes a similar id is suggested. Each suggestion compares the word with all ids of the plan.
const MOST_SUGGESTED: usize = 20;

/// How many dependencies a plan may have. In a range, each id is one.
const MOST_LINKS: usize = 200_000;

/// Resolves what each node needs into nodes. Mistakes and doubts are added to the plan.
pub(super) fn resolve(plan: &mut ImportedPlan, ids: &[TaskId]) {
    let mut nodes = std::mem::take(&mut plan.nodes);
    let mut resolver = Resolver {
        plan,
        ids,
        in_file: HashMap::new(),
        all: HashMap::new(),
        letters: HashSet::new(),
        left: MOST_LINKS,
    };
    for (at, node) in nodes.iter().enumerate() {
        if let ImportedId::Given(id) | ImportedId::Suggested(id) = &node.id {
            resolver.in_file.entry((node.place.file, id)).or_insert(at);
            resolver.all.entry(id).or_insert(at);
            resolver.letters.insert(letters_of(id));
        }
    }
    let mut resolved: Vec<Vec<Prerequisite>> = vec![Vec::new(); nodes.len()];
    for (at, node) in nodes.iter().enumerate() {
        let mut seen = HashSet::new();
        for Prerequisite { on, place } in &node.needs {
            if resolver.left == 0 {
                break;
            }
            let found = resolver.targets(at, on, *place).into_iter().filter(|on| seen.insert(*on));
            resolved[at].extend(found.map(|on| Prerequisite { on: Needed::Node(on), place: *place }));
        }
    }
    nodes.iter_mut().zip(resolved).for_each(|(node, needs)| node.needs = needs);
    plan.nodes = nodes;
    if plan.problems.is_empty() {
        keep_order(plan, ids);
    }
}

struct Resolver<'p> {
    /// The plan without its nodes, for mistakes and doubts.
    plan: &'p mut ImportedPlan,
    ids: &'p [TaskId],
    /// The nodes by their ids in the sources.
    in_file: HashMap<(usize, &'p str), usize>,
    all: HashMap<&'p str, usize>,
    /// The letters with which ids begin. Words with other letters, such as `UTF-8`, are not ids.
    letters: HashSet<&'p str>,
    /// How many more dependencies there may be.
    left: usize,
}

impl Resolver<'_> {
    /// Counts dependencies, and says once if there are too many.
    fn spend(&mut self, count: usize, place: Place) {
        let left = self.left.saturating_sub(count);
        if std::mem::replace(&mut self.left, left) > 0 && left == 0 {
            let what = format!("the plan has more than {MOST_LINKS} dependencies");
            self.plan.fault(place, what, "Let tasks depend on whole phases, or split the plan.");
        }
    }

    /// The nodes on which the node at `at` depends, because it states here that it needs this.
    fn targets(&mut self, at: usize, needed: &Needed, place: Place) -> Vec<usize> {
        self.spend(1, place);
        let found = match needed {
            Needed::Node(node) => Some(*node),
            Needed::Id(id) => self.named(at, id, place),
            Needed::Range(from, to) => {
                if self.named(at, from, place).is_none() || self.named(at, to, place).is_none() {
                    return Vec::new();
                }
                let Some(ids) = between(from, to) else {
                    let what = format!("{from} to {to} is not a range of ids");
                    let remedy = "Write the smaller number first, and both with the same letters.";
                    self.plan.fault(place, what, remedy);
                    return Vec::new();
                };
                self.spend(ids.len(), place);
                let found = ids.iter().filter_map(|id| self.find(place.file, id));
                return found.filter(|on| *on != at).collect();
            }
        };
        if found == Some(at) {
            self.plan.fault(place, format!("{} depends on itself", self.ids[at]), "Remove the dependency.");
        }
        found.into_iter().filter(|on| *on != at).collect()
    }

    fn find(&self, file: usize, id: &str) -> Option<usize> {
        self.in_file.get(&(file, id)).or_else(|| self.all.get(id)).copied()
    }

    /// The node with an id. If there is none, that is recorded.
    fn named(&mut self, at: usize, id: &str, place: Place) -> Option<usize> {
        let found = self.find(place.file, id);
        if found.is_some() {
            return found;
        }
        let (own, id_shown) = (&self.ids[at], shown(id));
        if !id.starts_with(|c: char| c.is_ascii_digit()) && !self.letters.contains(letters_of(id)) {
            let what = format!("{own} mentions {id_shown}, which is not an id of this plan");
            self.plan.warn(place, what, "The dependency is left out.");
            return None;
        }
        let mut known: Vec<&str> = Vec::new();
        if self.plan.problems.len() < MOST_SUGGESTED {
            known.extend(self.all.keys());
            known.sort_unstable();
        }
        let near = suggest::question(suggest::nearest(id, known));
        let what = format!("{own} depends on {id_shown}, which is not in the plan");
        self.plan.fault(place, what, format!("{near}Correct the id, or add the task."));
        None
    }
}

/// The letters at the beginning of an id.
fn letters_of(id: &str) -> &str {
    &id[..id.len() - id.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len()]
}

/// Removes what only follows from the order of the source and what an order with all stated dependencies does not meet. Names the
/// cycles of stated ones.
fn keep_order(plan: &mut ImportedPlan, ids: &[TaskId]) {
    let needs =
        |node: &ImportedNode| node.needs.iter().filter_map(Prerequisite::node).map(NodeIx::new).collect();
    let on: Vec<Vec<NodeIx>> = plan.nodes.iter().map(needs).collect();
    let parents: Vec<Option<NodeIx>> = plan.nodes.iter().map(|node| node.parent.map(NodeIx::new)).collect();
    let moments = Moments::new(on.iter().zip(&parents).map(|(on, parent)| (*parent, on.as_slice())));
    // A source with an order has no priorities beside it.
    let placed = match moments.sequence(|_| 0) {
        Ok(sequence) => {
            let spans = spans(&leaves(&sequence, &moments), &parents);
            for (at, own) in plan.nodes.iter_mut().enumerate() {
                own.follows.retain(|on| spans[*on][1] < spans[at][0]);
            }
            return;
        }
        Err(placed) => placed,
    };
    for cycle in moments.cycles(&placed) {
        let needs = cycle.iter().flat_map(|at| &plan.nodes[at.position()].needs);
        let inside = needs.filter(|need| need.node().is_some_and(|on| cycle.contains(&NodeIx::new(on))));
        let place = inside.map(|need| need.place).min().unwrap_or(plan.nodes[cycle[0].position()].place);
        let what = told(&cycle, |ix| ids[ix.position()].as_str(), |ix| parents[ix.position()]);
        plan.fault(place, what, "Remove one of these dependencies.");
    }
}
