//! Finds out what a push changes on the receiving side: which commits are new there, and which old ones are lost.

use std::collections::{BTreeMap, BTreeSet};

use super::commits::CommitGraph;
use super::guard::{LostStep, RefChange, lost_steps};
use crate::error::Result;
use crate::record::CommitId;

/// A push, as one side sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Push {
    /// The updates for which this side knows the commits that they replace.
    known: Vec<RefChange>,
    /// The updates that replace commits which this side does not have.
    unknown: Vec<RefChange>,
    /// The commits that the receiving side already has, as far as this side knows.
    there: BTreeSet<CommitId>,
    /// The commits of the references that the push leaves as they are.
    others: Vec<CommitId>,
}

/// The commits that a push brings: those that `wanted` can reach and `unwanted` cannot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewCommits {
    /// The commits that the references will name.
    pub wanted: Vec<CommitId>,
    /// The commits that the receiving side already has.
    pub unwanted: BTreeSet<CommitId>,
}

impl Push {
    /// The push to `remote`, as the sending side sees it. `references` are those of this side, and the remote-tracking
    /// ones show what the remote has. If this side does not have the commit that an update replaces (`is_here`), only
    /// the remote knows what the update would lose.
    #[must_use]
    pub fn sent(
        updates: Vec<RefChange>,
        remote: &str,
        references: &BTreeMap<String, CommitId>,
        is_here: impl Fn(&CommitId) -> bool,
    ) -> Self {
        let prefix = format!("refs/remotes/{remote}/");
        let (known, unknown): (Vec<_>, Vec<_>) =
            updates.into_iter().partition(|update| update.old.is_none_or(|old| is_here(&old)));
        let tracked = || references.iter().filter_map(|(name, id)| Some((name.strip_prefix(&prefix)?, *id)));
        let moves =
            |branch: &str| known.iter().any(|update| update.name.strip_prefix("refs/heads/") == Some(branch));
        let there = tracked().map(|(_, id)| id).chain(known.iter().filter_map(|update| update.old)).collect();
        let others = tracked().filter(|(branch, _)| !moves(branch)).map(|(_, id)| id).collect();
        Self { there, others, known, unknown }
    }

    /// The push as the receiving side sees it, with its current references.
    #[must_use]
    pub fn received(updates: Vec<RefChange>, references: &BTreeMap<String, CommitId>) -> Self {
        let moves = |name: &str| updates.iter().any(|update| update.name == name);
        let others = references.iter().filter(|(name, _)| !moves(name)).map(|(_, id)| *id).collect();
        let there = references.values().copied().collect();
        Self { known: updates, unknown: Vec::new(), there, others }
    }

    /// The names of the references for which this side does not know which commits would be lost.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        self.unknown.iter().map(|update| update.name.as_str())
    }

    /// The commits that are new to the receiving side; `None` if references are only deleted.
    #[must_use]
    pub fn new_commits(&self) -> Option<NewCommits> {
        let wanted: Vec<CommitId> =
            self.known.iter().chain(&self.unknown).filter_map(|update| update.new).collect();
        (!wanted.is_empty()).then(|| NewCommits { wanted, unwanted: self.there.clone() })
    }

    /// The steps that no reference of the receiving side could reach after the push.
    ///
    /// # Errors
    /// If the commits cannot be read.
    pub fn lost_steps(&self, commits: &impl CommitGraph) -> Result<Vec<LostStep>> {
        lost_steps(commits, &self.known, &self.others)
    }
}

#[cfg(test)]
mod tests {
    use super::super::graph::{TestGraph, id, name};
    use super::*;

    fn by_name(graph: &TestGraph) -> BTreeMap<String, CommitId> {
        graph.references.iter().cloned().collect()
    }

    /// Updates such as `main d a`: the branch, the commit that it names on the other side, and the one that it will
    /// name.
    fn updates(lines: &[&str]) -> Vec<RefChange> {
        let commit = |word: &str| word.chars().find(|name| *name != '-').map(id);
        let update = |line: &&str| {
            let words: Vec<&str> = line.split(' ').collect();
            RefChange {
                name: format!("refs/heads/{}", words[0]),
                old: commit(words[1]),
                new: commit(words[2]),
            }
        };
        lines.iter().map(update).collect()
    }

    /// A person's commit `a`, above it the steps `b` and `c` and a person's `d`; the step `e` above `a`.
    fn graph(references: &[(&str, char)]) -> TestGraph {
        TestGraph::new(&["a -", "b a step", "c b step", "d c", "e a step", "f de"])
            .with_references(references)
    }

