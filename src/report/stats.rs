//! Prints how a run went, in numbers: attempts, what rejected them, time, tokens and costs.

mod figures;
mod groups;
mod json;
mod table;
mod text;

use super::run_view::{RunSource, TasksOfRun};

pub(super) use figures::{AttemptOf, Figures, attempts_of, seconds};
pub(super) use groups::{TaskSteps, total};
pub(super) use text::{LabelledLine, cost, lines, tokens};

/// The numbers of a run.
#[derive(Clone, Debug)]
pub struct StatsView<'a> {
    /// The tasks that are counted, with their steps.
    pub tasks: TasksOfRun<'a>,
    /// Where they were read.
    pub source: RunSource<'a>,
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
