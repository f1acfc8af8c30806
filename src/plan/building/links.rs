//! Resolves the dependencies of an imported plan. Stated ones must be met; those that only follow from the order of the source are
//! dropped where they contradict stated ones.

use std::collections::{HashMap, HashSet};

use super::super::cycle::told;
use super::super::formats::{
    ImportedId, ImportedPlan, Needed, Place, Prerequisite, SourceNote, Why, between,
};
use super::super::node_ix::NodeIx;
use super::super::order::{Moments, leaves, spans};
use super::super::problem::shown;
use crate::record::TaskId;
use crate::suggest;

/// For how many mistakes a similar id is suggested. Each suggestion compares the word with all ids of the plan.
const MOST_SUGGESTED: usize = 20;

/// How many dependencies a plan may have. In a range, each id is one.
const MOST_LINKS: usize = 200_000;

/// A dependency on a node.
#[derive(Clone, Copy)]
struct Link {
    on: usize,
    why: Why,
    place: Place,
}

/// The positions of the nodes on which each node depends. Mistakes and doubts are added to the plan.
pub(super) fn resolve(plan: &mut ImportedPlan, ids: &[TaskId]) -> Vec<Vec<usize>> {
    let mut resolver = Resolver {
        ids,
        in_file: HashMap::new(),
        all: HashMap::new(),
        letters: HashSet::new(),
        problems: Vec::new(),
        warnings: Vec::new(),
        left: MOST_LINKS,
    };
    for (at, node) in plan.nodes.iter().enumerate() {
        if let ImportedId::Given(id) | ImportedId::Suggested(id) = &node.id {
            resolver.in_file.entry((node.place.file, id)).or_insert(at);
            resolver.all.entry(id).or_insert(at);
            resolver.letters.insert(letters_of(id));
        }
    }
    let mut links: Vec<Vec<Link>> = Vec::with_capacity(plan.nodes.len());
    for (at, node) in plan.nodes.iter().enumerate() {
        let mut own: Vec<Link> = Vec::new();
        let mut seen = HashSet::new();
        for need in &node.needs {
            if resolver.left == 0 {
                continue;
            }
            for on in resolver.targets(at, need).into_iter().filter(|on| seen.insert(*on)) {
                own.push(Link { on, why: need.why, place: need.place });
            }
        }
        links.push(own);
    }
    let Resolver { mut problems, warnings, .. } = resolver;
    if problems.is_empty() && plan.problems.is_empty() {
        problems = keep_order(plan, ids, &mut links);
    }
    plan.problems.extend(problems);
    plan.warnings.extend(warnings);
    links.into_iter().map(|own| own.into_iter().map(|link| link.on).collect()).collect()
}

struct Resolver<'p> {
    ids: &'p [TaskId],
    /// The nodes by their ids in the sources.
    in_file: HashMap<(usize, &'p str), usize>,
    all: HashMap<&'p str, usize>,
    /// The letters with which ids begin. Words with other letters, such as `UTF-8`, are not ids.
    letters: HashSet<&'p str>,
    problems: Vec<SourceNote>,
    warnings: Vec<SourceNote>,
    /// How many more dependencies there may be.
    left: usize,
}

