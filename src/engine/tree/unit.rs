//! A unit of work: one step of one task, which is begun here and settled here or in another process.
//!
//! `begin` records everything that must not change and returns the prompt. Then a worker works: an agent that the
//! engine runs, or the person or program that received the unit. `settle` compares, judges and commits. `abandon` saves
//! the work and gives the unit up. The journal holds the unit, so no part of it exists only in memory.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::agents::{ExitReason, Runner, RunnerResult};
use crate::git::Head;
use crate::record::{Attempt, CommitId, Step, TaskId, Usage};
use crate::run::journal::BegunStep;
use crate::run::undecided::plan_commits::PlanBefore;
use crate::worktree::changes::{Foreign, WorktreeChanges};
use crate::worktree::hidden::{Hidden, StateBefore};
use crate::worktree::ignored_before::IgnoredBefore;
use crate::worktree::snapshot::RepoSnapshot;

/// A step that is being worked on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WorkUnit {
    /// The task.
    pub task: TaskId,
    /// Its name when the step began.
    pub name: String,
    /// The step.
    pub step: Step,
    /// The attempt.
    #[serde(flatten)]
    pub attempt: Attempt,
    /// The head of the branch when the step began.
    pub head: Head,
    /// The prompt for the agent; `None` for a step that no agent does.
    pub prompt: Option<String>,
    /// The work tree when the step began.
    pub(crate) opened: TreeAtStart,
}

/// The state of a work tree when a step began.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TreeAtStart {
    /// The changes compared with HEAD.
    // The field keeps this name in the journal, which another version may have written.
    #[serde(rename = "dirt")]
    pub(crate) tree_changes: WorktreeChanges,
    /// The changes that are not the work of an implement step.
    pub(crate) foreign: Foreign,
    /// Other state that is compared after a step that changes files.
    // The name in the journal, as above.
    #[serde(rename = "eve")]
    pub(crate) state_before: Option<StateBefore>,
    /// What git ignored, for a step that changes no files but runs programs.
    #[serde(default)]
    pub(crate) ignored: Option<IgnoredBefore>,
    /// The files in which git overlooked changes, for such a step.
    #[serde(default)]
    pub(crate) overlooked: Option<Hidden>,
    /// The head of the branch at that time. After an interruption, the step may have begun at an earlier one.
    #[serde(default)]
    pub(crate) tip: Option<CommitId>,
    /// The plan. Its commit is newer than the head of the unit if the step was begun before.
    // Journals of older versions do not contain this field.
    #[serde(default)]
    pub(crate) plan: Option<PlanBefore>,
}

/// A unit as the journal keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StoredUnit {
    /// The unit.
    pub unit: WorkUnit,
    /// When it began, in seconds since the epoch. Journals of older versions do not say.
    #[serde(default)]
    pub began: Option<i64>,
    /// Who works on it.
    #[serde(default)]
    pub(crate) worker: Worker,
    /// The state of the repository; `None` if it was already compared.
    #[serde(default)]
    pub(crate) snapshot: Option<RepoSnapshot>,
}

/// Who works on a unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Worker {
    /// A program that the run has started. If the run is over, the step was interrupted.
    #[default]
    Run,
    /// An outside worker to whom it was handed out.
    Outside,
}

/// The result of a worker, handed over when the work on a unit is done.
#[derive(Debug)]
pub struct Handover {
    /// The name of the worker, for the `Arborist-Runner` trailer.
    pub worker: String,
    /// The words of the worker, including a reviewer's verdict.
    pub said: Vec<u8>,
    /// Whether they are certainly its answer, and not those of a program that could not begin: it reports its work as events.
    pub has_answered: bool,
    /// How the worker ended.
    pub exit_reason: ExitReason,
    /// Why the attempt has failed, as a clause; `None` if the worker has ended well.
    pub failure: Option<String>,
    /// The last line that the worker printed, for messages.
    pub last_line: Option<String>,
    /// How long it took.
    pub duration: Duration,
    /// What it has used, as far as it reports that.
    pub usage: Usage,
    /// The tools that it was not allowed to use, as far as it reports that.
    pub denied: Vec<String>,
}

impl Handover {
    /// Work that was not done by a program that we ran.
    #[must_use]
    pub fn by_hand(worker: &str, said: &[u8], duration: Duration) -> Self {
        Self {
            worker: worker.to_owned(),
            said: said.to_vec(),
            has_answered: true,
            exit_reason: ExitReason::Exited(0),
            failure: None,
            last_line: None,
            duration,
            usage: Usage::default(),
            denied: Vec::new(),
        }
    }

    /// The work of a program. Its words are `said` or, if that is empty, its standard error.
    pub(crate) fn of(called: Called<'_>) -> Self {
        let Called { runner, result, usage } = called;
        let denied = result.denied().map(str::to_owned).collect();
        let has_answered = result.activity.final_message.is_some();
        let (worker, failure, result) = (runner.label(), result.failure, result.job);
        let out = result.stdout.to_bytes_with_note();
        let said = if out.trim_ascii().is_empty() { result.stderr.to_bytes_with_note() } else { out };
        let last_line = result.last_line();
        let (duration, exit_reason) = (result.duration, result.exit_reason);
        Self { worker, said, has_answered, last_line, duration, exit_reason, failure, usage, denied }
    }
}

impl StoredUnit {
    /// Whether it was handed out.
    pub(crate) fn is_handed_out(&self) -> bool {
        self.worker == Worker::Outside
    }

    /// The step in the form in which its work is saved.
    pub(crate) fn interrupted<'u>(&'u self, how: &str) -> Leftover<'u> {
        let WorkUnit { task, step, .. } = &self.unit;
        Leftover { unit: &self.unit, what: format!("the {how} {} step of {task}", step.word()) }
    }
}

impl WorkUnit {
    /// Which step of which task it is.
    pub(crate) fn begun(&self) -> BegunStep {
        let Self { task, step, attempt, head, .. } = self;
        BegunStep { task: task.clone(), step: *step, attempt: *attempt, head: head.clone() }
    }

    /// Begins it at this commit, which follows the present one and changes no file.
    pub(crate) fn moves_to(&mut self, commit: CommitId) {
        self.head.commit = commit;
        self.opened.tip = self.opened.tip.map(|_| commit);
        if let Some(plan) = &mut self.opened.plan {
            plan.commit = commit;
        }
    }

    /// The files that git ignored before it, if they were recorded.
    pub(crate) fn ignored_before(&self) -> Option<&IgnoredBefore> {
        let of_change = self.opened.state_before.as_ref().map(|before| &before.ignored);
        of_change.or(self.opened.ignored.as_ref())
    }
}

/// A unit that was not finished, and its name in messages.
pub(crate) struct Leftover<'u> {
    pub(crate) unit: &'u WorkUnit,
    pub(crate) what: String,
}

/// The runner that has done a step, and how.
pub(crate) struct Called<'p> {
    /// The runner.
    pub(crate) runner: &'p Runner,
    /// The result of its last call.
    pub(crate) result: RunnerResult,
    /// What all calls have used.
    pub(crate) usage: Usage,
}
