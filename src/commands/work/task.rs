//! Works on one task that this worker has claimed: lets another process of this program take it through its steps in a slot,
//! and pushes each of them.

use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

use super::claiming::{Claimed, Target};
use super::messages;
use super::site::{Site, wait_after};
use crate::agents::CancelLevel;
use crate::claim::{Action, Claim, Event as ClaimEvent, Holder, Outcome, PushAnswer, RefState, RunState};
use crate::commands::jobs::{WorkerNews, WorkerTask, worker_call, write_failure};
use crate::engine::{Event, FailedIntegration};
use crate::error::{Error, Kind, Result};
use crate::launch::programs::Programs;
use crate::plan::NodeIx;
use crate::process::LiveLine;
use crate::record::{Claimant, CommitId};
use crate::worktree::{Slot, Slots};

/// How often a worker checks whether it has to end.
const TICK: Duration = Duration::from_millis(100);

/// How many slots are tried: others may use the same clone.
const SLOTS: u32 = 64;

/// What came of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worked {
    /// The work on it has ended, and all of it was pushed.
    Done,
    /// Somebody else holds it, or it does not need any work.
    Taken,
}

/// The work on a task that is held.
struct Held<'b> {
    leaf: NodeIx,
    branch: &'b str,
    claim: Claim<CommitId>,
    failure: Option<&'b FailedIntegration>,
    /// What the branch names at first.
    began: CommitId,
}

/// How the work ended.
struct WorkEnd {
    outcome: Option<Outcome>,
    error: Option<Error>,
}

