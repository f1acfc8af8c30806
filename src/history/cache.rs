//! Stores a run that was read from history, so that the next command can continue from there.
//!
//! The file is evidence, never state: it may be deleted, damaged or outdated at any moment, and the answer stays the
//! same. It is used only if it is complete, was written by this version for the same query, and HEAD descends from its
//! commit by a line of commits that [`FollowedRun`] can add. Otherwise everything is read. A run that was read from several
//! branches is stored in another file of the same form, and used only if all of them are still at the same commits. A run for which
//! the ends of other runs were looked at (`squashes`) is used only as long as references name the same ones. Objects that are not read
//! again are not checked again: damage to an old object shows only when it is read.

use std::collections::{BTreeSet, HashSet};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::cache_file::{CacheFile, Digest};
use super::follow::FollowedRun;
use super::path::RepoPath;
use super::range::Range;
use super::repository::Repository;
use super::run::{Query, Run};
use super::squash::Squashes;
use super::{AnchorRule, read_run, read_union};
use crate::error::Result;
use crate::plan::OpenBranches;
use crate::record::CommitId;

/// The version of the file format. It also changes whenever this program reads the same history differently.
const VERSION: u32 = 13;
/// A run is worth storing if more objects than this were read for it.
const WORTH_KEEPING: u64 = 64;

/// The folder in which runs are stored.
#[derive(Clone, Debug)]
pub struct Cache {
    pub(super) folder: PathBuf,
    /// A run is stored if more objects than this were read for it.
    worth_keeping: u64,
}

/// A run as it is stored in the cache file. The type parameters allow it to be written from references.
#[derive(Serialize, Deserialize)]
struct CachedRun<Tips, Steps, Doubts, Edited, Squashes> {
    head: CommitId,
    /// The tips of other branches from which it was read as well.
    beside: Tips,
    anchor: Option<CommitId>,
    tasks: Steps,
    phases: Steps,
    failed_phases: Steps,
    doubts: Doubts,
    edited: Edited,
    squashes: Squashes,
}

impl Cache {
    /// The cache of a repository, shared by all its work trees.
    #[must_use]
    pub fn of(common_dir: &Path) -> Self {
        Self { folder: common_dir.join("arborist").join("cache"), worth_keeping: WORTH_KEEPING }
    }

    /// The same cache, but it stores every run, even if few objects were read.
    #[must_use]
    pub fn keeping_all(self) -> Self {
        Self { worth_keeping: 0, ..self }
    }

    /// Like [`read_run`], but continues from the stored run if possible.
    ///
    /// # Errors
    /// As for [`read_run`]. Failing to store the run is not an error.
    pub fn read_run(&self, repository: &Repository, head: CommitId, query: &Query<'_>) -> Result<Run> {
        let file = self.file(query, "", question(repository, query)?);
        self.keeping(&file, repository, || {
            match kept(&file, repository, query).and_then(|run| go_on(repository, query, run, head)) {
                Some(run) => Ok(run),
                None => read_run(repository, head, query),
            }
        })
    }

    /// Like [`read_union`], but takes the stored run if it was read from the same commits.
    ///
    /// # Errors
    /// As for [`read_union`]. Failing to store the run is not an error.
    pub fn read_union(
        &self,
        repository: &Repository,
        head: CommitId,
        beside: Vec<CommitId>,
        query: &Query<'_>,
    ) -> Result<Run> {
        let mut question = question(repository, query)?;
        question.add_commits(std::iter::once(&head).chain(&beside));
        let file = self.file(query, "-union", question);
        match kept(&file, repository, query) {
            Some(run) => Ok(run),
            None => self.keeping(&file, repository, || read_union(repository, head, beside, query)),
        }
    }

    /// Like [`Repository::open_tips`], but takes the stored answer if there is one for the same commits.
    ///
    /// # Errors
    /// As for [`Repository::open_tips`]. Failing to store the answer is not an error.
    pub fn open_tips(
        &self,
        repository: &Repository,
        run: &Range,
        tips: &[CommitId],
        query: &Query<'_>,
    ) -> Result<HashSet<CommitId>> {
        let mut question = question(repository, query)?;
        question.add_commits(std::iter::once(&run.head()).chain(tips));
        let file = self.file(query, "-open", question);
        if let Some(open) = file.read() {
            return Ok(open);
        }
        let reads = repository.reads();
        let open = repository.open_tips(run, tips)?;
        if repository.reads() - reads > self.worth_keeping {
            // The answer is right even if it cannot be stored.
            let _ = file.write(&open);
        }
        Ok(open)
    }

