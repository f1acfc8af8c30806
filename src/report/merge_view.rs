//! What is said about the merge of which a step is part.

use serde::Serialize;

use crate::record::CommitId;

/// The merge of the branch of a finished task with the branch of the run, which git cannot make alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MergeView {
    /// The attempt to merge the task, counted from 0.
    pub attempt: u32,
    /// Whether the merge is committed, and only what it broke is left to be done or to be judged.
    pub made: bool,
    /// Why the task could not be merged, as a clause.
    pub why: String,
    /// The branch of the run; `None` if it is not known.
    pub branch: Option<String>,
    /// The commit of the branch of the run with which the task is merged.
    #[cfg_attr(test, schemars(with = "String"))]
    pub commit: CommitId,
    /// The commit of the branch of the task that is merged with it.
    #[cfg_attr(test, schemars(with = "String"))]
    pub own: CommitId,
    /// The tasks on the other side, with which it collides as far as that is known.
    pub tasks: Vec<MergedWith>,
    /// The files in conflict; none if the tests fail on the merged files.
    pub conflicts: Vec<String>,
}

/// A task on the other side of a merge.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MergedWith {
    /// The id of the task.
    pub task: String,
    /// Its name.
    pub name: String,
}
