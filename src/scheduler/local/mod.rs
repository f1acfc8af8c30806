//! The loop over several tasks at the same time: each is worked on by a process of its own, in a slot and on a branch of its
//! own, and its branch is merged when it is complete (docs/parallel.md).
//!
//! The branches and the history are all there is to know. The loop looks at them whenever something has ended, and decides anew
//! what begins, where, and what is merged. So it can be killed at any moment, together with the workers or without them.

mod branches;
mod known_tips;
mod merges;
mod new_plan;
mod places;
mod reports;
mod tips;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use self::known_tips::{interrupt, tips_at_start};
use self::new_plan::{changed_plan, take_over_plan};
use self::places::{Places, no_slot};
use crate::engine::event::{Event, SlotPurpose};
use crate::engine::run_context::context::stopped;
use crate::engine::run_context::limits::Pause;
use crate::engine::run_loop::all_tasks::RunEnd;
use crate::engine::run_loop::one_task::Engine;
use crate::engine::run_loop::{OnFailure, RunProgress, RunScope};
use crate::engine::tree::tips::RunTips;
use crate::error::{Error, Result};
use crate::history::Run;
use crate::plan::{NodeIx, Readiness};
use crate::record::{State, StepCommit};
use crate::run::read_run::is_overtaken;
use crate::run::{FailedIntegration, branch_of};
use crate::scheduler::integrate::Integration;
use crate::scheduler::worker::{Setup, TaskWork, WorkerProcesses};
use crate::workflow::{FailedTask, SlotChoice};

/// How long the loop waits for a report before it looks whether it has to end.
pub(super) const TICK: Duration = Duration::from_millis(100);

/// A run that works on several tasks at the same time.
pub(super) struct Jobs<'e, 'a> {
    engine: &'e mut Engine<'a>,
    scope: &'e RunScope,
    workers: WorkerProcesses<'e>,
    places: Places<'a>,
    /// What the branches of the run must be.
    tips: RunTips,
    at_work: ActiveWork,
    merging: MergeQueue,
    /// The failed tasks that are to be tried again.
    again: HashSet<NodeIx>,
    failed_phases: HashSet<NodeIx>,
    progress: RunProgress,
    /// Until when nothing begins, because the account of an agent has hit a limit.
    held_until: Option<Instant>,
    /// The first error of a worker. Nothing more begins then.
    error: Option<Error>,
}

#[derive(Default)]
struct ActiveWork {
    /// The task that is worked on in each slot in use.
    running: BTreeMap<u32, NodeIx>,
    /// The slot in which tests of merged tasks run.
    testing: Option<u32>,
    /// The tasks on which a worker was at work in this run.
    settled: HashSet<NodeIx>,
    /// How often the worker of a task was killed.
    killed: HashMap<NodeIx, u32>,
    /// Whether the workers were asked to end after their present step.
    asked_to_pause: bool,
}

impl ActiveWork {
    fn is_idle(&self) -> bool {
        self.running.is_empty() && self.testing.is_none()
    }

    /// The tasks that are worked on.
    fn tasks(&self) -> Vec<NodeIx> {
        self.running.values().copied().collect()
    }
}

/// The merges of finished tasks.
struct MergeQueue {
    /// The one that is being built or tested.
    integration: Integration,
    /// Finished tasks that could not be merged and wait for their next attempt.
    not_merged: HashMap<NodeIx, FailedIntegration>,
    /// Why finished tasks were worked on again. Their further attempts need it.
    sent_back: HashMap<NodeIx, FailedIntegration>,
    /// The tasks that others have overtaken twice. Until the first of them is merged, nothing else is.
    overtaken: Vec<NodeIx>,
}

