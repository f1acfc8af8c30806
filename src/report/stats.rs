//! Prints how a run went, in numbers: attempts, what rejected them, time, tokens and costs.

mod figures;
mod groups;
mod json;
mod table;
mod text;

use std::collections::HashMap;

use crate::plan::NodeIx;
use crate::record::{CommitId, TaskId};
use crate::report::plan_view::PlanView;
use crate::report::show::StepView;

pub(super) use figures::{AttemptOf, Figures, attempts_of};
pub(super) use groups::{TaskSteps, total};
pub(super) use text::{Line, cost, lines, tokens};

/// The numbers of a run.
#[derive(Clone, Debug)]
pub struct StatsView<'a> {
    /// The state of every task.
    pub plan_view: PlanView<'a>,
    /// The path of the tree file, for people.
    pub tree_file: &'a str,
    /// The commit from which the history was read.
    pub head: CommitId,
    /// The commit that began the run.
    pub anchor: Option<CommitId>,
    /// The steps of every task, oldest first.
    pub steps: &'a HashMap<TaskId, Vec<StepView>>,
    /// The tasks that are counted, in the order of execution.
    pub leaves: &'a [NodeIx],
    /// The groups that are counted apart.
    pub by: Option<GroupBy>,
}

/// What a run is counted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupBy {
    /// The agent, without its model.
    Runner,
    /// The agent and its model.
    Model,
    /// The phase.
    Phase,
    /// The task.
    Task,
}

impl GroupBy {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Runner, Self::Model, Self::Phase, Self::Task];

    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Runner => "runner",
            Self::Model => "model",
            Self::Phase => "phase",
            Self::Task => "task",
        }
    }
}