impl Resolver<'_> {
    fn problem(&mut self, place: Place, what: String, remedy: &str) {
        self.problems.push(SourceNote::new(place, what, remedy));
    }

    /// Counts dependencies, and says once if there are too many.
    fn spend(&mut self, count: usize, place: Place) {
        let left = self.left.saturating_sub(count);
        if std::mem::replace(&mut self.left, left) > 0 && left == 0 {
            let what = format!("the plan has more than {MOST_LINKS} dependencies");
            self.problem(place, what, "Let tasks depend on whole phases, or split the plan.");
        }
    }

    /// The nodes to which a dependency of the node at `at` refers.
    fn targets(&mut self, at: usize, need: &Prerequisite) -> Vec<usize> {
        self.spend(1, need.place);
        match &need.on {
            Needed::Node(node) => vec![*node],
            Needed::Id(id) => {
                let found = self.named(at, need, id);
                if found == Some(at) {
                    let what = format!("{} depends on itself", self.ids[at]);
                    self.problem(need.place, what, "Remove the dependency.");
                }
                found.into_iter().filter(|on| *on != at).collect()
            }
            Needed::Range(from, to) => {
                if self.named(at, need, from).is_none() || self.named(at, need, to).is_none() {
                    return Vec::new();
                }
                let Some(ids) = between(from, to) else {
                    let what = format!("{from} to {to} is not a range of ids");
                    let remedy = "Write the smaller number first, and both with the same letters.";
                    self.problem(need.place, what, remedy);
                    return Vec::new();
                };
                self.spend(ids.len(), need.place);
                let found = ids.iter().filter_map(|id| self.find(need.place.file, id));
                found.filter(|on| *on != at).collect()
            }
        }
    }

    fn find(&self, file: usize, id: &str) -> Option<usize> {
        self.in_file.get(&(file, id)).or_else(|| self.all.get(id)).copied()
    }

    /// The node with an id. If there is none, that is recorded.
    fn named(&mut self, at: usize, need: &Prerequisite, id: &str) -> Option<usize> {
        let found = self.find(need.place.file, id);
        if found.is_some() {
            return found;
        }
        let (own, id_shown) = (&self.ids[at], shown(id));
        let is_foreign =
            !id.starts_with(|c: char| c.is_ascii_digit()) && !self.letters.contains(letters_of(id));
        if is_foreign && need.why == Why::Stated {
            let what = format!("{own} mentions {id_shown}, which is not an id of this plan");
            self.warnings.push(SourceNote::new(need.place, what, "The dependency is left out."));
            return None;
        }
        let mut known: Vec<&str> = Vec::new();
        if self.problems.len() < MOST_SUGGESTED {
            known.extend(self.all.keys());
            known.sort_unstable();
        }
        let near = suggest::question(suggest::nearest(id, known));
        let what = format!("{own} depends on {id_shown}, which is not in the plan");
        self.problem(need.place, what, &format!("{near}Correct the id, or add the task."));
        None
    }
}

/// The letters at the beginning of an id.
fn letters_of(id: &str) -> &str {
    &id[..id.len() - id.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len()]
}

/// Removes the links that only follow from the order of the source and that an order with all stated ones does not meet. Returns the
/// cycles of stated ones.
fn keep_order(plan: &ImportedPlan, ids: &[TaskId], links: &mut [Vec<Link>]) -> Vec<SourceNote> {
    let is_stated = |link: &&Link| link.why == Why::Stated;
    let stated: Vec<Vec<NodeIx>> = links
        .iter()
        .map(|own| own.iter().filter(is_stated).map(|link| NodeIx::new(link.on)).collect())
        .collect();
    let parents: Vec<Option<NodeIx>> = plan.nodes.iter().map(|node| node.parent.map(NodeIx::new)).collect();
    let moments = Moments::new(stated.iter().zip(&parents).map(|(on, parent)| (*parent, on.as_slice())));
    // A source with an order has no priorities beside it.
    match moments.sequence(|_| 0) {
        Ok(sequence) => {
            let spans = spans(&leaves(&sequence, &moments), &parents);
            for (at, own) in links.iter_mut().enumerate() {
                own.retain(|link| spans[link.on][1] < spans[at][0]);
            }
            Vec::new()
        }
        Err(placed) => {
            let note = |cycle: &Vec<NodeIx>| {
                let link = |at: &NodeIx| {
                    let own = links[at.position()].iter().filter(is_stated);
                    own.filter(|link| cycle.contains(&NodeIx::new(link.on))).map(|link| link.place).min()
                };
                let place = cycle.iter().filter_map(link).min();
                let place = place.unwrap_or(plan.nodes[cycle[0].position()].place);
                let what = told(cycle, |ix| ids[ix.position()].as_str(), |ix| parents[ix.position()]);
                SourceNote::new(place, what, "Remove one of these dependencies.")
            };
            moments.cycles(&placed).iter().map(note).collect()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::formats::{Format, SourceFile, read};
    use super::super::{BuildSettings, settle};
    use crate::growth::assert_linear;

    #[test]
    fn the_work_grows_with_the_depth_of_a_plan_and_not_with_its_square() {
        let issue = |at: usize| {
            let above =
                at.checked_sub(1).map(|above| format!(r#", "parent": "N{above}""#)).unwrap_or_default();
            format!(r#"{{"id": "N{at}", "title": "A"{above}, "dependencies": ["M"]}}"#)
        };
        let plan = |count: usize| {
            let issues: Vec<String> = (0..count).map(issue).collect();
            let text = format!("{}\n{{\"id\": \"M\", \"title\": \"B\"}}\n", issues.join("\n"));
            read(Format::Beads, &[SourceFile { path: "a.jsonl".to_owned(), text }], None)
        };
        assert_linear("a deep plan", 50, plan, |plan| {
            let settled = settle(plan.clone(), &BuildSettings::default());
            assert!(settled.problems.is_empty(), "{:?}", settled.problems);
            settled.nodes.len()
        });
    }
}
