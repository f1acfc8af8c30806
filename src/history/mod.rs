//! Reads commits: where a run begins, which commits belong to it, and what they say (docs/plans.md).
//!
//! A history without merges and reverts is read in one pass (`linear`). At the first merge, revert or landed commit, the
//! reader switches to a graph in memory (`merged`), in which ancestry decides, not only dates, in which reverts are
//! understood (`reverts`, `undone`, `reversals`), and landed commits are judged (`landings`). Both follow the plan through its edits and moves (`plan_version`,
//! `plan_tracker`, `moves`). Both see raw objects through one small interface (`source`) with two implementations,
//! libgit2 and the git program. The result is the same either way.
//!
//! Commands that need every message of a range, such as `check`, read the output of `git rev-list` instead
//! (`git/messages.rs`).

mod awaited;
mod bits;
mod branches;
mod dropped_names;
mod follow;
mod forks;
mod graph;
mod landed_work;
mod landings;
mod libgit;
mod linear;
mod linear_run;
mod merged;
mod merged_doubts;
mod moves;
mod noted;
mod order;
mod path;
mod phase_marks;
mod plan_tracker;
mod plan_version;
mod program;
mod questions;
mod range;
mod raw;
mod reachability;
mod repository;
mod reversals;
mod reverts;
mod run;
mod run_begin;
mod source;
mod squash;
mod squash_files;
mod squashes;
mod steps;
mod tip;
mod tree_diff;
mod tree_file;
mod tree_files;
mod trees;
mod undone;
mod union;

pub use awaited::{read_awaited, read_awaited_at};
pub use follow::FollowedRun;
pub use path::RepoPath;
pub use plan_version::AnchorRule;
pub use range::Range;
pub use repository::{Backend, Repository};
pub use run::{Query, Run, UnknownStep};
pub use squash::{PossibleSquash, Squash, Squashes, is_numbered};
pub use steps::{Picked, StepValidity, TaskStep, pick_steps, read_all_steps, read_steps};
pub use tip::Commit;
pub use tree_diff::{TreeComparison, changed_paths, have_same_files};
pub use tree_file::{TreeFile, content_of, files_at};

use crate::error::Result;
use crate::record::CommitId;
use linear::{WalkEnd, walk};
use linear_run::LinearRun;
use merged::{RunReading, read_merged};
use questions::settle_questions;
use run::Index;
use source::Source;
use union::read_from_top;

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
    let finish = |source: &mut dyn Source, run, has_numbered| {
        let reading = RunReading { range: &range, index: &index, depth: 0 };
        if has_numbered { reading.with_squashes(source, run) } else { Ok(run) }
    };
    let run = repository.read_with(|source| {
        let mut run = LinearRun::new(&index);
        match walk(source, &range, &mut |commit| run.take(commit))? {
            WalkEnd::NeedsGraph => {
                read_from_top(source, &range, |source| read_merged(source, &range, &index, 0))
            }
            WalkEnd::Anchor { id, is_numbered } => {
                let has_numbered = run.has_numbered() || is_numbered;
                finish(source, run.finish(range.clone().found(Some(id))), has_numbered)
            }
            WalkEnd::Root => {
                let has_numbered = run.has_numbered();
                finish(source, run.finish(range.clone().found(None)), has_numbered)
            }
            WalkEnd::VisitorStopped => Ok(run.finish(range.clone())),
        }
    })?;
    settle_questions(repository, run)
}
