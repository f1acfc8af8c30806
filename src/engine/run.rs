//! The engine, and its loop over one task: read history, decide, act, commit the outcome, repeat.

use super::context::RunContext;
use super::unit::Opened;
use super::unit::StoredUnit;
use super::unit::WorkUnit;
use crate::error::Kind;
use std::collections::HashMap;
use std::path::PathBuf;
use std::rc::Rc;
use std::time::Duration;

use super::event::{Event, Observer, StepBegins};
use super::journal::Journal;
use super::plan_changed::begun_anew;
use super::preflight::{Opening, Preparation};
use super::prompts::Prompts;
use super::read_run::{read_run, refuse_unknown, tip_of};
use super::settle::Finished;
use super::stale_locks::StaleLocks;
use crate::error::{Error, Result};
use crate::git::Selection;
use crate::history::{Followed, Run};
use crate::plan::NodeIx;
use crate::process::{LiveLine, Urgency};
use crate::record::{Attempt, Goal, Outcome, Step, StepMessage, TaskRef};
use crate::workflow::{FailedTask, NextAction, Policy, next_action};
use crate::worktree::alive::SignOfLife;
use crate::worktree::changes::{Dirt, Foreign};
use crate::worktree::fingerprint::Fingerprint;
use crate::worktree::snapshot::{RepoSnapshot, Scene};

/// How a task ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskEnd {
    /// It is complete.
    Complete,
    /// It has failed for good.
    Failed,
}

/// Works in one work tree.
pub struct Engine<'a> {
    /// What it works with.
    pub(super) context: RunContext<'a>,
    /// The watcher.
    pub(super) observer: &'a mut dyn Observer,
    /// What history says of the plan.
    pub(super) followed: Followed<'a>,
    /// What is known of the work tree.
    pub(super) workspace: Workspace,
    /// The programs of runners as they were when they were last started.
    pub(super) programs: HashMap<PathBuf, Fingerprint>,
    /// Says to the next run until when this one lived.
    _alive: SignOfLife,
}

/// What is known of the work tree at the last look.
#[derive(Debug)]
pub(super) struct Workspace {
    /// What is dirty.
    pub(super) dirt: Dirt,
    /// What of it is not the work of an implement step.
    pub(super) foreign: Foreign,
    /// What the next run must know if this one is killed.
    pub(super) journal: Journal,
    /// What the repository is like.
    pub(super) snapshot: RepoSnapshot,
}

