//! Where a run and a branch parted, and which commits of the branch have the changes of the run since.

use std::collections::{BTreeSet, HashSet};

use super::graph::{Annotate, Graph, Node};
use super::landings::is_commit;
use super::order::children_first;
use super::raw::{ObjectId, RawCommit};
use super::reachability::reachability;
use super::repository::Repository;
use super::source::Source;
use super::squash::{ends_of_runs, is_numbered};
use super::squash_files::{Agreement, SquashTrees};
use crate::error::Result;
use crate::record::{CommitId, CommitKind, Landing, RevertClaim, artifacts_in, commit_kind, title};

/// How many commits of a person may follow the last step of a run on its branch.
const AFTER_LAST_STEP: usize = 50;

/// What is kept of a commit: only what its message says at first sight.
pub(super) struct Titles;

/// What a message says at first sight.
pub(super) struct AtFirstSight {
    /// Whether it is that of a step or of a landed commit.
    pub(super) is_ours: bool,
    /// Whether its title ends in the number of a request.
    is_numbered: bool,
}

impl Annotate for Titles {
    type Note = AtFirstSight;

    fn note(&self, _: CommitId, commit: &RawCommit<'_>) -> AtFirstSight {
        let message = commit.message;
        let is_step = matches!(commit_kind(message), CommitKind::Task(..) | CommitKind::Phase(..));
        let is_ours = is_step || !Landing::all_in(message).is_empty();
        AtFirstSight { is_ours, is_numbered: is_numbered(message) }
    }

    fn reverts(&self, _: &[u8]) -> Vec<RevertClaim> {
        Vec::new()
    }

    fn is_step(note: &AtFirstSight) -> bool {
        note.is_ours
    }
}

/// Where a run and a branch parted, and their commits since, children before parents.
pub(super) struct Fork {
    head: Node,
    tip: Node,
    pub(super) base: Node,
    here: Vec<Node>,
    pub(super) there: Vec<Node>,
}

impl Fork {
    /// `None` if there is no such place, or no single one, or if nothing there looks like a run.
    pub(super) fn of(graph: &mut Graph<'_, Titles>, head: Node, tip: Node) -> Result<Option<Self>> {
        if !may_end_run(graph, tip)? {
            return Ok(None);
        }
        let inside = reachability(graph, tip, Some(head))?;
        let there = children_first(graph, &inside, tip);
        let parents = there.iter().flat_map(|node| graph.known_parents(*node));
        let bases: BTreeSet<Node> = parents.filter(|parent| !inside.is_inside(*parent)).collect();
        let Some(base) = best_of(graph, &bases)? else { return Ok(None) };
        let inside = reachability(graph, head, Some(tip))?;
        let here = children_first(graph, &inside, head);
        let notes = |node: &Node| &graph.commit(*node).note;
        let is_run = there.iter().any(|node| notes(node).is_ours || notes(node).is_numbered);
        Ok((is_run && !here.is_empty()).then_some(Self { head, tip, base, here, there }))
    }

    /// The commits of the branch that make the changes of the run without saying so, if their changes are still there.
    pub(super) fn squashes(&self, graph: &mut Graph<'_, Titles>) -> Result<Vec<(Node, Agreement)>> {
        let mut generated = None;
        let mut found = Vec::new();
        for &node in &self.here {
            let AtFirstSight { is_ours, is_numbered } = graph.commit(node).note;
            let parents: Vec<Node> = graph.known_parents(node).collect();
            let [parent] = parents[..] else { continue };
            if is_ours || !is_numbered {
                continue;
            }
            let generated = match &generated {
                Some(known) => known,
                None => generated.insert(self.generated(graph)?),
            };
            let [base, tip] = graph_trees(graph, self.base, self.tip);
            let [before, after] = graph_trees(graph, parent, node);
            let now = graph.commit(self.head).tree;
            let agreement =
                SquashTrees { base, tip, before, after, now }.agreement(graph.source, generated)?;
            if agreement != Agreement::None
                && self.is_below(graph, node)?
                && !self.is_taken_back(graph, node)?
            {
                found.push((node, agreement));
            }
        }
        Ok(found)
    }