    fn file(&self, query: &Query<'_>, of: &str, mut question: Digest) -> CacheFile {
        question.add(of.as_bytes());
        CacheFile::new(self.folder.join(format!("{}{of}", name(query))), question)
    }

    /// Reads a run, and stores it if that took long enough.
    fn keeping(
        &self,
        file: &CacheFile,
        repository: &Repository,
        read: impl FnOnce() -> Result<Run>,
    ) -> Result<Run> {
        let reads = repository.reads();
        let run = read()?;
        if repository.reads() - reads > self.worth_keeping {
            // The answer is right even if it cannot be stored.
            let _ = keep(file, &run);
        }
        Ok(run)
    }

    /// Removes everything that is stored, because a program that has run could have written anything here.
    pub fn forget(&self) {
        // If it cannot be removed, it could not have been written either.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

fn keep(file: &CacheFile, run: &Run) -> std::io::Result<()> {
    let Run { range, tasks, phases, failed_phases, unknown, doubts, edited, branches: _, squashes } = run;
    if !unknown.is_empty() || !range.is_known() {
        return Ok(());
    }
    let (head, beside) = (range.head(), range.beside());
    let anchor = range.anchor();
    file.write(&CachedRun { head, beside, anchor, tasks, phases, failed_phases, doubts, edited, squashes })
}

/// The run in a file; `None` if there is none, or if it depends on references that have changed.
fn kept(file: &CacheFile, repository: &Repository, query: &Query<'_>) -> Option<Run> {
    let CachedRun { head, beside, anchor, tasks, phases, failed_phases, doubts, edited, squashes } =
        file.read()?;
    let squashes: Squashes = squashes;
    if !repository.read_with(|source| squashes.are_current(source)).ok()? {
        return None;
    }
    let range = Range::to_find(head, query.tree_file, query.anchor).with_beside(beside).found(anchor);
    Some(Run {
        range,
        tasks,
        phases,
        failed_phases,
        unknown: Vec::new(),
        doubts,
        edited,
        branches: OpenBranches::default(),
        squashes,
    })
}

/// The run at `head`, if a line of commits leads there from the stored run. If something cannot be read, there is no
/// answer, and reading everything will show what is wrong.
fn go_on(repository: &Repository, query: &Query<'_>, kept: Run, head: CommitId) -> Option<Run> {
    if kept.range.head() == head {
        return Some(kept);
    }
    let followed = FollowedRun::new(repository, *query, kept);
    let run = followed.follow(head).ok().flatten()?;
    drop(followed);
    Some(Rc::unwrap_or_clone(run))
}

/// The name of the file for a plan. Each plan has one file, which stays the same when the plan is edited.
pub(super) fn name(query: &Query<'_>) -> String {
    let mut digest = Digest::default();
    digest.add(match query.anchor {
        AnchorRule::Plan => b"plan",
        AnchorRule::File => b"file",
    });
    digest.add(&query.tree_file.map(RepoPath::to_bytes).unwrap_or_default());
    digest.text()
}

/// A digest of everything that the answer depends on, except for the commits.
pub(super) fn question(repository: &Repository, query: &Query<'_>) -> Result<Digest> {
    let mut digest = Digest::default();
    digest.add(format!("{VERSION} {}", env!("CARGO_PKG_VERSION")).as_bytes());
    digest.add(name(query).as_bytes());
    let mut tasks: Vec<_> = query.tasks.iter().collect();
    tasks.sort_unstable();
    for (task, phase) in tasks {
        digest.add(task.as_str().as_bytes());
        digest.add(phase.as_str().as_bytes());
    }
    let shallow = repository.read_with(|source| source.facts().shallow())?;
    digest.add_commits(shallow.iter().collect::<BTreeSet<_>>());
    Ok(digest)
}