/// Whether work may begin over changes that are not committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirtyTree {
    /// It may not.
    Refuse,
    /// It may; they stay as they are, uncommitted.
    Allow,
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
    /// Looks at the work tree and makes everything ready.
    ///
    /// # Errors
    /// [`Kind::Repository`] if the work tree is dirty and may not be, or in no state for this.
    pub fn open(context: RunContext<'a>, observer: &'a mut dyn Observer, dirty: DirtyTree) -> Result<Self> {
        let RunContext { git, work_tree, repository, plan, settings, stop, .. } = &context;
        let policy = &settings.policy;
        let preparation = Preparation { git, repository, work_tree, dirty, plan, policy, stop };
        let mut warnings = Vec::new();
        let opened = preparation.open(&mut warnings);
        for warning in &warnings {
            observer.on(Event::Warning { text: warning.clone() });
        }
        let Opening { dirt, foreign, journal } = opened?;
        let snapshot = RepoSnapshot::take(Scene { git, work_tree, repository })?;
        Self::over(context, observer, Workspace { dirt, foreign, journal, snapshot })
    }

    /// Goes on with a unit that another process has begun.
    ///
    /// # Errors
    /// [`Kind::No`] if there is none.
    pub fn resume(context: RunContext<'a>, observer: &'a mut dyn Observer) -> Result<(Self, WorkUnit)> {
        let journal = Journal::read(&context.work_tree.git_dir);
        let Some(StoredUnit { unit, handed_out: Some(snapshot) }) = journal.unit.clone() else {
            return Err(Error::new(Kind::No, "no step was handed out here", ""));
        };
        let Opened { dirt, foreign, .. } = unit.opened.clone();
        let workspace = Workspace { dirt, foreign, journal, snapshot };
        Ok((Self::over(context, observer, workspace)?, unit))
    }

    fn over(context: RunContext<'a>, observer: &'a mut dyn Observer, workspace: Workspace) -> Result<Self> {
        let RunContext { git, work_tree, repository, plan, .. } = &context;
        let alive = SignOfLife::begin(&work_tree.git_dir);
        let run = read_run(repository, plan, work_tree)?;
        let doubts = run.doubts.iter().map(|doubt| format!("{} ({})", doubt.what(), doubt.help()));
        for text in begun_anew(git, repository, plan, &run)?.into_iter().chain(doubts) {
            observer.on(Event::Warning { text });
        }
        let followed = Followed::new(repository, plan.query(), run);
        Ok(Self { context, observer, followed, workspace, programs: HashMap::new(), _alive: alive })
    }

    /// Ends the run. What the runner left in a step that was stopped is saved and named; what a refused step left stays
    /// in the work tree to be looked at, and is saved when the next run begins.
    ///
    /// # Errors
    /// If it cannot be saved; it then stays as it is.
    pub fn close(mut self) -> Result<()> {
        for removed in self.remove_dead_locks() {
            self.warn(&removed);
        }
        let stopped = self.context.stop.urgency() != Urgency::None;
        if let Some(pending) = &self.workspace.journal.pending {
            let kept = format!("{} is kept, and is committed first when the run continues", pending.shown());
            // Else the error of the run says so.
            if stopped {
                self.warn(&kept);
            }
        } else if stopped {
            self.abandon("stopped")?;
        }
        self.workspace.journal.run = None;
        self.workspace.journal.write(&self.context.work_tree.git_dir)
    }

    /// Removes lock files that dead programs of this run have left, and says which.
    pub(super) fn remove_dead_locks(&self) -> Vec<String> {
        let RunContext { git, work_tree, repository, stop, .. } = &self.context;
        let locks = StaleLocks { work_tree, repository, stop };
        locks.of_this_run(self.workspace.journal.run.as_ref(), git.deaths())
    }

    /// Reads what history says of the plan now.
    ///
    /// # Errors
    /// If history cannot be read to its end, or holds a step that this version does not know.
    pub fn read(&self) -> Result<Rc<Run>> {
        let run = self.followed.catch_up(tip_of(self.context.repository, self.context.plan)?)?;
        refuse_unknown(&run)?;
        Ok(run)
    }

    /// The prompt of a step in which an agent acts.
    pub(super) fn prompt(&self, job: Assignment<'_>) -> Result<String> {
        let prompts = Prompts { git: &self.context.git, plan: self.context.plan, followed: &self.followed };
        let artifacts = [self.context.settings.report_dir.as_str(), self.context.settings.log_dir.as_str()];
        let prompt = prompts.of(job.step, job.leaf, &artifacts)?;
        Ok(prompt.expect("a step in which an agent acts has a template: the table of steps is tested for it"))
    }

    /// Takes one task through its pipeline until it is complete or has failed for good.
    ///
    /// # Errors
    /// Everything that is not an attempt (docs/agents.md): the run stops, and goes on from the same step when started again.
    pub fn run_task(&mut self, leaf: NodeIx, failed: FailedTask) -> Result<TaskEnd> {
        let mut policy = Policy { failed, ..self.context.settings.policy };
        loop {
            self.check_stop()?;
            let run = self.read()?;
            let next = next_action(self.context.plan.latest(&run, leaf), &policy);
            // A user who asks for a failed task asks once: the second time it has failed in this call.
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

    /// Records that a task has failed. What its attempts could not commit is no work of the tasks after it.
    fn give_up(&mut self, job: Assignment<'a>) -> Result<()> {
        let head = self.context.repository.branch()?;
        let Workspace { dirt, foreign, .. } = &self.workspace;
        let left = dirt.clone().apart_from(&foreign.users).apart_from(&foreign.tests);
        self.name_as_left(&format!("the attempts at {}", job.task.id), left);
        let message = StepMessage::new(job.step, job.task, job.attempt, Outcome::Fail);
        self.record(&Finished {
            job,
            outcome: Outcome::Fail,
            head,
            selection: Selection::default(),
            message,
            duration: Duration::ZERO,
            detail: String::new(),
        })
    }

    pub(super) fn check_stop(&self) -> Result<()> {
        if self.context.stop.urgency() == Urgency::None {
            return Ok(());
        }
        Err(stopped())
    }

    /// Tells the watcher that a step begins.
    pub(super) fn announce(&mut self, job: Assignment<'_>, runner: Option<String>) -> LiveLine {
        let live = LiveLine::new();
        self.observer.on(Event::Begins(StepBegins {
            task: job.task.id.clone(),
            name: job.task.name.to_owned(),
            step: job.step,
            attempt: job.attempt,
            runner,
            live: live.clone(),
        }));
        live
    }

    pub(super) fn warn(&mut self, text: &str) {
        let text = self.context.secrets.redact(text);
        self.observer.on(Event::Warning { text });
    }
}

/// The error of a run that the user has stopped.
pub(super) fn stopped() -> Error {
    Error::stopped(None, "Every finished step is committed. The same command continues from there.")
}
