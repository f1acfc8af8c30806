//! Reads commits: where a run begins, which commits belong to it, and what they say (docs/plans.md).
//!
//! A history without merges and reverts is read in one pass (`linear`). The first merge or revert in the way turns to a
//! graph in memory (`merged`), in which descent decides, never a clock alone, and in which reverts are understood
//! (`reverts`, `undone`, `standing`). Both follow the plan through its edits and moves (`sight`, `watch`, `moves`). Both see
//! raw objects through one small interface (`source`) with two implementations, libgit2 and the git program. The answer is the same on every way.
//!
//! What needs every message of a range, such as `check`, reads `git rev-list` instead (`git/messages.rs`).

mod anchor;
mod bits;
mod cache;
mod follow;
mod graph;
mod libgit;
mod linear;
mod loose;
mod merged;
mod moves;
mod numbers;
mod order;
mod outlines;
mod path;
mod program;
mod quick_lookup;
mod range;
mod raw;
mod reachability;
mod repository;
mod reverts;
mod run;
mod sight;
mod source;
mod standing;
mod steps;
mod tip;
mod tree_files;
mod trees;
mod undone;
mod watch;

pub use cache::Cache;
pub use follow::Followed;
pub use path::RepoPath;
pub use quick_lookup::Glance;
pub use range::Range;
pub use repository::{Backend, Repository};
pub use run::{Query, Run, UnknownStep};
pub use sight::AnchorRule;
pub use steps::{Picked, Standing, TaskStep, pick_steps, read_steps};
pub use tip::{Commit, have_same_files};

use crate::error::Result;
use crate::record::CommitId;
use linear::{End, walk};
use merged::read_merged;
use run::{Index, LinearRun};

/// Reads the run that `head` belongs to.
///
/// # Errors
/// [`crate::error::Kind::Repository`] if a shallow clone cut the history off before the answer was certain, or an
/// object on the way is missing or damaged. What cannot be read is never taken for "nothing was done".
pub fn read_run(repository: &Repository, head: CommitId, query: &Query<'_>) -> Result<Run> {
    let index = Index::new(query.tasks);
    let range = Range::to_find(head, query.tree_file, query.anchor);
    repository.read_with(|source| {
        let mut run = LinearRun::new(&index);
        match walk(source, &range, &mut |commit| run.take(commit))? {
            End::NeedsGraph => read_merged(source, &range, &index),
            End::Anchor(id) => Ok(run.finish(range.clone().found(Some(id)))),
            End::Root => Ok(run.finish(range.clone().found(None))),
            End::Unsought => Ok(run.finish(range.clone())),
        }
    })
}
