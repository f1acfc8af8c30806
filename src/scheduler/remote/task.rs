//! Works on one task that this worker has claimed: lets another process of this program take it through its steps in a slot,
//! and pushes each of them.

use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use super::branch_activity::push_interval;
use super::claiming::{ClaimTarget, Claimed};
use super::messages;
use super::progress::{Glances, HeldTask, ref_state};
use super::remote_state::RemoteState;
use super::remote_worker::RemoteWorker;
use super::taken_back::ToldSteps;
use crate::engine::{Event, EventLine, FailedIntegration};
use crate::error::{Error, Kind, Result};
use crate::files::Folder;
use crate::git::{Git, SUPERSEDED};
use crate::launch::programs::Programs;
use crate::plan::NodeIx;
use crate::process::{CancelLevel, Companion, LiveLine};
use crate::record::{CommitId, State};
use crate::run::{KnownBefore, read_run};
use crate::scheduler::claim::{ClaimEvent, ClaimOutcome};
use crate::scheduler::start::worker_call;
use crate::scheduler::worker::{TaskWork, WorkerNews, WorkerTask};
use crate::worktree::{Slot, Slots};

/// How often a worker checks whether it has to end.
const TICK: Duration = Duration::from_millis(100);

/// How many slots are tried: others may use the same clone.
const SLOTS: u32 = 64;

/// What came of a task.
#[derive(Debug)]
pub(super) enum Worked {
    /// The work on it has ended, and all of it was pushed.
    Done,
    /// Somebody else holds it, or it does not need any work.
    Taken,
    /// Somebody else has taken it over during the work: the error of a worker that has nothing else to do.
    Superseded(Error),
}

struct WorkEnd {
    outcome: Option<ClaimOutcome>,
    error: Option<Error>,
    /// Why the task is not finished, although nothing is wrong with this machine.
    refusal: Option<Error>,
}

/// A claimed task.
#[derive(Clone, Copy)]
struct TaskAtWork<'t> {
    leaf: NodeIx,
    id: &'t str,
    branch: &'t str,
}

