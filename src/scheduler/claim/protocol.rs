//! The state machine of one claim: what a worker has learned goes in, and what it has to do next comes out.
//!
//! The branch of a task on the remote repository is its claim, its progress and its sign of life. A worker holds the task
//! as long as the branch names a commit that the worker has pushed. The next one to push must have seen the newest commit,
//! because the remote repository changes a branch only from the commit that the push expects. So a worker that is
//! wrongly believed dead cannot do harm: its next push is rejected.

use super::{ClaimAction, ClaimEvent, ClaimOutcome, Holder, PushAnswer, RefState, TaskOnRun};

/// A claim of a task.
#[derive(Clone, Debug)]
pub struct Claim<C> {
    stage: Stage<C>,
    /// How many answers have failed to come since a push was last answered well.
    silent: u32,
    /// How many may.
    patience: u32,
}

#[derive(Clone, Copy, Debug)]
enum Stage<C> {
    /// Waits for the branch of the run.
    Beginning,
    /// Waits for the branch of the task; the branch of the run has this tip.
    Looking(C),
    /// Waits for the commit of the claim, on top of what the branch names.
    Making { from: Option<C> },
    /// Waits for the answer to the push of the claim.
    Claiming { from: Option<C>, to: C },
    /// Waits for the branch of the task, because the answer was not clear.
    Unclear { from: Option<C>, to: C },
    /// The claim is there. Waits for the branch of the run.
    Confirming { from: Option<C>, tip: C },
    /// The task is held.
    Holding(HeldClaim<C>),
    /// It is over.
    Over,
}

/// A task that is held.
#[derive(Clone, Copy, Debug)]
struct HeldClaim<C> {
    /// What the branch names.
    pushed: C,
    /// What is being pushed.
    push: Option<PushStage<C>>,
    /// The newest commit that was not pushed yet.
    next: Option<C>,
    has_ended: bool,
}

impl<C> HeldClaim<C> {
    /// A task whose branch names this commit, and on which no work was done yet.
    fn new(pushed: C) -> Self {
        Self { pushed, push: None, next: None, has_ended: false }
    }
}

#[derive(Clone, Copy, Debug)]
enum PushStage<C> {
    /// Waits for the answer to the push of this commit.
    Pushing(C),
    /// Waits for the branch of the task, because the answer was not clear, or not the expected one.
    Reading(C),
    /// The branch is gone. Waits for the branch of the run: the work may be in it already.
    Gone,
}

impl<C: Copy + Eq> Claim<C> {
    /// A claim that gives up when more answers than this have failed to come since the last push that was answered well, and
    /// its first action.
    #[must_use]
    pub fn begin(patience: u32) -> (Self, ClaimAction<C>) {
        (Self { stage: Stage::Beginning, silent: 0, patience }, ClaimAction::ReadRun)
    }

