//! Looks up branches, where they come from, and which of them others contain.

use std::collections::{BTreeMap, HashSet};

use super::graph::{Graph, Node};
use super::range::Range;
use super::reachability::{reachability, reached_from};
use super::repository::Repository;
use crate::error::Result;
use crate::record::CommitId;

impl Repository {
    /// The branches in a folder of branches, such as `arborist/plan`, by their names without `refs/heads/`, and their
    /// newest commits. This is quick if there are none.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn branches_in(&self, folder: &str) -> Result<BTreeMap<String, CommitId>> {
        let folder = format!("refs/heads/{folder}/");
        let found = self.read_with(|source| source.references(&[&folder]))?;
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
        let found = self.read_with(|source| source.references(&[&name]))?;
        Ok(found.into_iter().find(|(known, _)| *known == name).map(|(_, tip)| tip))
    }

    /// The branch of this repository that `branch` tracks; `None` if it tracks none, or one of another repository. Both
    /// names are without `refs/heads/`.
    ///
    /// # Errors
    /// If the configuration cannot be read.
    pub fn upstream(&self, branch: &str) -> Result<Option<String>> {
        self.read_with(|source| source.upstream(branch))
    }

    /// Which of these commits `head` reaches.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn reached_from(&self, head: CommitId, wanted: &[CommitId]) -> Result<HashSet<CommitId>> {
        if wanted.is_empty() {
            return Ok(HashSet::new());
        }
        self.read_graph(|graph| {
            let wanted = wanted.iter().map(|commit| graph.load(*commit)).collect::<Result<Vec<_>>>()?;
            let head = graph.load(head)?;
            let reached = reached_from(graph, head, &wanted)?;
            Ok(reached.into_iter().map(|node| graph.commit(node).id).collect())
        })
    }

    /// Which of these tips are of branches that belong to a run and are not merged into it: the head of the run does not reach
    /// them, and their first line of descent leads to a commit of the run.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn open_tips(&self, run: &Range, tips: &[CommitId]) -> Result<HashSet<CommitId>> {
        let merged = self.reached_from(run.head(), tips)?;
        let left: Vec<CommitId> = tips.iter().copied().filter(|tip| !merged.contains(tip)).collect();
        if left.is_empty() {
            return Ok(HashSet::new());
        }
        self.read_graph(|graph| {
            let top = graph.load(run.head())?;
            let anchor = run.anchor().map(|anchor| graph.load(anchor)).transpose()?;
            let of_run = reachability(graph, top, anchor)?;
            let mut open = HashSet::new();
            for tip in &left {
                if began_in(graph, *tip, |node| Some(node) == anchor || of_run.is_inside(node))? {
                    open.insert(*tip);
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
