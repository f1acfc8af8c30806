//! The state that every step uses: the engine, its work tree, and the current task.

use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;

use super::context::RunContext;
use super::event::{Event, Observer, StepBegins};
use super::journal::Journal;
use super::read_run::{refuse_unknown, tip_of};
use crate::error::{Error, Result};
use crate::history::{FollowedRun, Run};
use crate::plan::NodeIx;
use crate::process::{CancelLevel, LiveLine};
use crate::record::{Attempt, Step, TaskRef};
use crate::worktree::changes::{Foreign, WorktreeChanges};
use crate::worktree::fingerprint::Fingerprint;
use crate::worktree::heartbeat::Heartbeat;
use crate::worktree::snapshot::RepoSnapshot;

/// Takes tasks through their steps in one work tree.
pub struct Engine<'a> {
    /// The repository, plan and settings of the run.
    pub(super) context: RunContext<'a>,
    /// The observer of the run.
    pub(super) observer: &'a mut dyn Observer,
    /// The state of the plan, read from history.
    pub(super) followed: FollowedRun<'a>,
    /// The known state of the work tree.
    pub(super) workspace: Workspace,
    /// The programs of the runners, as they were when last started.
    pub(super) programs: HashMap<PathBuf, Fingerprint>,
    /// Tells the next run until when this one was alive.
    #[expect(dead_code, reason = "it is held until the run ends, but never read")]
    pub(super) alive: Heartbeat,
}

/// The work tree as it was at the last look.
#[derive(Debug)]
pub(super) struct Workspace {
    /// The changes in it.
    pub(super) tree_changes: WorktreeChanges,
    /// The changes that are not the work of an implement step.
    pub(super) foreign: Foreign,
    /// The journal: what the next run must know if this one is killed.
    pub(super) journal: Journal,
    /// The state of the repository.
    pub(super) snapshot: RepoSnapshot,
}

/// A task in the middle of its pipeline.
#[derive(Clone, Copy, Debug)]
pub(super) struct Assignment<'p> {
    pub(super) leaf: NodeIx,
    pub(super) task: TaskRef<'p>,
    pub(super) step: Step,
    pub(super) attempt: Attempt,
}

impl<'a> Engine<'a> {
    /// Reads the state of the plan from history again.
    ///
    /// # Errors
    /// If history cannot be read completely, or contains a step that this version does not know.
    pub fn read(&self) -> Result<Rc<Run>> {
        let run = self.followed.catch_up(tip_of(self.context.repository, self.context.plan)?)?;
        refuse_unknown(&run)?;
        Ok(run)
    }

    pub(super) fn job(&self, leaf: NodeIx, step: Step, number: u32) -> Assignment<'a> {
        let node = self.context.plan.tree.node(leaf);
        let task = TaskRef { id: &node.id, name: &node.name };
        Assignment {
            leaf,
            task,
            step,
            attempt: Attempt::new(number, self.context.settings.policy.max_attempts),
        }
    }

    pub(super) fn check_stop(&self) -> Result<()> {
        if self.context.cancel.level() == CancelLevel::None {
            return Ok(());
        }
        Err(stopped())
    }

    /// Tells the observer that a step begins.
    pub(super) fn announce(&mut self, job: Assignment<'_>, runner: Option<String>) -> LiveLine {
        let live = LiveLine::new();
        self.observer.on(Event::Begins(StepBegins {
            task: job.task.id.clone(),
            name: self.shown_name(job.task.name),
            step: job.step,
            attempt: job.attempt,
            runner,
            live: live.clone(),
        }));
        live
    }

    /// The name of a task as it is written everywhere outside of the plan: without secrets.
    pub(super) fn shown_name(&self, name: &str) -> String {
        self.secret_search().redact(name)
    }

    pub(super) fn warn(&mut self, text: &str) {
        let text = self.secret_search().redact(text);
        self.observer.on(Event::Warning { text });
    }
}

/// The error of a run that the user has stopped.
pub(super) fn stopped() -> Error {
    Error::stopped(None, "Every finished step is committed. The same command continues from there.")
}
