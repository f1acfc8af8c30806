//! The events that a run sends to its observers. They own their data, so that they can be kept, sent and serialised.

use std::time::{Duration, Instant};

use chrono::{DateTime, SecondsFormat, Utc};
use serde::{Serialize, Serializer};

use crate::agents::{LiveLine, ToolCall};
use crate::record::{
    Attempt, CommitId, Cost, Outcome, Step, TaskId, UNTESTED, Usage, grouped, rounded_seconds,
};
use crate::text::duration;

/// For how long an agent may do nothing before the words about it say so.
const QUIET: Duration = Duration::from_secs(10);

/// Something that has happened or is about to happen. docs/schema/event.json describes its JSON form.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "event", rename_all = "kebab-case")]
pub enum Event {
    /// A step begins.
    #[serde(rename = "begin")]
    Begins(StepBegins),
    /// A step ended in a commit.
    #[serde(rename = "step")]
    Ended(StepEnded),
    /// A runner could not work, and the run waits until it can.
    #[serde(rename = "wait")]
    Waits(Wait),
    /// The agent of a step makes progress.
    Progress(AgentProgress),
    /// The agent of a step has made no progress for a long time.
    Stalled(Stalled),
    /// The tests of a task ran before its first attempt; there is no commit.
    Baseline(BaselineRan),
    /// The branch of a phase or a task was made.
    #[serde(rename = "branch")]
    BranchBegun(BranchBegun),
    /// The branch of a phase or a task was merged into the base branch.
    #[serde(rename = "merge")]
    BranchMerged(BranchMerged),
    /// A finished task could not be merged. Its next attempt begins with that merge.
    NotMerged(NotMerged),
    /// A slot begins to be used for something else, or is free again.
    Slot(SlotUse),
    /// Something that the user ought to know.
    Warning {
        /// One or more sentences.
        text: String,
    },
}

/// The phase or the task that has a branch.
#[derive(Clone, Debug, Serialize)]
#[serde(untagged)]
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

/// A finished task that could not be merged.
#[derive(Clone, Debug, Serialize)]
pub struct NotMerged {
    /// The task.
    pub task: TaskId,
    /// Its name.
    pub name: String,
    /// The commit into which it was to be merged.
    pub onto: CommitId,
    /// Why not, as a clause.
    pub reason: String,
}

/// What a slot is used for from now on.
#[derive(Clone, Debug, Serialize)]
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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
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

/// A new branch of a phase or a task.
#[derive(Clone, Debug, Serialize)]
pub struct BranchBegun {
    /// The phase or the task.
    #[serde(flatten)]
    pub of: BranchOf,
    /// The branch.
    pub branch: String,
    /// The base branch, at whose tip it was made.
    pub base: String,
}

/// The merge of a phase or a task.
#[derive(Clone, Debug, Serialize)]
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
#[derive(Clone, Debug, Serialize)]
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
}

/// The end of a step.
#[derive(Clone, Debug, Serialize)]
pub struct StepEnded {
    /// The task or the phase.
    pub task: TaskId,
    /// Its name.
    pub name: String,
    /// Which step, and how it ended.
    #[serde(flatten)]
    pub result: StepResult,
    /// The attempt.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// The commit.
    pub commit: CommitId,
    /// How long it took.
    #[serde(serialize_with = "in_seconds")]
    pub duration: Duration,
    /// What it has used, as far as its runner reports that.
    #[serde(flatten)]
    pub usage: Usage,
    /// A few words more, for example test counts; may be empty.
    pub detail: String,
    /// Why it failed: the first objection of a review, or the first test that fails; `None` if that is not known.
    pub reason: Option<String>,
}

impl StepEnded {
    /// Whether it was to test a task without test commands.
    #[must_use]
    pub fn is_untested(&self) -> bool {
        let StepResult { step, outcome } = self.result;
        step == Step::TEST && outcome == Outcome::Pass && self.detail == UNTESTED
    }

    /// The word for how it ended, as people see it.
    #[must_use]
    pub fn word(&self) -> &'static str {
        let StepResult { step, outcome } = self.result;
        if self.is_untested() { UNTESTED } else { outcome.word(step) }
    }
}

/// What the agent of a step has done so far, as far as it tells.
#[derive(Clone, Debug, Serialize)]
pub struct AgentProgress {
    /// The task.
    pub task: TaskId,
    /// The step.
    pub step: Step,
    /// The runner, and its model behind a slash.
    pub runner: String,
    /// How many turns it has completed.
    pub turns: u64,
    /// How many tools it has called.
    pub tools: u64,
    /// The last of them.
    pub last_tool: Option<ToolCall>,
    /// How many files it has changed.
    #[serde(rename = "files_changed")]
    pub files: usize,
    /// What it has used.
    #[serde(flatten)]
    pub usage: Usage,
    /// How long ago the last turn or call of a tool was.
    #[serde(rename = "idle_seconds", serialize_with = "in_whole_seconds")]
    pub idle: Duration,
}

