//! Reads commits: where a run begins, which commits belong to it, and what they say (docs/plans.md).
//!
//! There is one reader. `graph` has the commits that were read, each once; `reading` finds the commits of a range and decides
//! which of them count: `run_begin`, `plan_versions` and `plan_tracker` follow the plan through its edits and moves, `reverts` says
//! what was taken back. `latest` says what follows for each task, after `landings` has judged landed commits. What else is asked
//! of a history, the steps of a task or the tests that are awaited, is taken from the same reading. Raw objects are read through
//! one small interface (`source`) with two implementations, libgit2 and the git program.
//!
//! Commands that need every message of a range, such as `check`, read the output of `git rev-list` instead
//! (`git/messages.rs`).

mod awaited;
mod bits;
mod branches;
mod commit_files;
mod follow;
mod graph;
mod landed_work;
mod landings;
mod latest;
mod libgit;
mod order;
mod path;
mod phase_marks;
mod plan_tracker;
mod plan_version;
mod plan_versions;
mod program;
mod questions;
mod range;
mod raw;
mod reachability;
mod reading;
mod repository;
mod reverts;
mod run;
mod run_begin;
mod source;
mod steps;
mod tip;
mod trees;

pub use awaited::{read_awaited, read_awaited_at};
pub use commit_files::{TreeComparison, TreeFile, changed_paths, content_of, files_at, have_same_files};
pub use follow::FollowedRun;
pub use path::RepoPath;
pub use plan_version::AnchorRule;
pub use range::Range;
pub use repository::{Backend, Repository};
pub use run::{Query, Run, UnknownStep};
pub use steps::{
    Picked, StepValidity, TaskStep, counted, pick_efforts, pick_steps, read_all_steps, read_steps,
};
pub use tip::Commit;

use crate::error::Result;
use crate::record::CommitId;
use questions::settle_questions;
use run::Index;

/// Reads the run that `head` belongs to.
///
/// # Errors
/// [`crate::error::Kind::Repository`] if a shallow clone cuts the history off before the answer is certain, or if an
/// object on the way is missing or damaged. An unreadable object never counts as "nothing was done".
pub fn read_run(repository: &Repository, head: CommitId, query: &Query<'_>) -> Result<Run> {
    read_union(repository, head, Vec::new(), query)
}

/// Reads the run that `head` belongs to, together with that of other branches with these tips, as if all of them were
/// merged.
///
/// # Errors
/// As for [`read_run`].
pub fn read_union(
    repository: &Repository,
    head: CommitId,
    beside: Vec<CommitId>,
    query: &Query<'_>,
) -> Result<Run> {
    let index = Index::new(query);
    let range = Range::to_find(head, query.tree_file, query.anchor).with_beside(beside);
    let run = repository.read_graph(|graph| {
        let reading = repository.reading(graph, &range)?;
        landings::read(graph, &range, &reading, &index)
    })?;
    settle_questions(repository, run)
}
