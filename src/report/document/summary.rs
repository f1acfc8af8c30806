//! What a report adds to the document of a run.

use serde::Serialize;

use super::figures::Figures;
use super::look::LookAt;
use super::step::Moment;
use crate::record::CommitId;

/// What only a report tells.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Report {
    /// The state and the evidence in one sentence.
    pub(crate) verdict: String,
    /// The nodes that were asked for; none for the whole plan.
    pub(crate) nodes: Vec<String>,
    /// When the first step began.
    pub(crate) began: Option<Moment>,
    /// When the last step was committed.
    pub(crate) ended: Option<Moment>,
    /// All the tasks together.
    pub(crate) total: Figures,
    /// What a person should look at, the most urgent first.
    pub(crate) look: Vec<LookAt>,
    /// The merges into the branch of the run and the attempts at them, in the order of that branch.
    pub(crate) merges: Vec<Merge>,
    /// The command that repeats the proof.
    pub(crate) prove: Option<String>,
    /// The lines of the trailers by which a squash merge keeps the state.
    pub(crate) trailers: Vec<String>,
}

/// A merge of a branch into the branch of the run, or one that failed.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Merge {
    /// The task that has the branch, if it is not a phase.
    pub(crate) task: Option<String>,
    /// The phase that has the branch, if it is not a task.
    pub(crate) phase: Option<String>,
    /// The merge or, if it failed, the step of the task that says so.
    pub(crate) commit: CommitId,
    /// Whether it succeeded.
    pub(crate) merged: bool,
    /// Why it failed, as a clause.
    pub(crate) reason: Option<String>,
    /// Who had claimed the task.
    pub(crate) claimant: Option<String>,
}

/// What happened, on one line.
pub(crate) fn merge_line(merge: &Merge) -> String {
    let by = merge.claimant.as_ref().map(|claimant| format!(", by {claimant}")).unwrap_or_default();
    let commit = merge.commit.short();
    let of = merge.task.as_deref().or(merge.phase.as_deref()).unwrap_or_default();
    match &merge.reason {
        None => format!("{of} was merged ({commit}{by})"),
        Some(why) => format!("{of} could not be merged: {why} ({commit}{by})"),
    }
}
