//! The loop over one task: read history, decide, act, commit the outcome, repeat.

use std::collections::HashMap;
use std::time::Duration;

use super::context::RunContext;
use super::event::{Event, Observer};
use super::journal::Journal;
use super::plan_changed::plan_changed_warning;
use super::preflight::{DirtyTree, Preflight, PreparedTree};
use super::read_run::read_run;
use super::settle::FinishedStep;
use super::stale_locks::StaleLocks;
use super::state::{Assignment, Engine, Workspace};
use super::unit::{StoredUnit, TreeAtStart, WorkUnit, Worker};
use crate::error::{Error, Kind, Result};
use crate::git::Selection;
use crate::history::FollowedRun;
use crate::plan::NodeIx;
use crate::process::CancelLevel;
use crate::record::{Goal, Outcome, Step, StepMessage};
use crate::workflow::{FailedTask, NextAction, Policy, next_action};
use crate::worktree::heartbeat::Heartbeat;
use crate::worktree::snapshot::{RepoSnapshot, SnapshotSource};

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEnd {
    /// It is complete.
    Complete,
    /// It has failed for good.
    Failed,
}

impl<'a> Engine<'a> {
    /// Looks at the work tree and prepares it for the run.
    ///
    /// # Errors
    /// [`Kind::Repository`] if the work tree is dirty and must not be, or is in a state that rules out a run.
    pub fn open(context: RunContext<'a>, observer: &'a mut dyn Observer, dirty: DirtyTree) -> Result<Self> {
        let RunContext { git, work_tree, repository, plan, settings, cancel, .. } = &context;
        let preflight = Preflight { git, repository, work_tree, dirty, plan, settings, cancel };
        let mut warnings = Vec::new();
        let opened = preflight.open(&mut warnings);
        for warning in &warnings {
            observer.on(Event::Warning { text: warning.clone() });
        }
        let PreparedTree { tree_changes, foreign, journal } = opened?;
        let source = SnapshotSource { git, work_tree, repository };
        let snapshot = RepoSnapshot::take(source, settings.user_attributes.as_deref())?;
        Self::over(context, observer, Workspace { tree_changes, foreign, journal, snapshot })
    }

    /// Continues a unit that another process has begun.
    ///
    /// # Errors
    /// [`Kind::No`] if there is none.
    pub fn resume(context: RunContext<'a>, observer: &'a mut dyn Observer) -> Result<(Self, WorkUnit)> {
        let journal = Journal::read(&context.work_tree.git_dir);
        let Some(StoredUnit { unit, worker: Worker::Outside, snapshot: Some(snapshot) }) =
            journal.unit.clone()
        else {
            return Err(Error::new(Kind::No, "no step was handed out here", ""));
        };
        let TreeAtStart { tree_changes, foreign, .. } = unit.opened.clone();
        let workspace = Workspace { tree_changes, foreign, journal, snapshot };
        Ok((Self::over(context, observer, workspace)?, unit))
    }

    fn over(context: RunContext<'a>, observer: &'a mut dyn Observer, workspace: Workspace) -> Result<Self> {
        let RunContext { git, work_tree, repository, plan, .. } = &context;
        let alive = Heartbeat::begin(&work_tree.git_dir);
        let run = read_run(repository, plan, work_tree)?;
        let doubts = run.doubts.iter().map(|doubt| format!("{} ({})", doubt.what(), doubt.help()));
        for text in plan_changed_warning(git, repository, plan, &run)?.into_iter().chain(doubts) {
            observer.on(Event::Warning { text });
        }
        let followed = FollowedRun::new(repository, plan.query(), run);
        Ok(Self { context, observer, followed, workspace, programs: HashMap::new(), alive })
    }

