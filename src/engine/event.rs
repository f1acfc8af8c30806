//! The events that a run sends to its observers. They own their data, so that they can be kept, sent, written as JSON and read
//! back: a worker prints them, and the scheduler that has started it reads them.

mod lengths;
mod progress;
mod step_result;

use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::agents::LiveLine;
use crate::record::{Attempt, CommitId, ProofCost, Step, TaskId, Usage};
use lengths::{seconds, to_the_millisecond, to_the_second, whole_seconds};
pub use progress::AgentProgress;
pub use step_result::{Fallback, NoTests, StepResult, StreamEnd};

/// Fields may be added to an event of this version, but never renamed or removed.
const VERSION: u32 = 1;

/// The envelope of every event.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct EventLine {
    version: u32,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
    /// When it happened.
    // It stays the same wherever the event is passed on, so that readers see when things happened and not when they were told.
    #[serde(serialize_with = "to_the_millisecond")]
    #[cfg_attr(test, schemars(with = "String"))]
    pub time: DateTime<Utc>,
}

impl EventLine {
    /// An event that happens now.
    #[must_use]
    pub fn now(event: Event) -> Self {
        Self { version: VERSION, event, time: Utc::now() }
    }
}

/// Something that has happened or is about to happen.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum Event {
    /// A step begins.
    #[serde(rename = "begin")]
    Begins(StepBegins),
    /// A step ended in a commit.
    #[serde(rename = "step")]
    Ended(StepEnded),
    /// A runner cannot work now, and the run waits until it can.
    #[serde(rename = "wait")]
    Waits(Wait),
    /// A runner cannot work now, and another one works instead of it.
    Fallback(Fallback),
    /// The agent of a step makes progress. There is at most one such event per second.
    Progress(AgentProgress),
    /// The agent of a step has completed no turn and called no tool for a long time.
    Stalled {
        /// The task.
        task: TaskId,
        /// The step.
        step: Step,
        /// The runner, and its model behind a slash.
        runner: String,
        /// How long ago the last turn or call of a tool was.
        #[serde(rename = "idle_seconds", with = "whole_seconds")]
        #[cfg_attr(test, schemars(with = "u64"))]
        idle: Duration,
    },
    /// Test commands were tried before the first task that uses them. There is no commit.
    Tried {
        /// The task.
        task: TaskId,
        /// Its name.
        name: String,
        /// How they ended, as those of a test step.
        #[serde(flatten)]
        #[cfg_attr(test, schemars(with = "step_result::Words"))]
        result: StepResult,
        /// How long they took.
        #[serde(with = "seconds")]
        #[cfg_attr(test, schemars(with = "f64"))]
        duration: Duration,
        /// Test counts and the command that failed; may be empty.
        detail: String,
    },
    /// The branch of a phase or a task was made.
    #[serde(rename = "branch")]
    BranchBegun {
        /// The phase or the task.
        #[serde(flatten)]
        of: BranchOf,
        /// The branch.
        branch: String,
        /// The base branch, at whose tip it was made.
        base: String,
    },
    /// The branch of a phase or a task was merged into the base branch.
    #[serde(rename = "merge")]
    BranchMerged(BranchMerged),
    /// A finished task could not be merged. Its next attempt begins with that merge.
    NotMerged {
        /// The task.
        task: TaskId,
        /// Its name.
        name: String,
        /// The commit into which it was to be merged.
        onto: CommitId,
        /// Why not, as a clause.
        reason: String,
    },
    /// A slot, which is a work tree for one task after the other, begins to be used, or is left.
    Slot(SlotUse),
    /// Something that the user ought to know.
    Warning {
        /// One or more sentences.
        text: String,
    },
    /// The run has ended. This is the last event of every stream.
    End(StreamEnd),
}

/// The phase or the task that has a branch.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum BranchOf {
    /// A phase.
    Phase {
        /// Which one.
        phase: TaskId,
    },
    /// A task.
    Task {
        /// Which one.
        task: TaskId,
    },
}

impl BranchOf {
    /// The id of the phase or the task.
    #[must_use]
    pub fn id(&self) -> &TaskId {
        match self {
            Self::Phase { phase: id } | Self::Task { task: id } => id,
        }
    }
}

