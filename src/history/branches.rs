//! Looks up branches, where they come from, and which of them others contain.

use std::collections::{BTreeMap, BinaryHeap, HashSet};

use super::raw::RawCommit;
use super::repository::Repository;
use super::source::{ObjectKind, Source, unreadable};
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
        Ok(self.read_with(|source| source.facts().branches_in(folder))?.into_iter().collect())
    }

    /// The newest commit of a branch, if there is such a branch. Its name is given without `refs/heads/`.
    ///
    /// # Errors
    /// If branches cannot be listed.
    pub fn tip_of(&self, branch: &str) -> Result<Option<CommitId>> {
        let name = format!("refs/heads/{branch}");
        let references = self.references()?;
        Ok(references.into_iter().find(|(known, _)| *known == name).map(|(_, tip)| tip))
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
        self.read_with(|source| reached_from(source, head, wanted))
    }

    /// The commits that `head` reaches, from the newest to `anchor`, which is one of them; all of them if there is no anchor.
    /// Older ones may be among them.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn commits_since(&self, head: CommitId, anchor: Option<CommitId>) -> Result<HashSet<CommitId>> {
        self.read_with(|source| commits_since(source, head, anchor))
    }

    /// Whether `head` is this commit or descends from it.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn reaches(&self, head: CommitId, commit: CommitId) -> Result<bool> {
        Ok(self.reached_from(head, &[commit])?.contains(&commit))
    }
}

/// The date and the parents of a commit.
fn dated(source: &mut dyn Source, id: CommitId) -> Result<(i64, Vec<CommitId>)> {
    let mut data = Vec::new();
    source.read(&id, ObjectKind::Commit, &mut data)?;
    let commit = RawCommit::parse(&data).ok_or_else(|| unreadable(&id, "it is not a commit"))?;
    Ok((commit.time, commit.parents().collect()))
}

fn commits_since(
    source: &mut dyn Source,
    head: CommitId,
    anchor: Option<CommitId>,
) -> Result<HashSet<CommitId>> {
    let oldest = match anchor {
        Some(anchor) => dated(source, anchor)?.0,
        None => i64::MIN,
    };
    let shallow = source.facts().shallow()?;
    let (mut seen, mut idle) = (HashSet::from([head]), 0);
    let first = dated(source, head)?;
    let mut queue = BinaryHeap::from([(first.0, head, first.1)]);
    while let Some((time, id, parents)) = queue.pop() {
        idle = if time < oldest { idle + 1 } else { 0 };
        if idle > CAUTION {
            break;
        }
        if Some(id) == anchor || shallow.contains(&id) {
            continue;
        }
        for parent in parents {
            if seen.insert(parent) {
                let (time, parents) = dated(source, parent)?;
                queue.push((time, parent, parents));
            }
        }
    }
    Ok(seen)
}

fn reached_from(source: &mut dyn Source, head: CommitId, wanted: &[CommitId]) -> Result<HashSet<CommitId>> {
    let mut oldest = i64::MAX;
    for commit in wanted {
        oldest = oldest.min(dated(source, *commit)?.0);
    }
    let shallow = source.facts().shallow()?;
    let mut left: HashSet<CommitId> = wanted.iter().copied().collect();
    let (mut found, mut seen, mut idle) = (HashSet::new(), HashSet::from([head]), 0);
    let first = dated(source, head)?;
    let mut queue = BinaryHeap::from([(first.0, head, first.1)]);
    while let Some((time, id, parents)) = queue.pop() {
        if left.remove(&id) {
            found.insert(id);
        }
        idle = if time < oldest { idle + 1 } else { 0 };
        if left.is_empty() || idle > CAUTION {
            break;
        }
        for parent in parents.into_iter().filter(|_| !shallow.contains(&id)) {
            if seen.insert(parent) {
                let (time, parents) = dated(source, parent)?;
                queue.push((time, parent, parents));
            }
        }
    }
    Ok(found)
}