impl MergeQueue {
    /// Why a task is worked on again that could not be merged, as long as its latest step is part of an attempt to do that.
    fn failure_of(&mut self, leaf: NodeIx, latest: Option<&StepCommit>) -> Option<&FailedIntegration> {
        // An attempt that has completed the task is over, even if its worker was killed before it could say so.
        let is_part =
            latest.is_some_and(|step| step.record.merge.is_some() && step.record.state() != State::Complete);
        match self.not_merged.remove(&leaf) {
            Some(failed) => Some(self.sent_back.entry(leaf).insert_entry(failed).into_mut()),
            None => self.sent_back.get(&leaf).filter(|_| is_part),
        }
    }
}

/// What the loop does next.
enum LoopTurn {
    /// It waits for a report.
    Wait,
    Over(Option<Pause>),
}

impl<'e, 'a> Jobs<'e, 'a> {
    /// A run that works on up to `jobs` tasks at the same time.
    ///
    /// # Errors
    /// If the slots of earlier runs cannot be taken over, or the history cannot be read.
    pub(super) fn open(
        engine: &'e mut Engine<'a>,
        scope: &'e RunScope,
        jobs: u32,
        workers: WorkerProcesses<'e>,
    ) -> Result<Self> {
        let head = engine.run.repository.branch()?;
        engine.follow(scope)?;
        let noted = engine.workspace.journal.tips.take();
        // A worker of a killed run may commit its last step until it has given back its slot.
        let places = Places::open(engine.run, jobs, &head.commit)?;
        let mut tips = tips_at_start(engine.run, noted.as_ref(), &head)?;
        interrupt(&mut tips, places.interrupted());
        let overtaken = overtaken_before(engine, scope)?;
        let again = match scope.failed_before {
            FailedTask::StartOver => {
                engine.failed_tasks(&*engine.read_all()?, &scope.tasks).into_iter().collect()
            }
            FailedTask::Leave => HashSet::new(),
        };
        Ok(Self {
            engine,
            scope,
            workers,
            places,
            tips,
            at_work: ActiveWork::default(),
            merging: MergeQueue {
                integration: Integration::default(),
                not_merged: HashMap::new(),
                sent_back: HashMap::new(),
                overtaken,
            },
            again,
            failed_phases: HashSet::new(),
            progress: RunProgress::default(),
            held_until: None,
            error: None,
        })
    }
}

impl Jobs<'_, '_> {
    /// Works until everything is complete, something fails, or the run must pause.
    ///
    /// # Errors
    /// Every failure that does not count as an attempt (docs/agents.md).
    pub(super) fn work(mut self) -> Result<RunEnd> {
        let worked = self.loop_until_over();
        // Whatever happened, no worker is left behind.
        if worked.is_err() || self.is_cancelled() {
            self.end_workers();
        }
        let checked = self.check_at_end();
        let pause = worked?;
        checked?;
        if let Some(error) = self.error.take() {
            return Err(error);
        }
        self.conclude(pause)
    }

    fn loop_until_over(&mut self) -> Result<Option<Pause>> {
        self.forget_merged_branches()?;
        loop {
            if let LoopTurn::Over(pause) = self.turn()? {
                return Ok(pause);
            }
            self.wait()?;
        }
    }

    /// Waits until something has changed that decides what can begin.
    fn wait(&mut self) -> Result<()> {
        loop {
            if self.is_cancelled() {
                return Err(stopped());
            }
            self.pause_workers();
            self.glance();
            if let Some(report) = self.workers.wait(TICK)
                && self.take(report)?
            {
                return Ok(());
            }
            if self.held_until.is_some_and(|until| until <= Instant::now()) {
                self.held_until = None;
                return Ok(());
            }
            if self.at_work.is_idle() && self.engine.run.pause_before_task().is_some() {
                return Ok(());
            }
        }
    }

