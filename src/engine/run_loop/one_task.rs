//! The loop over one task: read history, decide, act, commit the outcome, repeat.

use std::collections::HashSet;
use std::rc::Rc;

use super::check_given_tip;
use super::hook_refusals::HookRefusals;
use crate::engine::event::Event;
use crate::engine::record::recorder::Recorder;
use crate::engine::run_context::Assignment;
use crate::engine::run_context::budget::Spent;
use crate::engine::run_context::context::{RunContext, RunPart, RunPrograms, TaskPart};
use crate::engine::run_context::limits::Pause;
use crate::engine::steps::StepMaker;
use crate::engine::steps::complete::GivenUp;
use crate::engine::steps::implement::Implementer;
use crate::engine::steps::memory::RunnerMemory;
use crate::engine::steps::review::Reviewer;
use crate::engine::tree::preflight::{DirtyTree, Preflight};
use crate::engine::tree::workspace::Workspace;
use crate::error::{Error, Kind, Result};
use crate::history::{FollowedRun, Run};
use crate::plan::NodeIx;
use crate::process::CancelLevel;
use crate::record::{Goal, Outcome, Step, StepFacts, StepRecord, UsageTotal};
use crate::run::plan::changed::plan_changed_warning;
use crate::run::read_run::{read_here, settled};
use crate::run::{KnownBefore, TaskScope};
use crate::workflow::{FailedTask, NextAction, Policy, after_failed_merge, next_action};
use crate::worktree::heartbeat::Heartbeat;
use crate::worktree::moved_ref::put_back_owed;
use crate::worktree::{WaitNote, is_slot, lend_between_steps};

/// How a task ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TaskEnd {
    /// It is complete or skipped.
    Done,
    /// A person has to approve it before it is complete.
    AwaitsApproval,
    /// A person has to answer a question about it.
    AwaitsAnswer,
    /// It has failed for good.
    Failed,
    /// It goes on in another run, because no further step may begin in this one.
    Paused(Pause),
    /// An attempt to merge it has failed. The scheduler that gave it away begins the next one with the newest commit of the
    /// branch of the run.
    MergesAgain,
}

/// Takes tasks through their steps in one work tree.
pub struct Engine<'a> {
    /// The repository, plan and settings of the run.
    pub(crate) run: &'a RunContext<'a>,
    /// The state of the plan, read from history.
    pub(crate) followed: FollowedRun<'a>,
    /// The known state of the work tree.
    pub(crate) workspace: Workspace<'a>,
    /// What the run has learned about its runners.
    pub(crate) memory: RunnerMemory,
    /// The tests that are still awaited in phases that have failed, as sentences.
    pub(crate) due: Vec<String>,
    /// The tasks without a phase above them whose end needs no look any more.
    pub(crate) ended_tasks: HashSet<NodeIx>,
    /// Whether tests of phases that have failed run again although no file has changed since.
    pub(crate) tries_phases_again: bool,
    /// What hooks have said of tasks that have failed.
    pub(crate) refusals: HookRefusals,
    /// The tasks that the run may open again after the tests of their phase have failed.
    pub(crate) reopens: TaskScope,
    /// The complete phases that are closed once more.
    pub(crate) closes_again: HashSet<NodeIx>,
    /// The complete phases of which it is known whether they are.
    pub(crate) looked_at: HashSet<NodeIx>,
    /// Tells commands of a person that this run lends them its lock between two steps.
    #[expect(dead_code, reason = "it is held until the run ends, but never read")]
    lending: Option<WaitNote>,
    /// Tells the next run until when this one was alive.
    #[expect(dead_code, reason = "it is held until the run ends, but never read")]
    alive: Heartbeat,
}

