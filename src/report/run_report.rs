//! The facts of a run as the formats of `report` show them: what was done, with which evidence, and what a person should
//! look at. Every format shows the same facts.

mod attention;
mod facts;
mod gather;
mod look;
mod merges;
mod moment;
mod parts;
mod story;
mod verdict;

use std::collections::{HashMap, HashSet};

use super::run_view::{RunSource, TasksOfRun};
use crate::plan::NodeIx;
use crate::record::{CommitId, Doubt, StepCommit, TaskId};

pub(super) use attention::{LookAt, LookKind};
pub(super) use facts::{
    AttemptFacts, CommandFacts, MergeFact, Moment, PhaseFacts, RunState, StepFact, TaskReport, Tone,
};
pub use facts::{ChangedFile, CodeChange, RunReport};
pub(super) use merges::merge_line;
pub(super) use parts::{BodyPart, parts};

/// What the facts of a run are made from.
#[derive(Clone, Debug)]
pub struct RunInput<'a> {
    /// The tasks that are shown, with their steps.
    pub tasks: TasksOfRun<'a>,
    /// Where they were read.
    pub source: RunSource<'a>,
    /// The name of the plan, or of the folder in which it is.
    pub title: &'a str,
    /// The commit on which the run is said to begin in the trailers of the body; `None` if nothing can be said.
    pub base: Option<CommitId>,
    /// The markers of complete phases.
    pub markers: &'a HashMap<TaskId, StepCommit>,
    /// The doubts that the history leaves.
    pub doubts: &'a [Doubt],
    /// The nodes that were asked for; none for the whole plan.
    pub nodes: &'a [String],
    /// The tasks whose step that counts is on another branch than the one that is reported.
    pub elsewhere: &'a HashSet<TaskId>,
    /// The commits of the branch since the run began, along first parents, newest first, each followed by its parents.
    pub line: &'a [Vec<CommitId>],
    /// What the steps have changed, by their commits.
    pub changes: &'a HashMap<CommitId, CodeChange>,
}

impl RunInput<'_> {
    /// Whether the step of a task that counts is on another branch.
    fn is_elsewhere(&self, leaf: NodeIx) -> bool {
        self.elsewhere.contains(&self.tasks.plan_view.tree.node(leaf).id)
    }
}

/// The sign of a state.
pub(super) fn sign_of(state: &str) -> &'static str {
    match state {
        "complete" => "✓",
        "failed" => "✗",
        "skipped" => "–",
        "pending" => "·",
        _ => "●",
    }
}
