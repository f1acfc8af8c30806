//! What is known of a task: its state, and what the plan says about it.

use std::num::NonZeroU32;

use serde::Serialize;

use super::at_work::RunningStep;
use super::step::{Effort, Moment};
use super::task_steps::TaskSteps;
use crate::plan::{Document as PlanDocument, FieldSet, NodeIx, Readiness, TestCommand};
use crate::record::{By, CommitId, State, Step, StepCommit, TaskId, TaskWord, rounded_seconds};
use crate::report::mark::{TaskFilter, TaskMark};
use crate::workflow::NextAction;

/// A task.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunTask<'a> {
    /// Its id.
    pub id: &'a TaskId,
    /// Its name.
    pub name: &'a str,
    /// The id of its phase.
    pub phase: &'a str,
    /// The id of the node above it.
    pub parent: Option<&'a str>,
    /// The ids of the nodes on which it depends, also through the nodes above it.
    pub depends_on: Vec<&'a str>,
    /// Its state.
    pub state: State,
    /// What an agent asks about it, as long as nobody has answered; otherwise `None`.
    pub question: Option<&'a str>,
    /// Its latest step; this and what follows is `None` if it has none.
    pub step: Option<Step>,
    /// How that step ended.
    pub outcome: Option<&'static str>,
    /// Whose work or decision it is.
    pub by: Option<By>,
    /// The attempt of that step, counted from 0; `None` if it is not part of one.
    pub attempt: Option<u32>,
    /// The commit of that step.
    pub commit: Option<CommitId>,
    /// When it was committed.
    pub time: Option<Moment>,
    /// Whether it can be worked on now.
    pub ready: bool,
    /// Whether it waits for a person's approval.
    pub awaits_approval: bool,
    /// The failed tasks that block it.
    pub blocked_by: Vec<&'a str>,
    /// Whether it is complete, and its description, dependencies or test commands were changed in the plan since.
    pub plan_edited: bool,
    /// What the commits of a complete task claim to be known of it, in the words of `check`.
    pub proof: Option<TaskWord>,
    /// The branch of its own on which the task is worked on; `None` if there is none, or it is merged.
    pub branch: Option<&'a str>,
    /// Whether it is complete or skipped on a branch that is not merged, so that its work is not part of this.
    pub unmerged: bool,
    /// The number of the slot in which the task is worked on now.
    pub slot: Option<u32>,
    /// Who has claimed the task, if its branch says so.
    pub claimant: Option<&'a str>,
    /// What its steps have taken.
    #[serde(flatten)]
    pub effort: Effort,
    /// What the plan says about it, where that is asked for.
    #[serde(flatten)]
    pub in_plan: Option<InPlan<'a>>,
    /// Its steps and what follows from them, where they are asked for.
    #[serde(flatten)]
    pub steps: Option<TaskSteps<'a>>,
    #[serde(skip)]
    pub(crate) leaf: NodeIx,
    #[serde(skip)]
    pub(crate) latest: Option<&'a StepCommit>,
    #[serde(skip)]
    pub(crate) readiness: Readiness,
    /// What a run would do next with it.
    #[serde(skip)]
    pub(super) action: NextAction,
    #[serde(skip)]
    pub(super) max_attempts: NonZeroU32,
    /// The step of it that is running.
    #[serde(skip)]
    pub(crate) running: Option<&'a RunningStep>,
    #[serde(skip)]
    pub(crate) is_tested: bool,
}

/// What the plan says about a node.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct InPlan<'a> {
    /// Its description.
    pub description: &'a str,
    /// The acceptance criteria that apply to it.
    pub acceptance: &'a [String],
    /// The documents to read before it: its own, then those of the nodes above it, then those of the whole plan.
    pub documents: Vec<&'a PlanDocument>,
    /// Where it comes from.
    pub source_file: Option<&'a str>,
    /// The number of the line in that file.
    pub source_line: Option<u32>,
    /// The fields that say how it is done.
    pub fields: &'a FieldSet,
    /// The commands that judge the work.
    pub test_commands: Vec<TestInPlan<'a>>,
    /// The tasks that must be complete first, also those of other nodes on which it depends.
    pub dependencies: Vec<Dependency<'a>>,
    /// How many attempts each task below it has, or it has itself; a unit of work says it beside its own attempt.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(test, schemars(with = "u32"))]
    pub max_attempts: Option<u32>,
    /// What kind of change it makes, and so what proves it.
    pub expect: &'static str,
    /// Patterns for files that judge the work and that it may change all the same.
    pub may_change: Vec<&'a str>,
}

/// A test command.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TestInPlan<'a> {
    /// Its type.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The command that `sh` runs.
    pub command: &'a str,
    /// The format of its output, if the plan names one.
    pub framework: Option<&'a str>,
    /// Its own time limit, in seconds.
    pub timeout: Option<f64>,
    /// The format of the coverage report that it writes and, after a colon, its path.
    pub coverage: Option<String>,
}

/// A task that must be complete first.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Dependency<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// Its state.
    pub state: State,
    /// The commit that completed it.
    pub commit: Option<CommitId>,
}

impl<'a> From<&'a TestCommand> for TestInPlan<'a> {
    fn from(test: &'a TestCommand) -> Self {
        Self {
            kind: test.kind.word(),
            command: &test.command,
            framework: test.framework.as_deref(),
            timeout: test.timeout.map(rounded_seconds),
            coverage: test.coverage.as_ref().map(ToString::to_string),
        }
    }
}

impl RunTask<'_> {
    /// Whether it is complete, and its work is part of what is reported.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.state == State::Complete && !self.unmerged
    }

    /// Whether it is of this kind.
    #[must_use]
    pub fn is_in(&self, filter: TaskFilter) -> bool {
        match filter {
            TaskFilter::Ready => self.ready,
            TaskFilter::Failed => self.state == State::Failed,
            TaskFilter::Blocked => self.readiness == Readiness::Blocked,
            TaskFilter::Active => self.mark() == TaskMark::Active,
        }
    }

    /// The mark of its state alone, wherever its work is.
    pub(crate) fn own_mark(&self) -> TaskMark {
        TaskMark::of(self.state)
    }

    /// Its mark.
    pub(crate) fn mark(&self) -> TaskMark {
        if self.unmerged || self.running.is_some() { TaskMark::Active } else { TaskMark::of(self.state) }
    }
}
