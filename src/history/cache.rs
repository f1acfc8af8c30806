//! Keeps what was read of a run, so that the next command goes on from there.
//!
//! The file is evidence, never state: it may be deleted, damaged or outdated at any moment, and the answer is the same. It
//! is used only if it is whole, was written by this version for the same question, and HEAD descends from its commit by a
//! line of commits that [`FollowedRun`] can take in; else everything is read. What is not read again is not checked again:
//! damage to an old object shows when it is read.

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

/// The form of the file; it changes whenever a reader would understand the same history in another way.
const VERSION: u32 = 1;
/// A read of more objects than this is worth keeping.
const WORTH_KEEPING: u64 = 64;

/// The folder in which runs are kept.
#[derive(Clone, Debug)]
pub struct Cache {
    folder: PathBuf,
    /// A read of more objects than this is kept.
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
    /// The cache of a repository, whose work trees share it.
    #[must_use]
    pub fn of(common_dir: &Path) -> Self {
        Self { folder: common_dir.join("arborist").join("cache"), worth_keeping: WORTH_KEEPING }
    }

    /// The same cache, which keeps every run, however quickly it was read.
    #[must_use]
    pub fn keeping_all(self) -> Self {
        Self { worth_keeping: 0, ..self }
    }

    /// As [`read_run`], from what is kept where that is possible.
    ///
    /// # Errors
    /// As for [`read_run`]. That nothing can be kept is not an error.
    pub fn read_run(&self, repository: &Repository, head: CommitId, query: &Query<'_>) -> Result<Run> {
        let question = question(repository, query)?;
        let file = self.folder.join(name(query));
        let reads = repository.reads();
        let run = match kept(&file, &question, query).map(|run| go_on(repository, query, run, head)) {
            Some(Some(run)) => run,
            Some(None) | None => read_run(repository, head, query)?,
        };
        if repository.reads() - reads > self.worth_keeping {
            // A command whose answer cannot be kept has answered all the same.
            let _ = self.keep(&file, &question, &run);
        }
        Ok(run)
    }

    /// Removes all that is kept: a program that may write here was at work, and could have written what it likes.
    pub fn forget(&self) {
        // Where it cannot be removed, it could not be written either.
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

/// The run at `head`, if a line of commits leads there from what is kept. What cannot be read is not an answer: the whole read
/// finds out what is wrong.
fn go_on(repository: &Repository, query: &Query<'_>, kept: Run, head: CommitId) -> Option<Run> {
    let followed = FollowedRun::new(repository, *query, kept);
    followed.follow(head).ok().flatten().map(|run| Run::clone(&run))
}

/// The name of the file for a plan. There is one for each, however often the plan is edited.
fn name(query: &Query<'_>) -> String {
    let mut digest = Digest::default();
    digest.add(match query.anchor {
        AnchorRule::Plan => b"plan",
        AnchorRule::File => b"file",
    });
    digest.add(&query.tree_file.map(super::RepoPath::to_bytes).unwrap_or_default());
    digest.text()
}

/// Everything but the commits on which the answer depends.
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

/// The first line of a file: with another one, the file is damaged or answers another question.
fn seal(question: &str, json: &[u8]) -> String {
    format!("{question} {}", Sha1::from(json).digest())
}