    /// The files that steps of the run name as generated.
    fn generated(&self, graph: &mut Graph<'_, Titles>) -> Result<HashSet<Vec<u8>>> {
        let mut generated = HashSet::new();
        for &node in &self.there {
            if graph.commit(node).note.is_ours {
                generated.extend(artifacts_in(&graph.message(node)?).into_iter().map(String::into_bytes));
            }
        }
        Ok(generated)
    }

    /// Whether a commit descends from the place where both parted.
    fn is_below(&self, graph: &mut Graph<'_, Titles>, node: Node) -> Result<bool> {
        Ok(!reachability(graph, self.base, Some(node))?.is_inside(self.base))
    }

    /// Whether a commit quotes the title of this one as reverted, and does not name it otherwise: a forge has kept only the title of
    /// a revert. Other reverts are understood by those who read the run.
    fn is_taken_back(&self, graph: &mut Graph<'_, Titles>, node: Node) -> Result<bool> {
        let quoted = [b"Revert \"", title(&graph.message(node)?).as_slice(), b"\""].concat();
        for &other in self.here.iter().take_while(|other| **other != node) {
            let message = graph.message(other)?;
            if title(&message).starts_with(&quoted) && RevertClaim::all_in(&message).is_empty() {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Whether a branch may be that of a run: its last commits have steps, or landed work.
fn may_end_run(graph: &mut Graph<'_, Titles>, tip: Node) -> Result<bool> {
    let mut next = Some(tip);
    for _ in 0..AFTER_LAST_STEP {
        let Some(node) = next else { break };
        let AtFirstSight { is_ours, is_numbered } = graph.commit(node).note;
        if is_ours || is_numbered {
            return Ok(true);
        }
        next = graph.parent(node, 0)?;
    }
    Ok(false)
}

/// The one of these commits from which all others are reached.
fn best_of(graph: &mut Graph<'_, Titles>, bases: &BTreeSet<Node>) -> Result<Option<Node>> {
    for &base in bases {
        let mut is_best = true;
        for &other in bases.iter().filter(|other| **other != base) {
            is_best = is_best && !reachability(graph, other, Some(base))?.is_inside(other);
        }
        if is_best {
            return Ok(Some(base));
        }
    }
    Ok(None)
}

impl Repository {
    /// Whether a commit has the changes of a run whose end is here, so that it counts as landed without saying so. The end of a run
    /// that cannot be read makes no commit count.
    ///
    /// # Errors
    /// If references cannot be listed.
    pub fn has_changes_of_a_run(&self, commit: &CommitId) -> Result<bool> {
        self.read_with(|source| {
            let ends = ends_of_runs(source)?;
            Ok(ends.iter().any(|tip| has_squash(source, *commit, *tip, |one| one == commit).unwrap_or(false)))
        })
    }

    /// Whether `head` has a commit that has the changes of the run that ends with this commit, and counts for that reason. What cannot
    /// be read is no run.
    #[must_use]
    pub fn has_squash_of(&self, tip: &CommitId, head: &CommitId) -> bool {
        self.read_with(|source| has_squash(source, *head, *tip, |_| true)).unwrap_or(false)
    }
}

fn has_squash(
    source: &mut dyn Source,
    head: CommitId,
    tip: CommitId,
    is_meant: impl Fn(&CommitId) -> bool,
) -> Result<bool> {
    if !is_commit(source, &tip) {
        return Ok(false);
    }
    let mut graph = Graph::new(source, &Titles)?;
    let (head, tip) = (graph.load(head)?, graph.load(tip)?);
    let Some(fork) = Fork::of(&mut graph, head, tip)? else { return Ok(false) };
    let squashes = fork.squashes(&mut graph)?;
    let counts = |(node, agreement): &(Node, Agreement)| {
        *agreement == Agreement::Certain && is_meant(&graph.commit(*node).id)
    };
    Ok(squashes.iter().any(counts))
}

/// The root trees of two commits.
pub(super) fn graph_trees(graph: &Graph<'_, Titles>, one: Node, other: Node) -> [ObjectId; 2] {
    [one, other].map(|node| graph.commit(node).tree)
}