    /// Ends the run. If a step was stopped, the runner's changes are saved and named. If a step was refused, its
    /// changes stay in the work tree for the user to look at, and are saved when the next run begins.
    ///
    /// # Errors
    /// If it cannot be saved; it then stays as it is.
    pub fn close(mut self) -> Result<()> {
        for removed in self.remove_dead_locks() {
            self.warn(&removed);
        }
        let stopped = self.context.cancel.level() != CancelLevel::None;
        if let Some(pending) = &self.workspace.journal.pending {
            let kept = format!("{} is kept, and is committed first when the run continues", pending.shown());
            // Otherwise the error of the run says so.
            if stopped {
                self.warn(&kept);
            }
            return self.note_end();
        }
        let compared = self.compare_unfinished();
        if stopped && compared.is_ok() {
            self.abandon("stopped")?;
        }
        self.note_end()?;
        compared
    }

    /// Drops the copy of the user's changes, or names what is different now.
    fn release_copy(&mut self) -> Result<()> {
        let Some(copy) = self.workspace.journal.copy.take() else { return Ok(()) };
        if let Some(sentence) = copy.release(&self.context.git, &self.context.work_tree)? {
            self.warn(&sentence);
        }
        Ok(())
    }

    fn note_end(&mut self) -> Result<()> {
        let released = self.release_copy();
        self.workspace.journal.run = None;
        self.workspace.journal.write(&self.context.work_tree.git_dir)?;
        released
    }

    /// Removes lock files that dead programs of this run have left behind, and names them.
    pub(super) fn remove_dead_locks(&self) -> Vec<String> {
        let RunContext { git, work_tree, repository, cancel, .. } = &self.context;
        let locks = StaleLocks { work_tree, repository, cancel };
        locks.of_this_run(self.workspace.journal.run.as_ref(), git.killed_programs())
    }

    /// Takes one task through its pipeline until it is complete or has failed for good.
    ///
    /// # Errors
    /// Everything that does not count as an attempt (docs/agents.md): the run stops, and continues with the same step
    /// when started again.
    pub fn run_task(&mut self, leaf: NodeIx, failed: FailedTask) -> Result<TaskEnd> {
        let mut policy = Policy { failed, ..self.context.settings.policy };
        loop {
            self.check_stop()?;
            let run = self.read()?;
            let next = next_action(self.context.plan.latest(&run, leaf), &policy);
            // The user asks to retry a failed task only once: if it fails again, it has failed in this call.
            policy.failed = FailedTask::Leave;
            match next {
                NextAction::Complete => return Ok(TaskEnd::Complete),
                NextAction::Failed => return Ok(TaskEnd::Failed),
                NextAction::GiveUp => {
                    let latest = self.context.plan.latest(&run, leaf).map_or(0, |record| record.attempt);
                    self.give_up(self.job(leaf, Step::COMPLETE, latest))?;
                }
                NextAction::Run { step, attempt } => self.run_step(self.job(leaf, step, attempt))?,
            }
        }
    }

    fn run_step(&mut self, job: Assignment<'a>) -> Result<()> {
        match job.step.row().goal {
            Goal::Change => self.implement(job),
            Goal::TestsPass => self.test(job),
            Goal::Approval => self.review(job),
            Goal::Report => self.complete(job),
        }
    }

    /// Records that a task has failed. Changes that its attempts could not commit do not become part of later tasks.
    fn give_up(&mut self, job: Assignment<'a>) -> Result<()> {
        let head = self.context.repository.branch()?;
        let Workspace { tree_changes, foreign, .. } = &self.workspace;
        let left = tree_changes.clone().apart_from(&foreign.users).apart_from(&foreign.tests);
        self.name_as_left(&format!("the attempts at {}", job.task.id), left);
        let message = StepMessage::new(job.step, job.task, job.attempt, Outcome::Fail);
        self.record(&FinishedStep {
            job,
            outcome: Outcome::Fail,
            head,
            selection: Selection::default(),
            message,
            duration: Duration::ZERO,
            detail: String::new(),
        })
    }
}
