//! What is to be proven.

use crate::plan::{PathPattern, TestCommand};
use crate::record::CommitId;

/// What is to be proven.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The commit whose files are judged.
    pub head: CommitId,
    /// The commits of the change itself, oldest first. What others committed between them is not undone.
    pub own: Vec<OwnChange>,
    /// The commands that judge it.
    pub commands: Vec<TestCommand>,
    /// Patterns of tests that the task may change.
    pub may_change: Vec<PathPattern>,
    /// Files that are not part of the change, from the top: the plan.
    pub without: Vec<String>,
}

/// A part of a change: what happened between two commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnChange {
    /// The commit before.
    pub before: CommitId,
    /// The commit with the change.
    pub after: CommitId,
}
