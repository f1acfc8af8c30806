//! Looks up branches, where they come from, and which of them others contain.

use std::collections::{BTreeMap, BinaryHeap, HashSet};

use super::graph::{Graph, Node};
use super::range::Range;
use super::reachability::reachability;
use super::repository::Repository;
use crate::error::Result;
use crate::record::CommitId;

/// How many commits are read after the dates say that nothing more can be found. Dates may be wrong.
const CAUTION: usize = 256;

impl Repository {
    /// The branches in a folder of branches, such as `arborist/plan`, by their names without `refs/heads/`, and their
    /// newest commits. This is quick if there are none.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn branches_in(&self, folder: &str) -> Result<BTreeMap<String, CommitId>> {
        let folder = format!("refs/heads/{folder}/");
        let found = self.read_with(|source| source.facts().references(&[&folder]))?;
        let branch =
            |(name, tip): (String, CommitId)| Some((name.strip_prefix("refs/heads/")?.to_owned(), tip));
        Ok(found.into_iter().filter_map(branch).collect())
    }

    /// The newest commit of a branch, if there is such a branch. Its name is given without `refs/heads/`.
    ///
    /// # Errors
    /// If branches cannot be listed.
    pub fn tip_of(&self, branch: &str) -> Result<Option<CommitId>> {
        let name = format!("refs/heads/{branch}");
        let found = self.read_with(|source| source.facts().references(&[&name]))?;
        Ok(found.into_iter().find(|(known, _)| *known == name).map(|(_, tip)| tip))
    }

    /// The branch of this repository that `branch` tracks; `None` if it tracks none, or one of another repository. Both
    /// names are without `refs/heads/`.
    ///
    /// # Errors
    /// If the configuration cannot be read.
    pub fn upstream(&self, branch: &str) -> Result<Option<String>> {
        self.read_with(|source| source.facts().upstream(branch))
    }

    /// Which of these commits `head` reaches. Commits are read newest first, until all are found or the dates say that the
    /// others are not there.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn reached_from(&self, head: CommitId, wanted: &[CommitId]) -> Result<HashSet<CommitId>> {
        if wanted.is_empty() {
            return Ok(HashSet::new());
        }
        self.read_graph(|graph| reached_from(graph, head, wanted))
    }

    /// Which of these tips are of branches that belong to a run and are not merged into it: the head of the run does not reach
    /// them, and their first line of descent leads to a commit of the run.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn open_tips(&self, run: &Range, tips: &[CommitId]) -> Result<HashSet<CommitId>> {
        let head = run.head();
        let tips: Vec<CommitId> = tips.iter().copied().filter(|tip| *tip != head).collect();
        if tips.is_empty() {
            return Ok(HashSet::new());
        }
        self.read_graph(|graph| {
            let merged = reached_from(graph, head, &tips)?;
            let left: Vec<CommitId> = tips.iter().copied().filter(|tip| !merged.contains(tip)).collect();
            if left.is_empty() {
                return Ok(HashSet::new());
            }
            let top = graph.load(head)?;
            let anchor = run.anchor().map(|anchor| graph.load(anchor)).transpose()?;
            let of_run = reachability(graph, top, anchor)?;
            let mut open = HashSet::new();
            for tip in left {
                if began_in(graph, tip, |node| Some(node) == anchor || of_run.is_inside(node))? {
                    open.insert(tip);
                }
            }
            Ok(open)
        })
    }

    /// Whether `head` is this commit or descends from it.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn reaches(&self, head: CommitId, commit: CommitId) -> Result<bool> {
        Ok(self.reached_from(head, &[commit])?.contains(&commit))
    }
}

fn reached_from(graph: &mut Graph<'_>, head: CommitId, wanted: &[CommitId]) -> Result<HashSet<CommitId>> {
    let mut left = HashSet::new();
    for commit in wanted {
        left.insert(graph.load(*commit)?);
    }
    let oldest = left.iter().map(|node| graph.commit(*node).time).min().unwrap_or(i64::MAX);
    let head = graph.load(head)?;
    let (mut found, mut seen, mut idle) = (HashSet::new(), HashSet::from([head]), 0);
    let mut queue = BinaryHeap::from([(graph.commit(head).time, head)]);
    while let Some((time, node)) = queue.pop() {
        if left.remove(&node) {
            found.insert(graph.commit(node).id);
        }
        idle = if time < oldest { idle + 1 } else { 0 };
        if left.is_empty() || idle > CAUTION {
            break;
        }
        for parent in graph.parents(node)?.to_vec() {
            if seen.insert(parent) {
                queue.push((graph.commit(parent).time, parent));
            }
        }
    }
    Ok(found)
}

/// How many commits of a branch are looked at to find where it began.
const LONGEST: usize = 10_000;

/// Whether the first line of descent from a commit leads to one of these.
fn began_in(graph: &mut Graph<'_>, tip: CommitId, is_one: impl Fn(Node) -> bool) -> Result<bool> {
    let mut at = graph.load(tip)?;
    for _ in 0..LONGEST {
        if is_one(at) {
            return Ok(true);
        }
        match graph.parents(at)?.first() {
            Some(parent) => at = *parent,
            None => return Ok(false),
        }
    }
    Ok(false)
}
