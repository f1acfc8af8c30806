//! Stores a run that was read from history, so that the next command can continue from there.
//!
//! The file is evidence, never state: it may be deleted, damaged or outdated at any moment, and the answer stays the
//! same. It is used only if it is complete, was written by this version for the same query, and HEAD descends from its
//! commit by a line of commits that [`FollowedRun`] can add. Otherwise everything is read. Objects that are not read
//! again are not checked again: damage to an old object shows only when it is read.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha1_smol::Sha1;

use super::follow::FollowedRun;
use super::range::Range;
use super::repository::Repository;
use super::run::{Query, Run};
use super::{AnchorRule, read_run};
use crate::error::Result;
use crate::files;
use crate::record::{CommitId, Doubt, StepCommit, TaskId};

/// The version of the file format. It also changes whenever this program reads the same history differently.
const VERSION: u32 = 1;
/// A run is worth storing if more objects than this were read for it.
const WORTH_KEEPING: u64 = 64;

/// The folder in which runs are stored.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    /// A run is stored if more objects than this were read for it.
    worth_keeping: u64,
}

/// A run as it is stored in the cache file.
#[derive(Serialize, Deserialize)]
struct CachedRun {
    head: CommitId,
    anchor: Option<CommitId>,
    tasks: HashMap<TaskId, StepCommit>,
    phases: HashMap<TaskId, StepCommit>,
    doubts: Vec<Doubt>,
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
        let question = question(repository, query)?;
        let file = self.folder.join(name(query));
        let reads = repository.reads();
        let run = match kept(&file, &question, query).map(|run| go_on(repository, query, run, head)) {
            Some(Some(run)) => run,
            Some(None) | None => read_run(repository, head, query)?,
        };
        if repository.reads() - reads > self.worth_keeping {
            // The answer is right even if it cannot be stored.
            let _ = self.keep(&file, &question, &run);
        }
        Ok(run)
    }

    /// Removes everything that is stored, because a program that was at work could have written anything here.
    pub fn forget(&self) {
        // If it cannot be removed, it could not have been written either.
        let _ = std::fs::remove_dir_all(&self.folder);
    }

    fn keep(&self, file: &Path, question: &str, run: &Run) -> std::io::Result<()> {
        let Run { range, tasks, phases, unknown, doubts } = run;
        if !unknown.is_empty() || !range.is_known() {
            return Ok(());
        }
        let kept = CachedRun {
            head: range.head(),
            anchor: range.anchor(),
            tasks: tasks.clone(),
            phases: phases.clone(),
            doubts: doubts.clone(),
        };
        let json = serde_json::to_vec(&kept).expect("a run has only texts and numbers as keys and values");
        std::fs::create_dir_all(&self.folder)?;
        files::replace(file, &[seal(question, &json).as_bytes(), b"\n", &json].concat())
    }
}

/// The run in a file; `None` if there is none, or anything is wrong with it.
fn kept(file: &Path, question: &str, query: &Query<'_>) -> Option<Run> {
    let bytes = files::read(file, files::LARGE).ok()?;
    let end = memchr::memchr(b'\n', &bytes)?;
    let json = &bytes[end + 1..];
    if bytes[..end] != *seal(question, json).as_bytes() {
        return None;
    }
    let CachedRun { head, anchor, tasks, phases, doubts } = serde_json::from_slice(json).ok()?;
    let range = Range::to_find(head, query.tree_file, query.anchor).found(anchor);
    Some(Run { range, tasks, phases, unknown: Vec::new(), doubts })
}

/// The run at `head`, if a line of commits leads there from the stored run. If something cannot be read, there is no
/// answer, and reading everything will show what is wrong.
fn go_on(repository: &Repository, query: &Query<'_>, kept: Run, head: CommitId) -> Option<Run> {
    let followed = FollowedRun::new(repository, *query, kept);
    followed.follow(head).ok().flatten().map(|run| Run::clone(&run))
}

/// The name of the file for a plan. Each plan has one file, which stays the same when the plan is edited.
fn name(query: &Query<'_>) -> String {
    let mut digest = Digest::default();
    digest.add(match query.anchor {
        AnchorRule::Plan => b"plan",
        AnchorRule::File => b"file",
    });
    digest.add(&query.tree_file.map(super::RepoPath::to_bytes).unwrap_or_default());
    digest.text()
}

/// Everything that the answer depends on, except for the commits.
fn question(repository: &Repository, query: &Query<'_>) -> Result<String> {
    let mut digest = Digest::default();
    digest.add(format!("{VERSION} {}", env!("CARGO_PKG_VERSION")).as_bytes());
    digest.add(name(query).as_bytes());
    for (task, phase) in query.tasks.iter().collect::<BTreeMap<_, _>>() {
        digest.add(task.as_str().as_bytes());
        digest.add(phase.as_str().as_bytes());
    }
    let shallow = repository.read_with(|source| source.shallow())?;
    for commit in shallow.iter().collect::<BTreeSet<_>>() {
        digest.add(commit.as_bytes());
    }
    Ok(digest.text())
}

/// A digest of a list of texts.
#[derive(Default)]
struct Digest(Sha1);

impl Digest {
    fn add(&mut self, bytes: &[u8]) {
        self.0.update(&bytes.len().to_le_bytes());
        self.0.update(bytes);
    }

    fn text(self) -> String {
        self.0.digest().to_string()
    }
}

/// The first line of a file. If it differs, the file is damaged or belongs to another query.
fn seal(question: &str, json: &[u8]) -> String {
    format!("{question} {}", Sha1::from(json).digest())
}