    /// Whether it is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over)
    }

    /// Takes an event. Returns what to do next; `None` if there is nothing to do before the next event.
    pub fn take(&mut self, event: ClaimEvent<C>) -> Option<ClaimAction<C>> {
        match event {
            ClaimEvent::Run(None) | ClaimEvent::Ref(None) => self.silent += 1,
            // An answer to a question alone shows little: it may be the pushes that do not get through.
            ClaimEvent::Pushed(PushAnswer::Moved) => self.silent = 0,
            _ => {}
        }
        match (self.stage, event) {
            (Stage::Over, _) => None,
            (Stage::Holding(held), event) => self.hold(held, event),
            (_, ClaimEvent::Run(None) | ClaimEvent::Ref(None)) => self.ask_again(event),
            (_, ClaimEvent::Run(Some(state))) => self.learn_run(state),
            (_, ClaimEvent::Ref(Some(state))) => self.learn_ref(state),
            (Stage::Making { from }, ClaimEvent::Made(to)) => {
                self.go(Stage::Claiming { from, to }, ClaimAction::Push { from, to })
            }
            (Stage::Claiming { from, to }, ClaimEvent::Pushed(answer)) => match answer {
                PushAnswer::Moved => self.confirm(from, to),
                PushAnswer::Rejected => self.end(ClaimOutcome::Taken),
                PushAnswer::Unclear => self.go(Stage::Unclear { from, to }, ClaimAction::ReadRef),
                PushAnswer::Refused => self.end(ClaimOutcome::Refused),
            },
            (
                _,
                ClaimEvent::Made(_) | ClaimEvent::Pushed(_) | ClaimEvent::Step(_) | ClaimEvent::WorkEnded,
            ) => None,
        }
    }

    /// Asks the same question again, unless too many were not answered.
    fn ask_again(&mut self, unanswered: ClaimEvent<C>) -> Option<ClaimAction<C>> {
        match (self.stage, unanswered) {
            (Stage::Beginning | Stage::Confirming { .. }, ClaimEvent::Run(None)) if self.is_patient() => {
                Some(ClaimAction::ReadRun)
            }
            (Stage::Looking(_) | Stage::Unclear { .. }, ClaimEvent::Ref(None)) if self.is_patient() => {
                Some(ClaimAction::ReadRef)
            }
            _ => self.end(ClaimOutcome::Unreachable),
        }
    }

    /// Takes the state of the branch of the run, before the task is held.
    fn learn_run(&mut self, state: TaskOnRun<C>) -> Option<ClaimAction<C>> {
        match (self.stage, state) {
            (Stage::Beginning, TaskOnRun::Open(tip)) => self.go(Stage::Looking(tip), ClaimAction::ReadRef),
            (Stage::Confirming { tip, .. }, TaskOnRun::Open(_)) => {
                self.go(Stage::Holding(HeldClaim::new(tip)), ClaimAction::Begin { on: tip })
            }
            (Stage::Confirming { from: None, tip }, TaskOnRun::Closed) => {
                self.go(Stage::Over, ClaimAction::Withdraw { from: tip })
            }
            // A branch that was there before is not ours to delete.
            (Stage::Beginning | Stage::Confirming { .. }, TaskOnRun::Closed) => {
                self.end(ClaimOutcome::Withdrawn)
            }
            _ => None,
        }
    }

    /// Takes the state of the branch of the task, before the task is held.
    fn learn_ref(&mut self, state: RefState<C>) -> Option<ClaimAction<C>> {
        match (self.stage, state) {
            (Stage::Looking(run), RefState::Absent) => {
                self.go(Stage::Making { from: None }, ClaimAction::Make { on: run })
            }
            (Stage::Looking(_), RefState::At { tip, holder: Holder::Dead }) => {
                self.go(Stage::Making { from: Some(tip) }, ClaimAction::Make { on: tip })
            }
            (Stage::Looking(_), RefState::At { .. }) => self.end(ClaimOutcome::Taken),
            (Stage::Unclear { from, to }, state) => {
                let now = tip_of(state);
                if now == Some(to) {
                    self.confirm(from, to)
                } else if now == from && self.is_worth_another_try() {
                    self.go(Stage::Claiming { from, to }, ClaimAction::Push { from, to })
                } else if now == from {
                    self.end(ClaimOutcome::Unreachable)
                } else {
                    self.end(ClaimOutcome::Taken)
                }
            }
            _ => None,
        }
    }

    /// Takes an event while the task is held.
    fn hold(&mut self, mut held: HeldClaim<C>, event: ClaimEvent<C>) -> Option<ClaimAction<C>> {
        match (held.push, event) {
            (_, ClaimEvent::Step(commit)) => held.next = Some(commit),
            (_, ClaimEvent::WorkEnded) => held.has_ended = true,
            (None, ClaimEvent::Ref(state)) => return self.glance(held, state),
            (Some(PushStage::Pushing(to)), ClaimEvent::Pushed(answer)) => match answer {
                PushAnswer::Moved => (held.pushed, held.push) = (to, None),
                PushAnswer::Refused => return self.end(ClaimOutcome::Refused),
                PushAnswer::Rejected | PushAnswer::Unclear => {
                    return self.wait_for(held, PushStage::Reading(to));
                }
            },
            (Some(PushStage::Reading(to)), ClaimEvent::Ref(Some(state))) => match tip_of(state) {
                Some(tip) if tip == to => (held.pushed, held.push) = (to, None),
                // The newest commit is pushed, which may be a later one.
                Some(tip) if tip == held.pushed => {
                    if !self.is_worth_another_try() {
                        return self.end(ClaimOutcome::Unreachable);
                    }
                    (held.next, held.push) = (held.next.or(Some(to)), None);
                }
                Some(_) => return self.end(ClaimOutcome::Superseded),
                None => return self.wait_for(held, PushStage::Gone),
            },
            (Some(PushStage::Gone), ClaimEvent::Run(Some(state))) => {
                // The worker that merged the last step has removed the branch.
                let is_merged = state == TaskOnRun::Closed && held.has_ended && held.next.is_none();
                return self.end(if is_merged { ClaimOutcome::Finished } else { ClaimOutcome::Superseded });
            }
            (Some(PushStage::Reading(_)), ClaimEvent::Ref(None)) if self.is_patient() => {
                return Some(ClaimAction::ReadRef);
            }
            (Some(PushStage::Gone), ClaimEvent::Run(None)) if self.is_patient() => {
                return Some(ClaimAction::ReadRun);
            }
            (Some(_), ClaimEvent::Ref(None) | ClaimEvent::Run(None)) => {
                return self.end(ClaimOutcome::Unreachable);
            }
            _ => return None,
        }
        self.stage = Stage::Holding(held);
        self.push_next(held)
    }

    /// Takes the state of the branch of the task between two pushes.
    fn glance(&mut self, held: HeldClaim<C>, state: Option<RefState<C>>) -> Option<ClaimAction<C>> {
        match state.map(tip_of) {
            // Without an answer, nothing is known.
            None => {
                self.silent = self.silent.saturating_sub(1);
                None
            }
            Some(Some(tip)) if tip == held.pushed => None,
            Some(Some(_)) => self.end(ClaimOutcome::Superseded),
            Some(None) => self.wait_for(held, PushStage::Gone),
        }
    }

    /// Reads the branch that this stage waits for.
    fn wait_for(&mut self, held: HeldClaim<C>, push: PushStage<C>) -> Option<ClaimAction<C>> {
        let action =
            if matches!(push, PushStage::Gone) { ClaimAction::ReadRun } else { ClaimAction::ReadRef };
        self.go(Stage::Holding(HeldClaim { push: Some(push), ..held }), action)
    }

    /// Pushes what is not pushed yet, one push at a time.
    fn push_next(&mut self, mut held: HeldClaim<C>) -> Option<ClaimAction<C>> {
        if held.push.is_some() {
            return None;
        }
        match held.next.take().filter(|next| *next != held.pushed) {
            Some(to) => {
                held.push = Some(PushStage::Pushing(to));
                self.go(Stage::Holding(held), ClaimAction::Push { from: Some(held.pushed), to })
            }
            None if held.has_ended => self.end(ClaimOutcome::Finished),
            None => {
                self.stage = Stage::Holding(held);
                None
            }
        }
    }

    /// The claim is there. The task may have been completed since its branch was read, and its branch removed.
    fn confirm(&mut self, from: Option<C>, tip: C) -> Option<ClaimAction<C>> {
        self.go(Stage::Confirming { from, tip }, ClaimAction::ReadRun)
    }

    /// Whether another answer may fail to come.
    fn is_patient(&self) -> bool {
        self.silent <= self.patience
    }

    /// Counts another answer that did not come.
    fn is_worth_another_try(&mut self) -> bool {
        self.silent += 1;
        self.is_patient()
    }

    fn go(&mut self, stage: Stage<C>, action: ClaimAction<C>) -> Option<ClaimAction<C>> {
        self.stage = stage;
        Some(action)
    }

    fn end(&mut self, outcome: ClaimOutcome) -> Option<ClaimAction<C>> {
        self.go(Stage::Over, ClaimAction::End(outcome))
    }
}

fn tip_of<C>(state: RefState<C>) -> Option<C> {
    match state {
        RefState::Absent => None,
        RefState::At { tip, .. } => Some(tip),
    }
}