/// What a slot is used for from now on.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct SlotUse {
    /// Its number, from 0.
    pub slot: u32,
    /// Its work tree.
    pub folder: String,
    /// For what.
    #[serde(rename = "use")]
    pub purpose: SlotPurpose,
    /// The tasks.
    pub tasks: Vec<TaskId>,
    /// The last line that a program in it prints while no step runs there.
    #[serde(skip)]
    pub live: LiveLine,
}

/// What a slot can be used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub enum SlotPurpose {
    /// It is prepared for a task, which can take minutes.
    Setup,
    /// A task is worked on.
    Task,
    /// The tests of merged tasks run.
    MergeTests,
    /// Nothing. The tasks are those that were worked on or tested before.
    Nothing,
}

/// The merge of a phase or a task.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct BranchMerged {
    /// The phase or the task.
    #[serde(flatten)]
    pub of: BranchOf,
    /// The branch.
    pub branch: String,
    /// The base branch, into which it was merged.
    pub base: String,
    /// The merge commit.
    pub commit: CommitId,
}

/// The beginning of a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StepBegins {
    /// The task or the phase.
    pub task: TaskId,
    /// Its name.
    pub name: String,
    /// The step.
    pub step: Step,
    /// The attempt.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// The runner that does it, if one does.
    pub runner: Option<String>,
    /// The last line of output so far; it changes while the step lasts.
    #[serde(skip)]
    pub live: LiveLine,
    /// Whether these are the tests before the work, and not yet the step itself.
    #[serde(rename = "before_work", default)]
    pub is_before_work: bool,
}

/// The end of a step.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StepEnded {
    /// The task or the phase.
    pub task: TaskId,
    /// Its name.
    pub name: String,
    /// Which step, and how it ended.
    #[serde(flatten)]
    #[cfg_attr(test, schemars(with = "step_result::Words"))]
    pub result: StepResult,
    /// The attempt.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// The commit.
    pub commit: CommitId,
    /// How long it took.
    #[serde(with = "seconds")]
    #[cfg_attr(test, schemars(with = "f64"))]
    pub duration: Duration,
    /// What its proof has cost in addition; `None` if there was none.
    pub proof: Option<ProofCost>,
    /// What it has used, as far as its runner reports that.
    #[serde(flatten)]
    pub usage: Usage,
    /// A few words more, for example test counts; may be empty.
    pub detail: String,
    /// Why it failed: the first objection of a review, or the first test that fails; `None` if that is not known.
    pub reason: Option<String>,
}

impl StepEnded {
    /// The detail where the word for how it ended stands beside it.
    #[must_use]
    pub fn detail_beside_word(&self) -> &str {
        if self.result.no_tests == Some(NoTests::Untested) { "" } else { &self.detail }
    }
}

/// A wait for a runner that cannot work now.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Wait {
    /// The task.
    pub task: TaskId,
    /// The step that is to be tried again.
    pub step: Step,
    /// Why the runner cannot work, as a clause.
    #[serde(rename = "reason")]
    pub why: String,
    /// How long the wait is at most.
    #[serde(rename = "seconds", with = "whole_seconds")]
    #[cfg_attr(test, schemars(with = "u64"))]
    pub length: Duration,
    /// When the runner said that it can work again; `None` if it did not say.
    #[serde(serialize_with = "to_the_second")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub until: Option<DateTime<Utc>>,
    /// Whether it is a usage limit, or an outage that has lasted longer than the retries.
    #[serde(rename = "limit")]
    pub is_for_limit: bool,
    /// When it began or, in another process, when that heard of it.
    #[serde(skip, default = "Instant::now")]
    pub began: Instant,
}

impl Wait {
    /// When `length` has passed.
    #[must_use]
    pub fn ends(&self) -> Instant {
        self.began + self.length
    }
}

/// Receives the events of a run. All parts of the run share it, so it changes its own state behind a shared reference.
pub trait Observer {
    /// Takes note of an event that happens now.
    fn on(&self, event: Event) {
        self.receive(EventLine::now(event));
    }

    /// Takes note of an event, which another process may have told of.
    fn receive(&self, line: EventLine);
}

#[cfg(test)]
mod tests;
