//! Takes a task through its steps, and a plan through its tasks, until a limit is reached or nothing is left to do.

pub(crate) mod all_tasks;
pub(crate) mod hook_refusals;
mod let_others_act;
pub(crate) mod one_task;
mod phases;
mod red_phases;
mod same_answer;

use crate::engine::run_context::context::{RunContext, RunPart, TaskPart};
use crate::engine::run_context::limits::{Pause, RunGate};
use crate::error::Result;
use crate::run::TaskScope;
use crate::workflow::FailedTask;
use crate::worktree::moved_ref::{MovedRef, refused};

/// What a run does when a task or the tests of a phase have failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnFailure {
    /// It stops.
    Stop,
    /// It continues with the tasks that do not depend on it, and with the other phases.
    KeepGoing,
}

/// Which tasks a run works on, and when it stops.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunScope {
    /// The tasks that it may work on.
    pub tasks: TaskScope,
    /// What it does when a task or the tests of a phase have failed.
    pub on_failure: OnFailure,
    /// What it does with tasks that failed before it began.
    pub failed_before: FailedTask,
    /// The largest number of tasks to work on.
    pub max_tasks: Option<u32>,
    /// After what it ends so that a person can look at the work.
    pub gate: Option<RunGate>,
    /// Whether it ends when an agent has asked a question, so that somebody can be asked. A run that works on several tasks at the
    /// same time goes on.
    pub ends_at_question: bool,
}

impl RunScope {
    /// The whole plan.
    #[must_use]
    pub fn whole_plan() -> Self {
        Self {
            tasks: TaskScope::All,
            on_failure: OnFailure::KeepGoing,
            failed_before: FailedTask::Leave,
            max_tasks: None,
            gate: None,
            ends_at_question: false,
        }
    }

    /// Whether it may begin a task at all.
    pub(crate) fn begins_tasks(&self) -> bool {
        self.max_tasks != Some(0)
    }

    /// Why no further task may begin; `None` if one may.
    #[must_use]
    pub fn pause(&self, progress: RunProgress) -> Option<Pause> {
        let RunProgress { worked_on, phase_ended } = progress;
        let tasks = self.max_tasks.filter(|most| worked_on >= *most).map(Pause::MaxTasks);
        let gate = self.gate.filter(|gate| match gate {
            RunGate::Phase => phase_ended,
            RunGate::Tasks(count) => worked_on >= *count,
        });
        gate.map(Pause::Gate).or(tasks)
    }
}

/// How far a run has come.
#[derive(Clone, Copy, Debug, Default)]
pub struct RunProgress {
    /// How many tasks it has worked on.
    pub worked_on: u32,
    /// Whether it has completed the last task of a phase.
    pub phase_ended: bool,
}

/// Makes sure that a worker begins on what its scheduler gave away: a program of another task may have moved the branch since.
/// From here on, the snapshot of the worker watches it.
pub(super) fn check_given_tip(run: &RunContext<'_>) -> Result<()> {
    let RunPart::Task(TaskPart { tip: Some(tip), .. }) = run.part else { return Ok(()) };
    let head = run.repository.branch()?;
    if head.commit == tip {
        return Ok(());
    }
    let moved = MovedRef { name: &head.branch, wanted: Some(tip), now: Some(head.commit) };
    Err(refused(&run.git, vec![moved], "a program of the run"))
}