impl<'a> Engine<'a> {
    /// Looks at the work tree and prepares it for the run.
    ///
    /// # Errors
    /// [`Kind::Repository`] if the work tree is dirty and must not be, or is in a state that rules out a run.
    pub fn open(run: &'a RunContext<'a>, dirty: DirtyTree) -> Result<Self> {
        let RunContext {
            git,
            work_tree,
            repository,
            plan,
            settings,
            programs: RunPrograms { cancel, .. },
            ..
        } = run;
        let preflight = Preflight { git, repository, work_tree, dirty, plan, settings, cancel };
        let mut warnings = Vec::new();
        let opened = preflight.open(&mut warnings);
        for text in warnings {
            run.observer.on(Event::Warning { text });
        }
        let mut prepared = opened?;
        if run.part == RunPart::Whole {
            // Whatever a killed scheduler knew, this run moves branches too.
            prepared.journal.tips = None;
        }
        let snapshot = run.snapshot()?;
        check_given_tip(run).inspect_err(|_| {
            // The error itself is told in any case.
            let _ = prepared.journal.write(&work_tree.git_dir);
        })?;
        Self::over(Workspace::new(run, prepared, snapshot))
    }

    fn over(workspace: Workspace<'a>) -> Result<Self> {
        let run = workspace.run;
        let RunContext { work_tree, repository, plan, .. } = run;
        let alive = Heartbeat::begin(&work_tree.git_dir);
        let state = read_here(repository, plan)?;
        let doubts = state.doubts.iter().map(|doubt| format!("{} ({})", doubt.what(), doubt.help()));
        for text in plan_changed_warning(repository, plan, &state)?.into_iter().chain(doubts) {
            run.observer.on(Event::Warning { text });
        }
        let is_ended = |root: &&NodeIx| {
            let id = &plan.tree.node(**root).id;
            plan.tree.is_leaf(**root)
                && run.phases.is_none()
                && plan.state(&state, **root).is_done()
                && !state.failed_phases.contains_key(id)
        };
        let lending = if run.part == RunPart::Whole { lend_between_steps(work_tree) } else { None };
        let ended_tasks = plan.tree.roots().iter().filter(is_ended).copied().collect();
        let followed = FollowedRun::new(repository, plan.query(), state);
        Ok(Self {
            run,
            followed,
            workspace,
            memory: RunnerMemory::default(),
            due: Vec::new(),
            ended_tasks,
            tries_phases_again: false,
            refusals: HookRefusals::default(),
            reopens: TaskScope::none(),
            closes_again: HashSet::new(),
            looked_at: HashSet::new(),
            lending,
            alive,
        })
    }

    /// Reads the state of the plan from history again.
    ///
    /// # Errors
    /// If history cannot be read completely.
    pub fn read(&self) -> Result<Rc<Run>> {
        let run = self.followed.catch_up(self.run.plan.tip_in(self.run.repository)?)?;
        Ok(if run.unknown.is_empty() { run } else { Rc::new(settled((*run).clone())) })
    }

    /// What its agents have used so far.
    #[must_use]
    pub fn used(&self) -> UsageTotal {
        self.memory.spending.usage
    }

    /// Commits the finished step that an earlier run could not commit, if there is one.
    ///
    /// # Errors
    /// [`Kind::Repository`] if its files must not be committed as they are now; otherwise as for every step.
    pub fn commit_pending(&mut self) -> Result<()> {
        Recorder { followed: &self.followed, workspace: &mut self.workspace }.commit_pending()
    }

    /// Ends the run. If a step was stopped, the runner's changes are saved and named. If a step was refused, its
    /// changes stay in the work tree for the user to look at, and are saved when the next run begins.
    ///
    /// # Errors
    /// If it cannot be saved; it then stays as it is.
    pub fn close(mut self) -> Result<()> {
        self.workspace.remove_dead_locks();
        // Such a lock may have been in the way. What still cannot be put back, the error of the run has named.
        for warning in put_back_owed(&self.run.git).unwrap_or_default() {
            self.run.warn(&warning);
        }
        let stopped = self.run.programs.cancel.level() != CancelLevel::None;
        if let Some(pending) = &self.workspace.journal.pending {
            let kept = format!("{} is kept, and is committed first when the run continues", pending.shown());
            // Otherwise the error of the run says so.
            if stopped {
                self.run.warn(&kept);
            }
            return self.note_end();
        }
        let compared = self.workspace.compare_unfinished();
        if stopped && compared.is_ok() {
            self.workspace.abandon("stopped")?;
        }
        self.note_end()?;
        compared
    }