impl RemoteWorker<'_> {
    /// Claims a task and works on it.
    ///
    /// # Errors
    /// If the worker cannot go on: it was superseded or stopped, or the remote repository does not accept its work.
    pub(super) fn work_once(&mut self, leaf: NodeIx, is_taken_over: bool) -> Result<Worked> {
        if self.remote_state()?.is_overtaken(leaf)? {
            return self.work_first(leaf, is_taken_over);
        }
        self.work_claimed(leaf, is_taken_over)
    }

    /// The same for a task that needs no more than its own claim.
    ///
    /// # Errors
    /// As for [`RemoteWorker::work_once`].
    pub(super) fn work_claimed(&mut self, leaf: NodeIx, is_taken_over: bool) -> Result<Worked> {
        self.work_for(ClaimTarget::Task(leaf), is_taken_over, None)
    }

    /// Claims a task that could not be merged, and works on its next attempt.
    ///
    /// # Errors
    /// As for [`RemoteWorker::work_once`].
    pub(super) fn work_again(&mut self, failed: &FailedIntegration) -> Result<Worked> {
        let branch = self.remote_state()?.branch_of(failed.leaf);
        if self.tip(&branch) != Some(failed.tip) {
            // Somebody has worked on it since, so this says nothing about it any more.
            return Ok(Worked::Taken);
        }
        self.work_for(ClaimTarget::Again(failed.leaf), false, Some(failed))
    }

    fn work_for(
        &mut self,
        target: ClaimTarget,
        is_taken_over: bool,
        failure: Option<&FailedIntegration>,
    ) -> Result<Worked> {
        let (ClaimTarget::Task(leaf) | ClaimTarget::Again(leaf)) = target else { return Ok(Worked::Taken) };
        let (id, branch) = (self.remote_state()?.id(leaf).to_string(), self.remote_state()?.branch_of(leaf));
        let (claim, on) = match self.claim(target, is_taken_over)? {
            Claimed::Held(claim, on) => (claim, on),
            Claimed::Not(outcome) => {
                return self.error_of(outcome, &branch).map_or(Ok(Worked::Taken), Err);
            }
        };
        self.say(&format!("{id} claimed by {}", self.claimant));
        self.set_branch(&branch, on)?;
        let told = ToldSteps { branch: &branch, began: on, steps: Vec::new() };
        let mut held = HeldTask { leaf, claim, failure, told, pushed: 0, last_push: Instant::now() };
        let before = self.remote_state()?.session.repository.first_parent(&on)?;
        if failure.is_some_and(|failed| before != Some(failed.tip)) {
            self.hand_back(&mut held)?;
            return Ok(Worked::Taken);
        }
        let end = self.work_in_slot(&mut held).inspect_err(|_| {
            // The error says more than whatever keeps the task from being given back.
            let _ = self.hand_back(&mut held);
        })?;
        // The plan may have been read anew since, so the task is named as it was when it was claimed.
        self.came_of(TaskAtWork { leaf, id: &id, branch: &branch }, end)
    }

    /// What came of a task on whose branch the work has ended.
    fn came_of(&mut self, task: TaskAtWork<'_>, end: WorkEnd) -> Result<Worked> {
        let TaskAtWork { leaf, id, branch } = task;
        if end.outcome == Some(ClaimOutcome::Superseded) {
            if let Some(kept) = self.keep_unpushed(branch)? {
                self.say(&messages::kept(id, &kept));
            }
            return Ok(Worked::Superseded(messages::superseded(id)));
        }
        if let Some(error) = end.outcome.and_then(|outcome| self.error_of(outcome, branch)) {
            return Err(error);
        }
        if self.patience.is_stopped() {
            return Err(self.patience.stopped());
        }
        match (end.error, end.refusal) {
            (Some(error), _) => Err(error),
            (None, Some(refusal)) => {
                self.say(&format!("{id} is left alone: {}", refusal.what()));
                self.refused.insert(leaf, refusal);
                Ok(Worked::Taken)
            }
            (None, None) => Ok(Worked::Done),
        }
    }

    /// Makes the branch of a task name this commit in the clone.
    fn set_branch(&self, branch: &str, tip: CommitId) -> Result<()> {
        let remote_state = self.remote_state()?;
        let git = &remote_state.session.git;
        match remote_state.session.repository.tip_of(branch)? {
            Some(now) if now == tip => Ok(()),
            Some(now) => git.advance_branch(branch, &now, &tip),
            None => git.new_branch(branch, &tip),
        }
    }

    /// Keeps what this worker has committed and not pushed. Returns where, if there is anything.
    fn keep_unpushed(&self, branch: &str) -> Result<Option<String>> {
        let remote_state = self.remote_state()?;
        let Some(tip) = remote_state.session.repository.tip_of(branch)? else { return Ok(None) };
        if !self.is_unpushed(branch, tip)? {
            return Ok(None);
        }
        let name = remote_state.session.git.keep(&tip, SUPERSEDED)?;
        Ok(Some(format!("{name} of {}", self.clone.folder.display())))
    }

    /// Pushes what is committed, and gives the task back if this worker still holds it.
    fn hand_back(&mut self, held: &mut HeldTask<'_>) -> Result<()> {
        let tip = self.remote_state()?.session.repository.tip_of(held.told.branch)?;
        if let Some(tip) = tip.filter(|_| !held.claim.is_over()) {
            let given = self.give_back(held.leaf, tip)?;
            self.advance(held, ClaimEvent::Step(given))?;
        }
        Ok(())
    }

    fn work_in_slot(&mut self, held: &mut HeldTask<'_>) -> Result<WorkEnd> {
        let (branch, began) = (held.told.branch, held.told.began);
        let slot = self.take_slot(|git| git.switch(branch))?;
        let mut end = self.run_worker(held, &slot)?;
        while end.outcome.is_none() && end.error.is_none() && self.merges_again(held)? {
            end = self.run_worker(held, &slot)?;
        }
        if end.refusal.is_some() && !self.is_unfinished(held.leaf)? {
            end.refusal = None;
        }
        let has_ended_well = end.outcome.is_none() && end.error.is_none() && end.refusal.is_none();
        if has_ended_well && held.failure.is_none() && !self.patience.is_stopped() {
            // Otherwise it would be claimed again and again.
            let tip = self.remote_state()?.session.repository.tip_of(branch)?;
            end.refusal = (tip == Some(began)).then(|| messages::nothing_done(branch, &self.clone.branch));
        }
        if end.outcome.is_none() {
            end.outcome = self.push_rest(held, end.error.is_some() || end.refusal.is_some())?;
        }
        if end.outcome != Some(ClaimOutcome::Superseded) {
            let left = self.leave_slot(&slot, branch);
            // The error of the worker says more.
            if end.error.is_none() {
                left?;
            }
        }
        Ok(end)
    }

    /// Whether a task is neither done nor has failed, according to its branch in the clone.
    fn is_unfinished(&self, leaf: NodeIx) -> Result<bool> {
        let RemoteState { session, plan, .. } = self.remote_state()?;
        let run = read_run(&session.repository, plan, &session.work_tree)?;
        let state = plan.state(&run, leaf);
        Ok(!state.is_done() && state != State::Failed)
    }

    /// Lets a worker do what comes next, and pushes what it commits.
    fn run_worker(&mut self, held: &mut HeldTask<'_>, slot: &Slot) -> Result<WorkEnd> {
        let (sender, receiver) = channel();
        let worker = self.start_worker(slot, held, sender)?;
        let WorkEnd { outcome, error, refusal } = self.follow_worker(held, &worker, &receiver)?;
        drop(worker);
        let error = self.take_back(&held.told)?.or(error);
        if let Some(refused) = error.as_ref().filter(|error| error.kind() == Kind::Unsafe) {
            self.clone
                .restore_settings()
                .map_err(|failed| failed.stating(&format!("Before that: {refused}")))?;
        }
        Ok(WorkEnd { outcome, error, refusal })
    }

    /// Starts the worker of a task in its slot.
    fn start_worker(
        &self,
        slot: &Slot,
        held: &HeldTask<'_>,
        sender: Sender<WorkerNews>,
    ) -> Result<Companion> {
        let remote_state = self.remote_state()?;
        let work = TaskWork {
            leaf: held.leaf,
            slot,
            setup: None,
            onto: remote_state.head,
            tip: Some(held.told.began),
            failure: held.failure,
            known: KnownBefore::default(),
        };
        let task = WorkerTask::of(remote_state.id(held.leaf), &work)?;
        worker_call(&self.start(self.call, remote_state))?.start(&task, move |news| {
            // Without a receiver, this process is about to end.
            let _ = sender.send(news);
        })
    }

    /// Pushes the steps of a worker until it ends, and looks at the branch between two steps. The worker is asked to end if somebody
    /// else has taken the task over, or if the user wants to stop.
    fn follow_worker(
        &mut self,
        held: &mut HeldTask<'_>,
        worker: &Companion,
        receiver: &Receiver<WorkerNews>,
    ) -> Result<WorkEnd> {
        let mut asked = CancelLevel::None;
        let mut outcome = None;
        let mut glances = Glances::new();
        loop {
            for news in self.next_news(receiver) {
                match news {
                    WorkerNews::Event(line) => held.told.steps.extend(self.tell(&line)),
                    WorkerNews::Ended { error, refusal, .. } => {
                        return Ok(WorkEnd { outcome, error, refusal });
                    }
                }
            }
            let newest = held.told.steps.get(held.pushed..).and_then(<[CommitId]>::last).copied();
            let interval = push_interval(&self.remote_state()?.session.config);
            let is_due = outcome.is_none() && held.last_push.elapsed() >= interval;
            if let Some(commit) = newest.filter(|_| is_due) {
                held.pushed = held.told.steps.len();
                held.last_push = Instant::now();
                outcome = self.advance(held, ClaimEvent::Step(commit))?;
                if outcome.is_some() {
                    worker.end();
                }
                self.renew_integration()?;
                glances = Glances::new();
            } else if outcome.is_none() && glances.is_due() {
                let tip = self.read_tip(held.told.branch)?;
                outcome = self.advance(held, ClaimEvent::Ref(tip.map(ref_state)))?;
                if outcome.is_some() {
                    worker.end();
                }
            }
            let level = self.patience.cancel.level();
            if level != asked {
                worker.end();
                asked = level;
            }
        }
    }

    /// Pushes what was committed and not pushed yet, after the work has ended. If it did not come to its end, the task is given
    /// back: somebody else need not wait until this worker is believed to be dead.
    fn push_rest(&mut self, held: &mut HeldTask<'_>, has_failed: bool) -> Result<Option<ClaimOutcome>> {
        if let Some(tip) = self.remote_state()?.session.repository.tip_of(held.told.branch)? {
            let is_given_back = has_failed || self.patience.is_stopped();
            let given = if is_given_back { self.give_back(held.leaf, tip) } else { Ok(tip) };
            // The error of the worker says more.
            let to = given.or_else(|other| if has_failed { Ok(tip) } else { Err(other) })?;
            let outcome = self.advance(held, ClaimEvent::Step(to))?;
            if outcome.is_some() {
                return Ok(outcome);
            }
        }
        self.advance(held, ClaimEvent::WorkEnded)
    }

    /// A slot in which this branch or commit is checked out.
    pub(super) fn take_slot(&self, check_out: impl Fn(&Git) -> Result<()>) -> Result<Slot> {
        let remote_state = self.remote_state()?;
        let session = &remote_state.session;
        let scratches = Programs::new(session, &self.call.environment, &self.patience.cancel).scratches()?;
        let slots = Slots { scratches: &scratches, folder: None };
        for number in 0..SLOTS {
            match slots.take(number, &remote_state.head) {
                Ok(slot) => {
                    slot.git.discard_changes()?;
                    check_out(&slot.git)?;
                    let own = &slot.work_tree.git_dir;
                    Folder::make_own(own, "").map_err(|error| Error::not_written(own.display(), &error))?;
                    slot.git.fill_submodules(&slot.work_tree.common_dir.join("modules"))?;
                    if let Some(preparation) = slots.preparation(&slot) {
                        preparation.run(&LiveLine::new())?;
                    }
                    return Ok(slot);
                }
                Err(error) if error.kind() == Kind::Busy => {}
                Err(error) => return Err(error),
            }
        }
        Err(Error::new(Kind::Busy, "all slots of this clone are in use", "Name another folder with `--dir`."))
    }

    fn leave_slot(&self, slot: &Slot, branch: &str) -> Result<()> {
        if let Some(tip) = self.remote_state()?.session.repository.tip_of(branch)? {
            slot.git.discard_changes()?;
            slot.git.detach(&tip)?;
        }
        Ok(())
    }

    /// What the worker tells, as much as there is.
    fn next_news(&self, receiver: &Receiver<WorkerNews>) -> Vec<WorkerNews> {
        let mut all = Vec::new();
        match receiver.recv_timeout(TICK) {
            Ok(news) => all.push(news),
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => {
                all.push(WorkerNews::Ended { error: None, refusal: None, was_killed: true });
            }
        }
        all.extend(receiver.try_iter());
        all
    }

    /// Tells the user of an event. Returns the commit of a step.
    fn tell(&self, line: &EventLine) -> Option<CommitId> {
        if self.options.json {
            crate::launch::monitor::events::print(line);
        }
        match &line.event {
            Event::Ended(ended) => {
                let (step, how) = (ended.result.step, ended.result.word());
                self.say(&format!("{} {} {how}  {}", ended.task, step.word(), ended.commit.short()));
                Some(ended.commit)
            }
            Event::Fallback(fallback) => {
                let words = crate::launch::monitor::ending::fallback_words(fallback);
                self.say(&format!("warning: {words}"));
                None
            }
            Event::Warning { text } => {
                self.say(&format!("warning: {text}"));
                None
            }
            _ => None,
        }
    }
}
