//! Tests which steps reference transactions drop, on a graph in memory.

use super::super::graph::{TestGraph, hex, id, name};
use super::*;

/// A repository in which quick lookups tell everything, or nothing.
struct Fake {
    graph: TestGraph,
    tells: bool,
    deletion: Deletion,
}

impl CommitGraph for Fake {
    fn between(
        &self,
        wanted: &[CommitId],
        unwanted: &[CommitId],
        each: &mut dyn FnMut(Message<'_>),
    ) -> Result<()> {
        self.graph.between(wanted, unwanted, each)
    }

    fn references(&self) -> Result<Vec<(String, CommitId)>> {
        self.graph.references()
    }
}

impl Branches for Fake {
    fn own_value(&self, name: &str) -> Option<Option<CommitId>> {
        let find = || self.graph.references.iter().find(|(other, _)| other == name).map(|(_, id)| *id);
        self.tells.then(find)
    }

    fn follows(&self, new: CommitId, old: CommitId) -> bool {
        self.tells && self.graph.reachable(&[new]).contains(&name(&old))
    }

    fn deletion(&self, _: &str, _: Option<&CommitId>) -> Result<Deletion> {
        Ok(self.deletion.clone())
    }
}

/// A person's commit `a`, above it the steps `b` and `c` and a person's `d` on `main`, and the step `e` on `side`.
fn fake(deletion: Deletion) -> Fake {
    let graph = TestGraph::new(&["a -", "b a step", "c b step", "d c", "e a step", "f de"]);
    let graph = graph.with_references(&[("refs/heads/main", 'd'), ("refs/heads/side", 'e')]);
    Fake { graph, tells: true, deletion }
}

/// Lines of git's input such as `d a refs/heads/main`, with the names of the commits in place of their ids.
fn transaction(lines: &str) -> Transaction {
    let value =
        |word: &str| if word.starts_with("ref:") { word.to_owned() } else { word.chars().map(hex).collect() };
    let line = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        format!("{} {} {}\n", value(words[0]), value(words[1]), words[2])
    };
    Transaction::parse(&lines.lines().map(line).collect::<String>()).unwrap()
}

/// The names of the steps that are dropped, the newest first.
fn dropped(fake: &Fake, lines: &str) -> String {
    dropped_from(fake, &transaction(lines)).unwrap().steps.iter().map(|lost| name(&lost.id)).collect()
}

#[test]
fn a_transaction_drops_the_steps_that_no_reference_keeps() {
    for (lines, expected) in [
        ("d a refs/heads/main", "cb"),
        ("- a refs/heads/main", "cb"),
        ("d b refs/heads/main", "c"),
        ("d c refs/heads/main", ""),
        ("d d refs/heads/main", ""),
        ("d f refs/heads/main", ""),
        ("- f refs/heads/main", ""),
        ("d e refs/heads/main", "cb"),
        ("d - refs/heads/main", "cb"),
        ("e - refs/heads/side", "e"),
        ("e a refs/heads/side", "e"),
        ("e ref:refs/heads/main refs/heads/side", "e"),
        ("- a refs/heads/new", ""),
        ("- d refs/heads/new", ""),
        // A symbolic reference to a branch is not a branch.
        ("ref:refs/heads/main a refs/heads/alias", ""),
        // Not branches.
        ("d a refs/tags/main", ""),
        ("d a HEAD", ""),
        // A step is not lost if another reference keeps it, in the same transaction or before it.
        ("d a refs/heads/main\n- d refs/heads/moved", ""),
        ("- d refs/tags/kept\nd a refs/heads/main", ""),
        ("d e refs/heads/main\ne d refs/heads/side", ""),
        ("d a refs/heads/main\ne a refs/heads/side", "ecb"),
        ("d a refs/heads/main\n- b refs/arborist/rescue/x", "c"),
    ] {
        assert_eq!(dropped(&fake(Deletion::End), lines), expected, "{lines}");
        let blind = Fake { tells: false, ..fake(Deletion::End) };
        assert_eq!(dropped(&blind, lines), expected, "by git alone: {lines}");
    }
}

#[test]
fn references_outside_of_the_transaction_keep_steps_and_those_in_it_do_not() {
    let mut kept = fake(Deletion::End);
    kept.graph.references.push(("refs/remotes/origin/main".to_owned(), id('c')));
    assert_eq!(dropped(&kept, "d a refs/heads/main"), "");
    assert_eq!(dropped(&kept, "d a refs/heads/main\nc - refs/remotes/origin/main"), "cb");
}

#[test]
fn a_deletion_that_only_packs_or_renames_drops_nothing() {
    for deletion in [Deletion::Packing, Deletion::Renaming] {
        assert_eq!(dropped(&fake(deletion), "e - refs/heads/side"), "");
    }
    let replaced = fake(Deletion::Replacement(id('a')));
    let found = dropped_from(&replaced, &transaction("- - refs/heads/side")).unwrap();
    assert_eq!((found.steps.len(), found.abortable), (1, Abortable::No));
    let contained = fake(Deletion::Replacement(id('f')));
    assert_eq!(dropped(&contained, "- - refs/heads/side"), "", "the renamed branch contains it");
}

#[test]
fn the_rewound_branches_and_the_subjects_of_the_steps_are_named() {
    let found =
        dropped_from(&fake(Deletion::End), &transaction("d a refs/heads/main\ne e refs/heads/side")).unwrap();
    assert_eq!(found.branches, ["refs/heads/main"]);
    let subjects: Vec<&str> = found.steps.iter().map(|step| step.subject.as_str()).collect();
    assert_eq!(subjects, ["task(c): x", "task(b): x"]);
}