    /// Drops the copy of the user's changes, or names what is different now.
    fn release_copy(&mut self) -> Result<()> {
        let Some(copy) = self.workspace.journal.copy.take() else { return Ok(()) };
        if let Some(sentence) = copy.release(&self.run.git, &self.run.work_tree)? {
            self.run.warn(&sentence);
        }
        Ok(())
    }

    fn note_end(&mut self) -> Result<()> {
        let released = self.release_copy();
        self.workspace.journal.run = None;
        self.workspace.write_journal()?;
        released
    }

    /// Takes one task through its pipeline until it is complete or has failed for good.
    ///
    /// # Errors
    /// Everything that does not count as an attempt (docs/agents.md): the run stops, and continues with the same step
    /// when started again.
    pub fn run_task(&mut self, leaf: NodeIx, failed: FailedTask) -> Result<TaskEnd> {
        let mut policy = Policy { failed, ..self.run.settings.tasks.of(leaf).policy };
        let mut is_to_merge = self.run.part.is_to_merge();
        let mut has_begun = false;
        loop {
            self.run.check_stop()?;
            self.let_others_act()?;
            let run = self.read()?;
            let mut next = next_action(self.run.plan.latest(&run, leaf), &policy);
            if is_to_merge && next == NextAction::Done {
                let steps = self.followed.steps_of(&self.run.plan.tree.node(leaf).id)?;
                next = after_failed_merge(steps.iter().map(|step| &step.step.record), &policy);
            }
            is_to_merge = false;
            // The user asks to retry a failed task only once: if it fails again, it has failed in this call.
            policy.failed = FailedTask::Leave;
            if let (NextAction::Run { .. } | NextAction::GiveUp, Some(pause)) =
                (next, self.pause_before_step(leaf)?)
            {
                return Ok(TaskEnd::Paused(pause));
            }
            if let Some(said) = self.answered_twice(leaf, next)? {
                self.end_paying(leaf, self.run.plan.latest(&run, leaf), &said)?;
                continue;
            }
            match next {
                NextAction::Done => return Ok(TaskEnd::Done),
                NextAction::AwaitApproval { .. } => return Ok(TaskEnd::AwaitsApproval),
                NextAction::AwaitAnswer => return Ok(TaskEnd::AwaitsAnswer),
                NextAction::Failed => return Ok(TaskEnd::Failed),
                NextAction::GiveUp => self.give_up(leaf, self.run.plan.latest(&run, leaf))?,
                NextAction::Run { step, merge: Some(_), .. }
                    if has_begun && step.row().goal == Goal::Change && self.run.part != RunPart::Whole =>
                {
                    return Ok(TaskEnd::MergesAgain);
                }
                NextAction::Run { step, attempt, merge } => {
                    has_begun = true;
                    if step.role().is_some() {
                        match &self.run.part {
                            // For the workers in its slots, their scheduler has tried it.
                            RunPart::Task(part) if is_slot(&self.run.work_tree) => {
                                self.step_maker().begin_known_task(leaf, &part.known)?;
                            }
                            _ => drop(self.prepare_task(leaf)?),
                        }
                    }
                    let job = self.run.assignment(leaf, step, attempt).in_merge(merge);
                    self.run_step(job)?;
                    self.count_step(job)?;
                }
            }
        }
    }

    /// Makes sure, before an agent works on a task, that its steps can be committed and that its tests can judge it. Returns what is known
    /// of its tests.
    ///
    /// # Errors
    /// If a hook refuses every commit, or a test command cannot judge the work.
    pub(crate) fn prepare_task(&mut self, leaf: NodeIx) -> Result<KnownBefore> {
        self.refusals.try_commits(self.run, &self.workspace.snapshot)?;
        let tests = self.run.assignment(leaf, Step::TEST, 0);
        self.step_maker().begin_task(tests)?;
        Ok(self.workspace.earlier.known(leaf))
    }