impl AgentProgress {
    /// It in a few words; empty if the agent has told nothing yet. What matters most comes first, because a narrow terminal
    /// cuts the end; `first` comes before everything else but for how long the agent is quiet.
    #[must_use]
    pub fn words(&self, first: Option<String>) -> String {
        let Self { turns, files, usage, last_tool, idle, .. } = self;
        let count = |number: u64, noun: &str| match number {
            0 => None,
            1 => Some(format!("1 {noun}")),
            _ => Some(format!("{number} {noun}s")),
        };
        let told = [
            first,
            count(*turns, "turn"),
            count(*files as u64, "file"),
            usage.tokens.total().map(|tokens| format!("{} tokens", grouped(tokens))),
            usage.cost.map(Cost::told),
            last_tool.as_ref().map(|tool| format!("{} {}", tool.name, tool.subject).trim_end().to_owned()),
        ];
        let told: Vec<String> = told.into_iter().flatten().collect();
        let is_quiet = *idle >= QUIET && !told.is_empty();
        let quiet = is_quiet.then(|| format!("quiet for {}", duration(*idle)));
        quiet.into_iter().chain(told).collect::<Vec<_>>().join(" · ")
    }
}

/// An agent that makes no progress.
#[derive(Clone, Debug, Serialize)]
pub struct Stalled {
    /// The task.
    pub task: TaskId,
    /// The step.
    pub step: Step,
    /// The runner, and its model behind a slash.
    pub runner: String,
    /// How long ago the last turn or call of a tool was.
    #[serde(rename = "idle_seconds", serialize_with = "in_whole_seconds")]
    pub idle: Duration,
}

/// The tests of a task before its first attempt.
#[derive(Clone, Debug, Serialize)]
pub struct BaselineRan {
    /// The task.
    pub task: TaskId,
    /// Its name.
    pub name: String,
    /// `pass` or `fail`.
    pub outcome: &'static str,
    /// How long they took.
    #[serde(serialize_with = "in_seconds")]
    pub duration: Duration,
    /// Test counts and the command that failed; may be empty.
    pub detail: String,
}

/// A step and how it ended. Each step has its own word for that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepResult {
    /// The step.
    pub step: Step,
    /// How it ended.
    pub outcome: Outcome,
}

impl Serialize for StepResult {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Words {
            step: &'static str,
            outcome: &'static str,
        }
        Words { step: self.step.word(), outcome: self.outcome.word(self.step) }.serialize(serializer)
    }
}

/// A wait for a runner that cannot work now.
#[derive(Clone, Debug, Serialize)]
pub struct Wait {
    /// The task.
    pub task: TaskId,
    /// The step that is to be tried again.
    pub step: Step,
    /// Why the runner cannot work, as a clause.
    #[serde(rename = "reason")]
    pub why: String,
    /// How long the wait is at most.
    #[serde(rename = "seconds", serialize_with = "in_whole_seconds")]
    pub length: Duration,
    /// When the runner said that it can work again; `None` if it did not say.
    #[serde(serialize_with = "as_time")]
    pub until: Option<DateTime<Utc>>,
    /// Whether it is a usage limit, or an outage that has lasted longer than the retries.
    #[serde(rename = "limit")]
    pub is_for_limit: bool,
    /// When `length` has passed.
    #[serde(skip)]
    pub ends: Instant,
}

fn in_seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(rounded_seconds(*duration))
}

fn in_whole_seconds<S: Serializer>(duration: &Duration, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_u64(duration.as_secs())
}

fn as_time<S: Serializer>(time: &Option<DateTime<Utc>>, serializer: S) -> Result<S::Ok, S::Error> {
    time.map(|time| time.to_rfc3339_opts(SecondsFormat::Secs, false)).serialize(serializer)
}

/// Receives the events of a run. All parts of the run share it, so it changes its own state behind a shared reference.
pub trait Observer {
    /// Takes note of an event.
    fn on(&self, event: Event);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_say_first_for_how_long_an_agent_is_quiet_and_last_what_it_works_on() {
        let told = |turns: u64, idle: u64| AgentProgress {
            task: TaskId::parse("T001").unwrap(),
            step: Step::IMPLEMENT,
            runner: "agent".to_owned(),
            turns,
            tools: turns,
            last_tool: (turns > 0)
                .then(|| ToolCall { name: "Edit".to_owned(), subject: "src/a.rs".to_owned() }),
            files: usize::from(turns > 0),
            usage: Usage::default(),
            idle: Duration::from_secs(idle),
        };
        assert_eq!(told(0, 60).words(None), "");
        assert_eq!(told(1, 0).words(None), "1 turn · 1 file · Edit src/a.rs");
        let quiet = told(1, 60).words(Some("tries again".to_owned()));
        assert!(quiet.starts_with("quiet for 1 min · tries again · 1 turn"), "{quiet}");
    }
}
