//! Stores a run that was read from history, so that the next command can continue from there.
//!
//! The file is evidence, never state: it may be deleted, damaged or outdated at any moment, and the answer stays the
//! same. It is used only if it is complete, was written by this version for the same query, and HEAD descends from its
//! commit by a line of commits that [`FollowedRun`] can add. Otherwise everything is read. Objects that are not read
//! again are not checked again: damage to an old object shows only when it is read.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::rc::Rc;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use super::cache_file::{CacheFile, Digest};
use super::follow::FollowedRun;
use super::path::RepoPath;
use super::range::Range;
use super::repository::Repository;
use super::run::{Query, Run};
use super::{AnchorRule, read_run};
use crate::error::Result;
use crate::plan::OpenBranches;
use crate::record::CommitId;

/// The version of the file format. It also changes whenever this program reads the same history differently.
const VERSION: u32 = 6;
/// A run is worth storing if more objects than this were read for it.
const WORTH_KEEPING: u64 = 64;

/// The folder in which runs are stored.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    /// A run is stored if more objects than this were read for it.
    worth_keeping: u64,
}

/// A run as it is stored in the cache file. The type parameters allow it to be written from references.
#[derive(Serialize, Deserialize)]
struct CachedRun<Steps, Doubts, Edited> {
    head: CommitId,
    anchor: Option<CommitId>,
    tasks: Steps,
    phases: Steps,
    doubts: Doubts,
    edited: Edited,
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
        let file = CacheFile::new(self.folder.join(name(query)), question(repository, query)?);
        let reads = repository.reads();
        let run = match kept(&file, query).and_then(|run| go_on(repository, query, run, head)) {
            Some(run) => run,
            None => read_run(repository, head, query)?,
        };
        if repository.reads() - reads > self.worth_keeping {
            // The answer is right even if it cannot be stored.
            let _ = keep(&file, &run);
        }
        Ok(run)
    }

    /// The file for an answer that depends only on HEAD, on branches of phases if there are any, and on a plan whose tree file has this content.
    ///
    /// # Errors
    /// If the repository cannot be read.
    pub fn answer(
        &self,
        repository: &Repository,
        head: CommitId,
        plan: &PlanContent<'_>,
    ) -> Result<PlanAnswer> {
        let query = Query { tree_file: plan.tree_file, anchor: plan.anchor, tasks: &HashMap::new() };
        let mut digest = question(repository, &query)?;
        digest.add(head.as_bytes());
        add_branches(&mut digest, repository)?;
        digest.add(plan.bytes);
        let path = self.folder.join(format!("{}-{}", name(&query), plan.question));
        Ok(PlanAnswer { file: CacheFile::new(path, digest) })
    }

    /// Removes everything that is stored, because a program that has run could have written anything here.
    pub fn forget(&self) {
        // If it cannot be removed, it could not have been written either.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// A plan, and a question about it.
#[derive(Clone, Copy, Debug)]
pub struct PlanContent<'a> {
    /// The tree file, as in [`Query`].
    pub tree_file: Option<&'a RepoPath>,
    /// What begins a run.
    pub anchor: AnchorRule,
    /// The content of the tree file.
    pub bytes: &'a [u8],
    /// The name of the question.
    pub question: &'a str,
}

/// The file that stores an answer about a plan at a commit.
pub struct PlanAnswer {
    file: CacheFile,
}

impl PlanAnswer {
    /// The answer, if it is stored.
    #[must_use]
    pub fn get<T: DeserializeOwned>(&self) -> Option<T> {
        self.file.read()
    }

    /// Stores the answer, if that is possible.
    pub fn keep(&self, answer: &impl Serialize) {
        // The answer is right even if it cannot be stored.
        let _ = self.file.write(answer);
    }
}

fn keep(file: &CacheFile, run: &Run) -> std::io::Result<()> {
    let Run { range, tasks, phases, unknown, doubts, edited, branches: _ } = run;
    if !unknown.is_empty() || !range.is_known() {
        return Ok(());
    }
    file.write(&CachedRun { head: range.head(), anchor: range.anchor(), tasks, phases, doubts, edited })
}

/// The run in a file; `None` if there is none.
fn kept(file: &CacheFile, query: &Query<'_>) -> Option<Run> {
    let CachedRun { head, anchor, tasks, phases, doubts, edited } = file.read()?;
    let range = Range::to_find(head, query.tree_file, query.anchor).found(anchor);
    Some(Run { range, tasks, phases, unknown: Vec::new(), doubts, edited, branches: OpenBranches::default() })
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

/// Adds all branches if phases have some, because the answer may then depend on others than the one of `HEAD`.
fn add_branches(digest: &mut Digest, repository: &Repository) -> Result<()> {
    if repository.branches_in("arborist")?.is_empty() {
        return Ok(());
    }
    let branch = repository.branch().map_or_else(|_| String::new(), |head| head.branch);
    digest.add(branch.as_bytes());
    for (name, tip) in repository.references()? {
        digest.add(name.as_bytes());
        digest.add(tip.as_bytes());
    }
    Ok(())
}

/// The name of the file for a plan. Each plan has one file, which stays the same when the plan is edited.
fn name(query: &Query<'_>) -> String {
    let mut digest = Digest::default();
    digest.add(match query.anchor {
        AnchorRule::Plan => b"plan",
        AnchorRule::File => b"file",
    });
    digest.add(&query.tree_file.map(RepoPath::to_bytes).unwrap_or_default());
    digest.text()
}

/// A digest of everything that the answer depends on, except for the commits.
fn question(repository: &Repository, query: &Query<'_>) -> Result<Digest> {
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
    for commit in shallow.iter().collect::<BTreeSet<_>>() {
        digest.add(commit.as_bytes());
    }
    Ok(digest)
}