    /// Does what needs no agent.
    pub(crate) fn step_maker(&mut self) -> StepMaker<'_, 'a> {
        StepMaker { followed: &self.followed, workspace: &mut self.workspace }
    }

    /// Records that a task has failed for good after this step, its latest one.
    fn give_up(&mut self, leaf: NodeIx, latest: Option<&StepRecord>) -> Result<()> {
        // A finished task is given up only if it could not be merged.
        let is_finished = |record: &&StepRecord| record.merge.is_some() || record.step.is_end();
        let why = match &self.run.part {
            RunPart::Task(TaskPart { onto, failure: Some(failure), .. })
                if latest.is_some_and(|record| is_finished(&record)) =>
            {
                GivenUp::NotMerged(onto, failure)
            }
            _ => GivenUp::Attempts,
        };
        let (attempt, merge) = latest.map_or((0, None), |record| (record.attempt, record.merge));
        let job = self.run.assignment(leaf, Step::COMPLETE, attempt).in_merge(merge);
        self.step_maker().give_up(job, why)?;
        self.refusals.note(job.task.id, job.step, Outcome::Fail, b"").map_or(Ok(()), Err)
    }

    /// Why no further step of a task may begin; `None` if one may.
    fn pause_before_step(&mut self, leaf: NodeIx) -> Result<Option<Pause>> {
        if let Some(pause) = self.run.pause_before_step().or_else(|| self.budget_reached()) {
            return Ok(Some(pause));
        }
        let budget = &self.run.settings.tasks.of(leaf).budget;
        if !budget.has_limit() {
            return Ok(None);
        }
        let id = &self.run.plan.tree.node(leaf).id;
        self.memory.task_spent = Spent::on_task(&self.followed.steps_of(id)?);
        let reached = budget.reached(&self.memory.task_spent);
        Ok(reached.map(|reached| Pause::TaskBudget(id.clone(), reached)))
    }

    /// Why no further step may begin after what the runners of this run have used.
    pub(crate) fn budget_reached(&self) -> Option<Pause> {
        self.run.limits.budget.reached(&self.memory.spending).map(Pause::Budget)
    }

    /// Counts a step that has just been committed. What its runners have used is counted already.
    ///
    /// # Errors
    /// If a limit on the cost cannot hold, or history cannot be read.
    fn count_step(&mut self, job: Assignment<'_>) -> Result<()> {
        self.read()?;
        let steps = self.followed.steps_of(job.task.id)?;
        let is_it = |record: &StepRecord| record.step == job.step && record.attempt == job.attempt.number;
        if let Some(step) = steps.iter().find(|step| is_it(&step.step.record)) {
            self.memory.spending.add_step(&step.step.record, StepFacts::of(&step.message).usage);
            self.refusals.note(job.task.id, job.step, step.step.record.outcome, &step.message);
        }
        self.memory.without_cost.take().map_or(Ok(()), Err)
    }

    fn run_step(&mut self, job: Assignment<'a>) -> Result<()> {
        let Self { followed, workspace, memory, .. } = self;
        match job.step.row().goal {
            Goal::Change | Goal::TestsFail => {
                Implementer { followed, workspace, memory, open_merge: None }.implement(job)
            }
            Goal::TestsPass => self.step_maker().test(job).map(drop),
            Goal::Approval => Reviewer { followed, workspace, memory }.review(job),
            Goal::Report => self.step_maker().complete(job),
            Goal::Record | Goal::Answer => {
                let what = format!("only a person can make the step {} of {}", job.step.word(), job.task.id);
                Err(Error::new(Kind::No, what, ""))
            }
            Goal::Claim => {
                let what = format!("{} is claimed by a worker, and not by a step of a run", job.task.id);
                Err(Error::new(Kind::No, what, ""))
            }
        }
    }
}
