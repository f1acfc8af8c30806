//! What every step works with: the engine, the state of its work tree, and the task at hand.

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

/// Works in one work tree.
pub struct Engine<'a> {
    /// What it works with.
    pub(super) context: RunContext<'a>,
    /// Who is told about progress.
    pub(super) observer: &'a mut dyn Observer,
    /// What history says of the plan.
    pub(super) followed: FollowedRun<'a>,
    /// What is known of the work tree.
    pub(super) workspace: Workspace,
    /// The programs of runners as they were when they were last started.
    pub(super) programs: HashMap<PathBuf, Fingerprint>,
    /// Says to the next run until when this one lived.
    #[expect(dead_code, reason = "it is held until the run ends, and not asked")]
    pub(super) alive: Heartbeat,
}

/// What is known of the work tree at the last look.
#[derive(Debug)]
pub(super) struct Workspace {
    /// What is dirty.
    pub(super) tree_changes: WorktreeChanges,
    /// What of it is not the work of an implement step.
    pub(super) foreign: Foreign,
    /// What the next run must know if this one is killed.
    pub(super) journal: Journal,
    /// What the repository is like.
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
    /// Reads what history says of the plan now.
    ///
    /// # Errors
    /// If history cannot be read to its end, or holds a step that this version does not know.
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
