//! Resolves the dependencies of an imported plan: which node depends on which, and why.

use std::collections::{HashMap, HashSet};

use super::super::formats::{
    ImportedId, ImportedPlan, Needed, Place, Prerequisite, SourceNote, Why, between,
};
use super::super::problem::shown;
use crate::record::TaskId;
use crate::suggest;

/// The largest number of dependencies of a plan.
const MOST: usize = 500_000;

/// For how many mistakes a similar id is suggested.
const MOST_SUGGESTED: usize = 20;

/// A dependency between two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NodeLink {
    /// The position of the node on which the other one depends.
    pub on: usize,
    /// Why.
    pub why: Why,
    /// Where it was read.
    pub place: Place,
}

/// The dependencies of a plan.
pub(super) struct Resolved {
    /// The dependencies of each node, by the position of the node.
    pub(super) links: Vec<Vec<NodeLink>>,
    pub(super) problems: Vec<SourceNote>,
    pub(super) warnings: Vec<SourceNote>,
}

impl Resolved {
    /// No dependency at all.
    pub(super) fn none(plan: &ImportedPlan) -> Self {
        let links = vec![Vec::new(); plan.nodes.len()];
        Self { links, problems: Vec::new(), warnings: Vec::new() }
    }
}

/// Resolves all dependencies.
pub(super) fn resolve(plan: &ImportedPlan, ids: &[TaskId]) -> Resolved {
    let mut resolver =
        Resolver { plan, ids, names: Names::of(plan), problems: Vec::new(), warnings: Vec::new() };
    let mut total = 0;
    let mut links = Vec::with_capacity(plan.nodes.len());
    for (at, node) in plan.nodes.iter().enumerate() {
        let mut own: Vec<NodeLink> = Vec::new();
        let mut seen = HashSet::new();
        for need in &node.needs {
            for on in resolver.targets(at, need) {
                if seen.insert(on) {
                    own.push(NodeLink { on, why: need.why, place: need.place });
                }
            }
        }
        total += own.len();
        if total > MOST {
            let what = format!("the plan has more than {MOST} dependencies");
            resolver.problem(node.place, what, "Split the plan.");
            break;
        }
        links.push(own);
    }
    links.resize_with(plan.nodes.len(), Vec::new);
    Resolved { links, problems: resolver.problems, warnings: resolver.warnings }
}

struct Resolver<'p> {
    plan: &'p ImportedPlan,
    ids: &'p [TaskId],
    names: Names<'p>,
    problems: Vec<SourceNote>,
    warnings: Vec<SourceNote>,
}

impl Resolver<'_> {
    fn problem(&mut self, place: Place, what: String, remedy: &str) {
        self.problems.push(SourceNote::new(place, what, remedy));
    }

    /// The nodes to which a dependency of the node at `at` refers.
    fn targets(&mut self, at: usize, need: &Prerequisite) -> Vec<usize> {
        let found = match &need.on {
            Needed::Node(node) => vec![*node],
            Needed::Id(id) => {
                let found = self.names.find(need.place.file, id);
                if found.is_none() {
                    self.unknown(at, need, id);
                }
                found.into_iter().collect()
            }
            Needed::Range(from, to) => self.range(at, need, [from, to]),
        };
        found.into_iter().filter(|on| self.is_possible(at, *on, need)).collect()
    }

    fn unknown(&mut self, at: usize, need: &Prerequisite, id: &str) {
        let is_foreign =
            !id.starts_with(|c: char| c.is_ascii_digit()) && !self.names.letters.contains(letters_of(id));
        if is_foreign && need.why == Why::Stated {
            let what = format!("{} mentions {}, which is not an id of this plan", self.ids[at], shown(id));
            self.warnings.push(SourceNote::new(need.place, what, "The dependency is left out."));
            return;
        }
        // Each suggestion compares the word with all ids of the plan, so only the first mistakes get one.
        let near = if self.problems.len() < MOST_SUGGESTED {
            let mut known: Vec<&str> = self.names.all.keys().copied().collect();
            known.sort_unstable();
            suggest::nearest(id, known)
        } else {
            None
        };
        let remedy = format!("{}Correct the id, or add the task.", suggest::question(near));
        let what = format!("{} depends on {}, which is not in the plan", self.ids[at], shown(id));
        self.problem(need.place, what, &remedy);
    }

    fn range(&mut self, at: usize, need: &Prerequisite, ends: [&str; 2]) -> Vec<usize> {
        let [from, to] = ends;
        let ids = between(from, to);
        for end in [from, to] {
            if self.names.find(need.place.file, end).is_none() {
                self.unknown(at, need, end);
                return Vec::new();
            }
        }
        let Some(ids) = ids else {
            let what = format!("{from} to {to} is not a range of ids");
            self.problem(need.place, what, "Write the smaller number first, and both with the same letters.");
            return Vec::new();
        };
        let found = ids.iter().filter_map(|id| self.names.find(need.place.file, id));
        found.filter(|on| *on != at).collect()
    }

    /// Whether a node can depend on another one. An impossible dependency is a mistake only if the source states it.
    fn is_possible(&mut self, at: usize, on: usize, need: &Prerequisite) -> bool {
        let above = |node: usize| std::iter::successors(Some(node), |at| self.plan.nodes[*at].parent);
        let fault = if at == on {
            "itself"
        } else if above(at).any(|node| node == on) {
            "a phase of which it is a part"
        } else if above(on).any(|node| node == at) {
            "a part of itself"
        } else {
            return true;
        };
        if need.why == Why::Stated {
            let what = format!("{} depends on {}, {fault}", self.ids[at], self.ids[on]);
            let what = what.replace(&format!("{}, itself", self.ids[on]), "itself");
            self.problem(need.place, what, "Remove the dependency.");
        }
        false
    }
}

/// The nodes by their ids in the sources.
struct Names<'p> {
    in_file: HashMap<(usize, &'p str), usize>,
    all: HashMap<&'p str, usize>,
    /// The letters with which ids begin. Words with other letters, such as `UTF-8`, are not ids.
    letters: HashSet<&'p str>,
}

impl<'p> Names<'p> {
    fn of(plan: &'p ImportedPlan) -> Self {
        let mut names = Self { in_file: HashMap::new(), all: HashMap::new(), letters: HashSet::new() };
        for (at, node) in plan.nodes.iter().enumerate() {
            if let ImportedId::Given(id) | ImportedId::Suggested(id) = &node.id {
                names.in_file.entry((node.place.file, id)).or_insert(at);
                names.all.entry(id).or_insert(at);
                names.letters.insert(letters_of(id));
            }
        }
        names
    }

    fn find(&self, file: usize, id: &str) -> Option<usize> {
        self.in_file.get(&(file, id)).or_else(|| self.all.get(id)).copied()
    }
}

/// The letters at the beginning of an id.
fn letters_of(id: &str) -> &str {
    &id[..id.len() - id.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len()]
}