    /// Looks at everything anew, and begins what can begin.
    fn turn(&mut self) -> Result<LoopTurn> {
        self.check_branch()?;
        self.check_branches()?;
        self.check_programs()?;
        let mut run = self.engine.read_all()?;
        if self.integrate(&run)? {
            run = self.engine.read_all()?;
        }
        let has_new_plan = !self.engine.run.plan.is_unchanged();
        if has_new_plan && self.error.is_none() {
            // Those at work come to their end. Another run decides under the new plan what becomes of it.
            self.error = Some(changed_plan(self.engine.run.plan));
        }
        let mut pause = self.engine.run.pause_before_task().or_else(|| self.engine.budget_reached());
        if pause.is_none() && self.error.is_none() && self.merging.integration.is_over() {
            run = self.close_phases(run)?;
        }
        let mut is_held = false;
        loop {
            let failed = self.engine.failed_tasks(&run, &self.scope.tasks);
            let has_failed =
                failed.iter().any(|leaf| !self.again.contains(leaf)) || !self.failed_phases.is_empty();
            let stops = has_failed && self.scope.on_failure == OnFailure::Stop;
            let ready = if stops || self.error.is_some() { Vec::new() } else { self.ready(&run) };
            if ready.is_empty() {
                break;
            }
            pause = pause.or_else(|| self.scope.pause(self.progress));
            if pause.is_some() || !self.places.has_room() {
                break;
            }
            if self.held_until.is_some() {
                is_held = true;
                break;
            }
            let (running, tree) = (self.at_work.tasks(), &self.engine.run.plan.tree);
            let (first, waiting) = self.overtaken(&run);
            let choice = SlotChoice { tree, ready: &ready, running: &running, first, waiting: &waiting };
            let Some(leaf) = choice.next() else { break };
            if !self.begin(&run, leaf)? {
                break;
            }
        }
        if is_held || !self.at_work.is_idle() || !(self.merging.integration.is_over() || has_new_plan) {
            return Ok(LoopTurn::Wait);
        }
        let has_more = !self.ready(&run).is_empty() || self.has_candidates(&run);
        let may_go_on = !has_more && pause.is_none() && self.error.is_none();
        if may_go_on && self.engine.tests_may_pass_now(&run, &mut self.failed_phases)? {
            return self.turn();
        }
        Ok(LoopTurn::Over(pause.filter(|_| has_more)))
    }

    /// The tasks that can be worked on and are not at work, in the order of the plan.
    fn ready(&self, run: &Run) -> Vec<NodeIx> {
        let readiness = self.engine.readiness(run);
        let at_work = self.at_work.tasks();
        let can_begin = |leaf: &NodeIx| {
            readiness.of(*leaf) == Readiness::Ready
                || self.merging.not_merged.contains_key(leaf)
                || self.is_to_settle(*leaf)
                || (self.again.contains(leaf) && readiness.dependencies_are_met(*leaf))
        };
        let leaves = self.scope.tasks.leaves(&self.engine.run.plan.tree);
        leaves.filter(can_begin).filter(|leaf| !at_work.contains(leaf)).collect()
    }

    /// Whether the last step of a task was interrupted when its commit was made, but not read back. A worker does that, even if
    /// nothing else is left to do.
    fn is_to_settle(&self, leaf: NodeIx) -> bool {
        !self.at_work.settled.contains(&leaf)
            && self.places.is_interrupted(&branch_of(self.engine.run.plan, leaf))
    }

