//! Looks up branches, where they come from, and which of them others contain.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BinaryHeap, HashMap, HashSet};

use super::range::Range;
use super::repository::Repository;
use super::source::{Source, read_commit};
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
        self.read_with(|source| reached_from(&mut Dated::of(source), head, wanted))
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
        self.read_with(|source| {
            let mut dated = Dated::of(source);
            let merged = reached_from(&mut dated, head, &tips)?;
            let left: Vec<CommitId> = tips.iter().copied().filter(|tip| !merged.contains(tip)).collect();
            if left.is_empty() {
                return Ok(HashSet::new());
            }
            let of_run = commits_since(&mut dated, head, run.anchor())?;
            let mut open = HashSet::new();
            for tip in left {
                if began_in(&mut dated, tip, &of_run)? {
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

/// Reads the dates and the parents of commits, each commit once.
struct Dated<'s> {
    source: &'s mut dyn Source,
    known: HashMap<CommitId, (i64, Vec<CommitId>)>,
    data: Vec<u8>,
}

impl<'s> Dated<'s> {
    fn of(source: &'s mut dyn Source) -> Self {
        Self { source, known: HashMap::new(), data: Vec::new() }
    }

    /// The date and the parents of a commit.
    fn get(&mut self, id: CommitId) -> Result<&(i64, Vec<CommitId>)> {
        Ok(match self.known.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(unknown) => {
                let commit = read_commit(self.source, &id, &mut self.data)?;
                unknown.insert((commit.time, commit.parents().collect()))
            }
        })
    }

    fn time(&mut self, id: CommitId) -> Result<i64> {
        Ok(self.get(id)?.0)
    }

    fn parents(&mut self, id: CommitId) -> Result<Vec<CommitId>> {
        Ok(self.get(id)?.1.clone())
    }
}

/// The commits that `head` reaches, from the newest to `anchor`, which is one of them; all of them if there is no anchor.
/// Older ones may be among them.
fn commits_since(
    dated: &mut Dated<'_>,
    head: CommitId,
    anchor: Option<CommitId>,
) -> Result<HashSet<CommitId>> {
    let oldest = match anchor {
        Some(anchor) => dated.time(anchor)?,
        None => i64::MIN,
    };
    let shallow = dated.source.facts().shallow()?;
    let (mut seen, mut idle) = (HashSet::from([head]), 0);
    let mut queue = BinaryHeap::from([(dated.time(head)?, head)]);
    while let Some((time, id)) = queue.pop() {
        idle = if time < oldest { idle + 1 } else { 0 };
        if idle > CAUTION {
            break;
        }
        if Some(id) == anchor || shallow.contains(&id) {
            continue;
        }
        for parent in dated.parents(id)? {
            if seen.insert(parent) {
                queue.push((dated.time(parent)?, parent));
            }
        }
    }
    Ok(seen)
}

fn reached_from(dated: &mut Dated<'_>, head: CommitId, wanted: &[CommitId]) -> Result<HashSet<CommitId>> {
    let mut oldest = i64::MAX;
    for commit in wanted {
        oldest = oldest.min(dated.time(*commit)?);
    }
    let shallow = dated.source.facts().shallow()?;
    let mut left: HashSet<CommitId> = wanted.iter().copied().collect();
    let (mut found, mut seen, mut idle) = (HashSet::new(), HashSet::from([head]), 0);
    let mut queue = BinaryHeap::from([(dated.time(head)?, head)]);
    while let Some((time, id)) = queue.pop() {
        if left.remove(&id) {
            found.insert(id);
        }
        idle = if time < oldest { idle + 1 } else { 0 };
        if left.is_empty() || idle > CAUTION {
            break;
        }
        if shallow.contains(&id) {
            continue;
        }
        for parent in dated.parents(id)? {
            if seen.insert(parent) {
                queue.push((dated.time(parent)?, parent));
            }
        }
    }
    Ok(found)
}

/// How many commits of a branch are looked at to find where it began.
const LONGEST: usize = 10_000;

/// Whether the first line of descent from a commit leads to one of these.
fn began_in(dated: &mut Dated<'_>, tip: CommitId, commits: &HashSet<CommitId>) -> Result<bool> {
    let mut at = tip;
    for _ in 0..LONGEST {
        if commits.contains(&at) {
            return Ok(true);
        }
        match dated.get(at)?.1.first() {
            Some(parent) => at = *parent,
            None => return Ok(false),
        }
    }
    Ok(false)
}
