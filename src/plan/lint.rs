//! Finds what is valid in a plan but probably not meant, before an agent works on it.

use std::cell::OnceCell;
use std::collections::{BTreeMap, HashMap, HashSet};

use super::problem::{Problem, same_ids};
use super::{NodeIx, PathPattern, PhaseLink, SetBy, TaskField, TaskTree};
use crate::text::advice;

type Missing<'a> = dyn Fn(&str) -> Option<String> + 'a;

/// How many tasks are compared with each other.
const MOST_COMPARED: usize = 1_000;

/// Looks for what eight rules know. `has_suite` says whether a command is set that runs all tests, and `missing_program` is the
/// program that a command starts, if it is not there.
pub fn lint(tree: &TaskTree, has_suite: bool, missing_program: &Missing<'_>) -> Vec<Problem> {
    let mut checks = Checks { tree, found: Vec::new() };
    checks.untested();
    checks.missing_programs(missing_program);
    checks.ids_that_differ_in_case();
    checks.without_order();
    checks.phases();
    if !has_suite {
        checks.no_suite();
    }
    checks.found.sort_by_key(|finding| finding.line);
    checks.found
}

struct Checks<'a> {
    tree: &'a TaskTree,
    found: Vec<Problem>,
}

impl<'a> Checks<'a> {
    fn id(&self, ix: NodeIx) -> &'a str {
        self.tree.node(ix).id.as_str()
    }

    fn report(&mut self, at: Option<NodeIx>, what: String, help: impl Into<String>) {
        self.found.push(Problem::new(at.map(|ix| self.tree.node(ix).line), what, help));
    }

    /// Tasks whose work no command judges, unless no test can judge it.
    fn untested(&mut self) {
        let needs_tests = |leaf: &&NodeIx| !self.tree.expect(**leaf).needs_no_proof();
        let tasks: Vec<NodeIx> = self.tree.order().iter().filter(needs_tests).copied().collect();
        let untested = |leaf: &&NodeIx| !self.tree.node(**leaf).is_tested();
        let without: Vec<NodeIx> = tasks.iter().filter(untested).copied().collect();
        let Some(first) = without.first() else { return };
        let (count, all, id) = (without.len(), tasks.len(), self.id(*first));
        let what = match count {
            1 => format!("{id} has no test command"),
            _ if count == all => "no task has a test command".to_owned(),
            _ => format!("{count} of {all} tasks have no test command, {id} among them"),
        };
        let is_built = |leaf: &NodeIx| {
            let file = self.tree.node(*leaf).source_file.as_ref();
            file.is_some_and(|file| self.tree.spec_files.contains(file))
        };
        let how = match without.iter().all(is_built) {
            true => format!(" {} gives one to all of them.", advice::build_update_test_command()),
            false => String::new(),
        };
        let help =
            format!("`test_commands` say how a task is tested; without them, only the review decides.{how}");
        self.report(Some(*first), what, help);
    }

    fn missing_programs(&mut self, missing_program: &Missing<'_>) {
        let mut known = HashSet::new();
        for (ix, node) in self.tree.nodes() {
            let missing = node.test_commands.iter().filter_map(|test| missing_program(&test.command));
            for program in missing.filter(|program| known.insert(program.clone())) {
                let what =
                    format!("the tests of {} need the program {program}, which is not on PATH", node.id);
                let help = "Install it, or add a `setup` command to the plan that installs it.";
                self.report(Some(ix), what, help);
            }
        }
    }

    fn ids_that_differ_in_case(&mut self) {
        let mut first: HashMap<String, &str> = HashMap::new();
        for (ix, node) in self.tree.nodes() {
            let id = node.id.as_str();
            if let Some(earlier) = first.insert(id.to_ascii_lowercase(), id) {
                let what = same_ids(earlier, id, None);
                self.report(Some(ix), what, "Rename one: some file systems treat them as the same name.");
            }
        }
    }

    /// Tasks that touch the same files, and tasks that speak of earlier ones, although neither waits for the other: only the order of
    /// the plan keeps them apart, and tasks that are worked on side by side have none.
    fn without_order(&mut self) {
        let tree = self.tree;
        let touches = |leaf: NodeIx| {
            let entry = tree.node(leaf).fields.get(TaskField::Touches);
            // What it inherits, its siblings have in common.
            let is_own = entry.is_some_and(|entry| entry.set_by == SetBy::Node(leaf));
            if is_own { tree.touches(leaf) } else { &[] }
        };
        // Other ids are words that a text may well contain.
        let is_like_an_id = |word: &&str| {
            word.contains(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_ascii_alphabetic())
        };
        let (mut seen, mut named) = (HashSet::new(), HashSet::new());
        for (at, own) in tree.order().iter().copied().enumerate().take(MOST_COMPARED) {
            let (node, own_id) = (tree.node(own), self.id(own));
            let before = OnceCell::new();
            let is_fixed = |other: NodeIx| before.get_or_init(|| ended_before(tree, own)).contains(&other);
            let texts = [node.name.as_str(), node.description.as_str()].into_iter();
            let words = texts
                .flat_map(|text| text.split(|c: char| !(c.is_ascii_alphanumeric() || "._-".contains(c))));
            let ids = words.map(|word| word.trim_end_matches(['.', '-'])).filter(is_like_an_id);
            let mentioned = ids.filter_map(|id| tree.find(id)).find(|other| seen.contains(other));
            seen.insert(own);
            if let Some(id) = mentioned.filter(|other| !is_fixed(*other)).map(|other| self.id(other)) {
                let what = format!("{own_id} speaks of {id}, and only the order of the plan puts {id} first");
                let help = format!("If it builds on {id}, add \"{id}\" to its `depends_on`.");
                self.report(Some(own), what, help);
            }
            for other in tree.order()[..at].iter().copied() {
                let is_shared =
                    |pattern: &&PathPattern| touches(own).iter().any(|own| own.may_overlap(pattern));
                let shared = touches(other).iter().filter(is_shared).map(PathPattern::as_str);
                let shared: Vec<&str> = shared.filter(|pattern| !named.contains(pattern)).collect();
                if shared.is_empty() || is_fixed(other) {
                    continue;
                }
                let id = self.id(other);
                let what = format!(
                    "{id} and {own_id} touch the same files, and neither waits for the other: {}",
                    shared.join(", ")
                );
                named.extend(shared);
                let help = format!(
                    "If {own_id} builds on {id}, or must not run at the same time, add \"{id}\" to its `depends_on`."
                );
                self.report(Some(own), what, help);
            }
        }
    }

    /// Phases that wait for each other, and tasks that keep their phase open until a later one has begun.
    fn phases(&mut self) {
        let tree = self.tree;
        let told = |link: &PhaseLink| {
            let [own, other] =
                [link.own, link.dependency].map(|ix| (self.id(ix), self.id(tree.phase_of(ix))));
            format!("{} in {} needs {} in {}", own.0, own.1, other.0, other.1)
        };
        if let Some(cycle) = tree.phase_cycle() {
            let links: Vec<String> = cycle.iter().map(told).collect();
            let what = format!(
                "the phases depend on each other, so none is finished before the others: {}",
                links.join("; ")
            );
            return self.report(Some(cycle[0].own), what, "Change one of these dependencies.");
        }
        let late = tree.phase_links().into_values().flat_map(BTreeMap::into_values);
        let late: Vec<PhaseLink> =
            late.filter(|link| tree.phase_of(link.dependency) > tree.phase_of(link.own)).collect();
        for link in late.into_iter().filter(|link| link.own != tree.phase_of(link.own)) {
            let phase = self.id(tree.phase_of(link.own));
            let (own, on) = (self.id(link.own), self.id(link.dependency));
            let what =
                format!("{own} needs {on} of a later phase, so {phase} cannot be finished before that");
            self.report(Some(link.own), what, "Move one of the two, or the whole phase.");
        }
    }

    /// Without a suite, nothing judges tasks that have no test command.
    fn no_suite(&mut self) {
        let is_untested = |leaf: &NodeIx| !self.tree.node(*leaf).is_tested();
        let what = match &self.tree.suite {
            Some(suite) => format!("nothing acts on `suite` in this version: `{suite}` is not run"),
            None if self.tree.order().iter().all(is_untested) => {
                "no command is known that runs all tests".to_owned()
            }
            None => return,
        };
        let help = "`git config arborist.suite COMMAND` sets the command that runs them after each phase.";
        self.report(None, what, help);
    }
}

/// All nodes that have ended before this one starts.
fn ended_before(tree: &TaskTree, own: NodeIx) -> HashSet<NodeIx> {
    let mut ended = HashSet::new();
    let mut open = vec![own];
    while let Some(here) = open.pop() {
        for on in tree.dependencies(here) {
            let below = tree.node(on).span(on).map(NodeIx::new);
            open.extend(below.filter(|below| ended.insert(*below)));
        }
    }
    ended
}

#[cfg(test)]
mod tests;