    /// Begins the work on a task. Returns whether it has begun.
    fn begin(&mut self, run: &Run, leaf: NodeIx) -> Result<bool> {
        let known = self.engine.prepare_task(leaf)?;
        let id = self.engine.run.plan.tree.node(leaf).id.clone();
        let branch = match run.branches.tasks.get(&id) {
            Some(branch) if self.places.is_interrupted(&branch.name) || self.is_as_known(branch) => {
                branch.clone()
            }
            // Something may have moved it since it was looked at. The next look tells.
            Some(_) => return self.check_branches().map(|()| false),
            None => self.make_branch(leaf)?,
        };
        let head = self.engine.run.repository.branch()?;
        let onto = head.commit;
        let is_interrupted = self.places.is_interrupted(&branch.name);
        let branch = if is_interrupted {
            // What was interrupted ends under the plan under which it began.
            branch
        } else {
            take_over_plan(self.engine.run, branch, &head)?
        };
        self.note_begin(leaf, branch.tip)?;
        let Some(place) = self.places.enter(&branch)? else {
            self.note_not_begun(leaf);
            return if self.at_work.is_idle() { Err(no_slot()) } else { Ok(false) };
        };
        let number = place.slot.number;
        let setup = place.preparation.is_some().then(|| place.used(SlotPurpose::Setup, vec![id.clone()]));
        let live = setup.as_ref().map(|used| used.live.clone()).unwrap_or_default();
        if let Some(used) = setup {
            self.engine.run.observer.on(Event::Slot(used));
        }
        let setup = place.preparation.map(|preparation| Setup { preparation, live });
        let failure = self.merging.failure_of(leaf, run.tasks.get(&id));
        let tip = (!is_interrupted).then_some(branch.tip);
        self.workers.start(TaskWork { leaf, slot: place.slot, setup, onto, tip, failure, known })?;
        self.at_work.running.insert(number, leaf);
        self.again.remove(&leaf);
        self.progress.worked_on += u32::from(self.at_work.settled.insert(leaf));
        Ok(true)
    }

    /// Marks phases complete whose last tasks were not merged but skipped.
    fn close_phases(&mut self, all: Rc<Run>) -> Result<Rc<Run>> {
        let here = self.engine.read()?;
        self.engine.look_at_marked(&here)?;
        self.engine.close_phases(&here, &self.scope.tasks, &mut self.failed_phases)?;
        self.note_head()?;
        if self.engine.read()?.range.head() == here.range.head() { Ok(all) } else { self.engine.read_all() }
    }

    /// Ends the run: sums up, and removes the slots if nothing is left to do.
    fn conclude(mut self, pause: Option<Pause>) -> Result<RunEnd> {
        let not_merged = self.merging.not_merged.drain().map(|(_, failed)| failed).collect();
        self.forget_merged_branches()?;
        let end = self.engine.sum_up(&self.scope.tasks, &self.failed_phases)?;
        let has_failed = !end.failed.is_empty() || !end.failed_phases.is_empty();
        if end.open.is_empty() && !has_failed {
            self.places.remove_all()?;
        }
        let worked_on = self.progress.worked_on;
        Ok(RunEnd { worked_on, pause, used: self.engine.used(), not_merged, ..end })
    }
}

/// Lets workers take up to `jobs` tasks at the same time, until everything is complete, something fails, or the run must
/// pause.
///
/// # Errors
/// Every failure that does not count as an attempt (docs/agents.md).
pub(crate) fn run_jobs<'e>(
    engine: &'e mut Engine<'_>,
    scope: &'e RunScope,
    jobs: u32,
    workers: WorkerProcesses<'e>,
) -> Result<RunEnd> {
    Jobs::open(engine, scope, jobs, workers)?.work()
}

/// Merges finished tasks into the branch of the run, and begins no other work.
///
/// # Errors
/// As for [`run_jobs`].
pub(crate) fn merge_finished(engine: &mut Engine<'_>, workers: WorkerProcesses<'_>) -> Result<RunEnd> {
    run_jobs(engine, &RunScope { max_tasks: Some(0), ..RunScope::whole_plan() }, 1, workers)
}

/// The tasks at an attempt to merge them that others have overtaken twice in earlier runs. Nothing else is merged before them.
///
/// # Errors
/// If history cannot be read.
fn overtaken_before(engine: &Engine<'_>, scope: &RunScope) -> Result<Vec<NodeIx>> {
    let all = engine.read_all()?;
    let tree = &engine.run.plan.tree;
    let mut overtaken = Vec::new();
    for leaf in scope.tasks.leaves(tree).filter(|_| scope.begins_tasks()) {
        let id = &tree.node(leaf).id;
        let is_merging = all.branches.tasks.contains_key(id)
            && all.tasks.get(id).is_some_and(|step| step.record.merge.is_some());
        if is_merging && is_overtaken(engine.run.repository, &all, id)? {
            overtaken.push(leaf);
        }
    }
    Ok(overtaken)
}