    /// The names of the commits that are checked, and of the steps that are lost, the newest first.
    fn seen(push: &Push, graph: &TestGraph) -> (String, String) {
        let mut checked = String::new();
        if let Some(NewCommits { wanted, unwanted }) = push.new_commits() {
            let unwanted: Vec<CommitId> = unwanted.into_iter().collect();
            graph.between(&wanted, &unwanted, &mut |commit| checked.push(name(&commit.id))).unwrap();
        }
        (checked, push.lost_steps(graph).unwrap().iter().map(|lost| name(&lost.id)).collect())
    }

    /// References of the other side, the updates, and the expected commits and lost steps.
    type Case<'a> = (&'a [(&'a str, char)], &'a [&'a str], &'a str, &'a str);

    #[test]
    fn the_receiving_side_checks_new_commits_and_loses_none_that_a_reference_keeps() {
        let (main, side) = (("refs/heads/main", 'd'), ("refs/heads/side", 'e'));
        let cases: &[Case<'_>] = &[
            (&[], &["main - d"], "dcba", ""),
            (&[], &["main - d", "side - e"], "edcba", ""),
            (&[main], &["main d f"], "fe", ""),
            (&[main, side], &["main d f"], "f", ""),
            (&[main], &["side - e"], "e", ""),
            // Only a person's commit goes.
            (&[main], &["main d c"], "", ""),
            (&[main], &["main d b"], "", "c"),
            (&[main], &["main d a"], "", "cb"),
            (&[main], &["main d e"], "e", "cb"),
            (&[main], &["main d -"], "", "cb"),
            (&[main, side], &["main d -", "side e -"], "", "ecb"),
            // Another reference keeps them, or will.
            (&[main, ("refs/heads/keep", 'c')], &["main d a"], "", ""),
            (&[main, ("refs/tags/keep", 'd')], &["main d -"], "", ""),
            (&[main, ("refs/heads/keep", 'b')], &["main d a"], "", "c"),
            (&[main, ("refs/heads/keep", 'c')], &["main d a", "keep c a"], "", "cb"),
            (&[main], &["main d a", "moved - d"], "", ""),
            (&[main, side], &["main d e", "side e d"], "", ""),
        ];
        for (references, lines, checked, lost) in cases {
            let graph = graph(references);
            let push = Push::received(updates(lines), &by_name(&graph));
            let expected = ((*checked).to_owned(), (*lost).to_owned());
            assert_eq!(seen(&push, &graph), expected, "{references:?} {lines:?}");
        }
    }

    #[test]
    fn the_sending_side_knows_the_other_by_its_remote_tracking_branches() {
        let main = ("refs/remotes/origin/main", 'd');
        let cases: &[Case<'_>] = &[
            (&[], &["main - d"], "dcba", ""),
            (&[main], &["main d f"], "fe", ""),
            (&[main], &["other - f"], "fe", ""),
            (&[main], &["main d a"], "", "cb"),
            (&[main], &["main d -"], "", "cb"),
            // The branch has moved on there, and its present commit is also here.
            (&[("refs/remotes/origin/main", 'c')], &["main d f"], "fe", ""),
            (&[main, ("refs/remotes/origin/keep", 'c')], &["main d a"], "", ""),
            // Local branches, tags and other remotes keep no commit on the other side.
            (&[main, ("refs/heads/main", 'd'), ("refs/tags/t", 'd')], &["main d a"], "", "cb"),
            (&[main, ("refs/remotes/fork/main", 'd')], &["main d a"], "", "cb"),
            (&[("refs/remotes/fork/main", 'd')], &["main - d"], "dcba", ""),
            // A branch whose name ends alike is another one.
            (&[main, ("refs/remotes/origin/x/main", 'd')], &["main d a"], "", ""),
        ];
        for (references, lines, checked, lost) in cases {
            let graph = graph(references);
            let push = Push::sent(updates(lines), "origin", &by_name(&graph), |_| true);
            let expected = ((*checked).to_owned(), (*lost).to_owned());
            assert_eq!(seen(&push, &graph), expected, "{references:?} {lines:?}");
            assert_eq!(push.unknown().count(), 0);
        }
    }

    #[test]
    fn an_update_that_replaces_unknown_commits_is_checked_and_then_left_to_the_other_side() {
        let graph = graph(&[("refs/remotes/origin/main", 'b')]);
        let is_here = |commit: &CommitId| *commit != id('9');
        let push = Push::sent(updates(&["main 9 d", "side e -"]), "origin", &by_name(&graph), is_here);
        assert_eq!(push.unknown().collect::<Vec<_>>(), ["refs/heads/main"]);
        assert_eq!(seen(&push, &graph), ("dc".to_owned(), "e".to_owned()));
    }
}