impl Site<'_> {
    /// Claims a task and works on it.
    ///
    /// # Errors
    /// If the worker cannot go on: it was superseded or stopped, or the remote repository does not accept its work.
    pub(super) fn work_once(&mut self, leaf: NodeIx, is_taken_over: bool) -> Result<Worked> {
        if self.board()?.is_overtaken(leaf)? {
            return self.work_first(leaf, is_taken_over);
        }
        self.work_claimed(leaf, is_taken_over)
    }

    /// The same for a task that needs no more than its own claim.
    ///
    /// # Errors
    /// As for [`Site::work_once`].
    pub(super) fn work_claimed(&mut self, leaf: NodeIx, is_taken_over: bool) -> Result<Worked> {
        self.work_for(Target::Task(leaf), is_taken_over, None)
    }

    /// Claims a task that could not be merged, and works on its next attempt.
    ///
    /// # Errors
    /// As for [`Site::work_once`].
    pub(super) fn work_again(&mut self, failed: &FailedIntegration) -> Result<Worked> {
        let branch = self.board()?.branch_of(failed.leaf);
        if self.tip(&branch) != Some(failed.tip) {
            // Somebody has worked on it since, so this says nothing about it any more.
            return Ok(Worked::Taken);
        }
        self.work_for(Target::Again(failed.leaf), false, Some(failed))
    }

    fn work_for(
        &mut self,
        target: Target,
        is_taken_over: bool,
        failure: Option<&FailedIntegration>,
    ) -> Result<Worked> {
        let (Target::Task(leaf) | Target::Again(leaf)) = target else { return Ok(Worked::Taken) };
        let (id, branch) = (self.board()?.id(leaf).to_string(), self.board()?.branch_of(leaf));
        let (claim, on) = match self.claim(target, is_taken_over)? {
            Claimed::Held(claim, on) => (claim, on),
            Claimed::Not(Outcome::Refused) => return Err(messages::refused(&branch, &self.said)),
            Claimed::Not(Outcome::Unreachable) => {
                return Err(messages::silent(&self.clone.branch, &self.said));
            }
            Claimed::Not(_) => return Ok(Worked::Taken),
        };
        self.say(&format!("{id} claimed by {}", self.claimant));
        self.set_branch(&branch, on)?;
        let mut held = Held { leaf, branch: &branch, claim, failure, began: on };
        let before = self.board()?.session.repository.first_parent(&on)?;
        if failure.is_some_and(|failed| before != Some(failed.tip)) {
            self.hand_back(&mut held)?;
            return Ok(Worked::Taken);
        }
        let end = match self.work_in_slot(&mut held) {
            Ok(end) => end,
            Err(error) => {
                // The error says more than whatever keeps the task from being given back.
                let _ = self.hand_back(&mut held);
                return Err(error);
            }
        };
        match end.outcome {
            Some(Outcome::Superseded) => {
                let kept = self.keep_unpushed(&branch)?;
                return Err(messages::superseded(&id, kept.as_deref()));
            }
            Some(Outcome::Refused) => return Err(messages::refused(&branch, &self.said)),
            Some(Outcome::Unreachable) => return Err(messages::silent(&self.clone.branch, &self.said)),
            _ => {}
        }
        if self.is_stopped() {
            return Err(self.stopped());
        }
        match end.error {
            Some(error) => Err(error),
            None => Ok(Worked::Done),
        }
    }

    /// Makes the branch of a task name this commit in the clone.
    fn set_branch(&self, branch: &str, tip: CommitId) -> Result<()> {
        let board = self.board()?;
        let git = &board.session.git;
        match board.session.repository.tip_of(branch)? {
            Some(now) if now == tip => Ok(()),
            Some(now) => git.advance_branch(branch, &now, &tip),
            None => git.new_branch(branch, &tip),
        }
    }

    /// Keeps what this worker has committed and not pushed. Returns where, if there is anything.
    fn keep_unpushed(&self, branch: &str) -> Result<Option<String>> {
        let board = self.board()?;
        let Some(tip) = board.session.repository.tip_of(branch)? else { return Ok(None) };
        let known = self.tip(branch);
        if let Some(known) = known
            && board.session.repository.reaches(known, tip)?
        {
            return Ok(None);
        }
        let name = board.session.git.keep(&tip, "superseded")?;
        Ok(Some(format!("{name} of {}", self.clone.folder.display())))
    }

    /// Pushes what is committed, and gives the task back if this worker still holds it.
    fn hand_back(&mut self, held: &mut Held<'_>) -> Result<()> {
        let tip = self.board()?.session.repository.tip_of(held.branch)?;
        if let Some(tip) = tip.filter(|_| !held.claim.is_over()) {
            let given = self.give_back(held, tip)?;
            self.advance(held, ClaimEvent::Step(given))?;
        }
        Ok(())
    }

    fn work_in_slot(&mut self, held: &mut Held<'_>) -> Result<WorkEnd> {
        let slot = self.take_slot(held.branch)?;
        let (sender, receiver) = channel();
        let worker = {
            let board = self.board()?;
            let start = self.start(self.call, board);
            let failure: Option<PathBuf> =
                held.failure.map(|failed| write_failure(&slot.work_tree, failed)).transpose()?;
            let task = WorkerTask {
                id: board.id(held.leaf).to_string(),
                onto: board.head,
                tip: Some(held.began),
                failure,
                slot: slot.number,
                folder: slot.work_tree.top.clone(),
            };
            worker_call(&start)?.start(&task, move |news| {
                // If nobody listens any more, this process ends.
                let _ = sender.send(news);
            })?
        };
        let mut asked = CancelLevel::None;
        let mut sound = held.began;
        let mut outcome = None;
        let error = loop {
            let news = self.next_news(&receiver);
            let mut newest = None;
            let mut ended = None;
            for news in news {
                match news {
                    WorkerNews::Event(event) => newest = self.tell(&event).or(newest),
                    WorkerNews::Ended { error, .. } => ended = Some(error),
                }
            }
            sound = newest.unwrap_or(sound);
            if let Some(error) = ended {
                break error;
            }
            if let Some(commit) = newest.filter(|_| outcome.is_none() && self.pushes_steps) {
                outcome = self.advance(held, ClaimEvent::Step(commit))?;
                if outcome.is_some() {
                    worker.end();
                }
                self.renew_integration()?;
            }
            let level = self.cancel.level();
            if level != asked {
                worker.end();
                asked = level;
            }
        };
        drop(worker);
        let error = self.take_back(held.branch, sound)?.or(error);
        if error.as_ref().is_some_and(|error| error.kind() == Kind::Unsafe) {
            self.clone.restore_settings();
        }
        if outcome.is_none() {
            let has_stopped = error.is_some() || self.is_stopped();
            let tip = self.board()?.session.repository.tip_of(held.branch)?;
            if let Some(tip) = tip {
                // Somebody else need not wait until this worker is believed to be dead.
                let given = if has_stopped { self.give_back(held, tip) } else { Ok(tip) };
                // The error of the worker says more.
                let to = given.or_else(|other| if error.is_some() { Ok(tip) } else { Err(other) })?;
                outcome = self.advance(held, ClaimEvent::Step(to))?;
            }
            if outcome.is_none() {
                outcome = self.advance(held, ClaimEvent::WorkEnded)?;
            }
        }
        if outcome != Some(Outcome::Superseded) {
            self.leave_slot(&slot, held.branch)?;
        }
        Ok(WorkEnd { outcome, error })
    }

    /// Makes a claim by nobody on top of what this worker has committed.
    fn give_back(&mut self, held: &Held<'_>, tip: CommitId) -> Result<CommitId> {
        let made = self.make_claim_of(&Claimant::nobody(), Target::Task(held.leaf), tip)?;
        self.board()?.session.git.advance_branch(held.branch, &tip, &made)?;
        Ok(made)
    }

    /// A slot in which the branch is checked out.
    fn take_slot(&self, branch: &str) -> Result<Slot> {
        let board = self.board()?;
        let session = &board.session;
        let scratches = Programs::new(session, &self.call.environment, &self.cancel).scratches()?;
        let slots = Slots { scratches: &scratches, folder: None };
        for number in 0..SLOTS {
            match slots.take(number, &board.head) {
                Ok(slot) => {
                    slot.git.discard_changes()?;
                    slot.git.switch(branch)?;
                    let own = slot.work_tree.git_dir.join("arborist");
                    std::fs::create_dir_all(&own)
                        .map_err(|error| Error::not_written(own.display(), &error))?;
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
        if let Some(tip) = self.board()?.session.repository.tip_of(branch)? {
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
                all.push(WorkerNews::Ended { error: None, was_killed: true });
            }
        }
        all.extend(receiver.try_iter());
        all
    }

    /// Tells the user of an event. Returns the commit of a step.
    fn tell(&self, event: &Event) -> Option<CommitId> {
        if self.options.json {
            crate::launch::monitor::events::print(event);
        }
        match event {
            Event::Ended(ended) => {
                let step = ended.result.step;
                let how = ended.word();
                self.say(&format!("{} {} {how}  {}", ended.task, step.word(), ended.commit.short()));
                Some(ended.commit)
            }
            Event::Warning { text } => {
                self.say(&format!("warning: {text}"));
                None
            }
            _ => None,
        }
    }

    /// Tells the claim of an event, and does what has to be done. Returns how the claim ended, if it has.
    fn advance(&mut self, held: &mut Held<'_>, event: ClaimEvent<CommitId>) -> Result<Option<Outcome>> {
        let mut silent = 0;
        let mut next = held.claim.take(event);
        while let Some(action) = next {
            let event = match action {
                Action::Push { from, to } => ClaimEvent::Pushed(self.push(held.branch, from, Some(to))?),
                Action::ReadRef => ClaimEvent::Ref(self.read_tip(held.branch)?.map(|tip| match tip {
                    None => RefState::Absent,
                    Some(tip) => RefState::At { tip, holder: Holder::Alive },
                })),
                Action::ReadRun => {
                    let has_answered = self.look(Some(held.branch))?;
                    ClaimEvent::Run(has_answered.then(|| self.state_of_run(held.leaf)))
                }
                Action::End(outcome) => return Ok(Some(outcome)),
                Action::Make { .. } | Action::Withdraw { .. } | Action::Begin { .. } => return Ok(None),
            };
            if matches!(
                event,
                ClaimEvent::Run(None) | ClaimEvent::Ref(None) | ClaimEvent::Pushed(PushAnswer::Unclear)
            ) {
                // Even after a request to stop, what is committed is pushed, if the remote repository answers at once.
                if self.is_stopped() && silent > 0 {
                    return Ok(Some(Outcome::Unreachable));
                }
                let wait = wait_after(silent);
                silent += 1;
                if self.pause(wait).is_err() && silent > 1 {
                    return Ok(Some(Outcome::Unreachable));
                }
            }
            next = held.claim.take(event);
        }
        Ok(None)
    }

    fn state_of_run(&self, leaf: NodeIx) -> RunState<CommitId> {
        match &self.known {
            Some(board) if !board.is_merged(leaf) => RunState::Open(board.head),
            _ => RunState::Closed,
        }
    }
}
