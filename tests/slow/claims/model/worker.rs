//! The workers of the model: each has the real protocol, and a network that loses requests and answers.

use super::remote::{Commit, Kind, Remote, Rule};
use crate::support::dice::Dice;
use git_arborist::scheduler::claim::{
    Claim, ClaimAction, ClaimEvent, ClaimOutcome, Holder, PushAnswer, RefState, TaskOnRun,
};

/// How often something goes wrong: once in so many times; 0 for never.
#[derive(Clone, Copy)]
pub(super) struct Faults {
    pub(super) lost: usize,
    pub(super) crash: usize,
    pub(super) believed_dead: usize,
}

impl Faults {
    fn happens(chances: usize, dice: &mut Dice) -> bool {
        chances > 0 && dice.one_in(chances)
    }
}

/// A push that is under way. It arrives even if its sender has died.
#[derive(Clone, Copy)]
pub(super) struct Sent {
    task: usize,
    seen: Option<Commit>,
    to: Option<Commit>,
}

/// A worker.
pub(super) struct Worker {
    number: usize,
    task: usize,
    claim: Option<Claim<Commit>>,
    todo: Option<ClaimAction<Commit>>,
    sent: Option<Sent>,
    /// Its own newest commit of the task, if its work has begun.
    tip: Option<Commit>,
    steps: usize,
    /// Whether it has made a claim.
    has_claimed: bool,
    /// Whether its pushes were rejected because of somebody else.
    is_superseded: bool,
    /// Pushes that its protocol believes to be done.
    early: Vec<Sent>,
}

impl Worker {
    pub(super) fn new(number: usize) -> Self {
        Self {
            number,
            task: 0,
            claim: None,
            todo: None,
            sent: None,
            tip: None,
            steps: 0,
            has_claimed: false,
            is_superseded: false,
            early: Vec::new(),
        }
    }

    pub(super) fn is_idle(&self) -> bool {
        self.claim.is_none()
    }

    /// Lets it do one thing. Returns a push of it that is still under way after its death.
    pub(super) fn step(&mut self, remote: &mut Remote, faults: Faults, dice: &mut Dice) -> Option<Sent> {
        if Faults::happens(faults.crash, dice) {
            return std::mem::replace(self, Self::new(self.number)).sent;
        }
        if self.claim.is_none() {
            self.task = dice.below(remote.tasks.len());
            let (claim, first) = Claim::begin(6);
            (self.claim, self.todo) = (Some(claim), Some(first));
            (self.tip, self.steps, self.has_claimed, self.is_superseded) = (None, 0, false, false);
            return None;
        }
        if !self.early.is_empty() && dice.one_in(3) {
            let sent = self.early.swap_remove(dice.below(self.early.len()));
            sent.arrive(remote);
        }
        if let Some(sent) = self.sent.take() {
            self.arrive(sent, remote, faults, dice);
        } else if self.tip.is_some() && (self.todo.is_none() || dice.one_in(2)) && self.steps < 4 {
            self.work(remote);
        } else if let Some(action) = self.todo.take() {
            self.act(action, remote, faults, dice);
        }
        None
    }

    /// A step of the task: three, and then its completion.
    fn work(&mut self, remote: &mut Remote) {
        let Some(parent) = self.tip else { return };
        self.steps += 1;
        let kind = if self.steps < 4 { Kind::Step(self.number) } else { Kind::Complete(self.number) };
        let made = remote.commit(parent, kind);
        if self.is_superseded {
            remote.wrong.push(format!("worker {} works on task {} that it has lost", self.number, self.task));
        }
        self.tip = Some(made);
        self.tell(ClaimEvent::Step(made), remote);
        if self.steps == 4 {
            self.tell(ClaimEvent::WorkEnded, remote);
        }
    }

    fn tell(&mut self, event: ClaimEvent<Commit>, remote: &mut Remote) {
        let Some(claim) = &mut self.claim else { return };
        let Some(action) = claim.take(event) else { return };
        match action {
            ClaimAction::End(outcome) => self.end(outcome, remote),
            action => self.todo = Some(action),
        }
    }

    fn end(&mut self, outcome: ClaimOutcome, remote: &mut Remote) {
        let own = self.tip.is_some_and(|tip| {
            let now = remote.tasks[self.task];
            // The branch names a commit that is this worker's own, and it was not told otherwise by anybody.
            now.is_some_and(|now| remote.line(tip).any(|commit| commit == now && self.is_mine(remote, now)))
        });
        if outcome == ClaimOutcome::Superseded && own {
            remote.wrong.push(format!("worker {} gives up task {} that it holds", self.number, self.task));
        }
        (self.claim, self.todo, self.tip) = (None, None, None);
    }

    fn is_mine(&self, remote: &Remote, commit: Commit) -> bool {
        matches!(remote.kinds[commit], Kind::Claim(who) | Kind::Step(who) | Kind::Complete(who) if who == self.number)
    }

    fn act(&mut self, action: ClaimAction<Commit>, remote: &mut Remote, faults: Faults, dice: &mut Dice) {
        let is_lost = Faults::happens(faults.lost, dice);
        match action {
            ClaimAction::ReadRun => {
                let is_again = self.has_claimed && self.tip.is_none();
                let is_blind = is_again && remote.without == Some(Rule::ReadRunAgain);
                let is_closed = remote.is_closed(self.task) && !is_blind;
                let state = if is_closed { TaskOnRun::Closed } else { TaskOnRun::Open(remote.run) };
                self.tell(ClaimEvent::Run((!is_lost).then_some(state)), remote);
            }
            ClaimAction::ReadRef => {
                let state = match remote.tasks[self.task] {
                    None => RefState::Absent,
                    Some(tip) if remote.is_complete_at(tip) => RefState::At { tip, holder: Holder::Ended },
                    Some(tip) => {
                        let is_dead = Faults::happens(faults.believed_dead, dice);
                        let holder = if is_dead { Holder::Dead } else { Holder::Alive };
                        RefState::At { tip, holder }
                    }
                };
                self.tell(ClaimEvent::Ref((!is_lost).then_some(state)), remote);
            }
            ClaimAction::Make { on } => {
                let made = self.make(on, remote);
                self.has_claimed = true;
                self.tell(ClaimEvent::Made(made), remote);
            }
            ClaimAction::Push { from, to } => {
                if remote.tasks[self.task] == Some(to) {
                    // "Everything up-to-date".
                    self.tell(ClaimEvent::Pushed(PushAnswer::Moved), remote);
                } else if remote.without == Some(Rule::OneAtATime) && self.tip.is_some() {
                    match remote.would_send(self.task, from, to) {
                        true => {
                            self.early.push(Sent { task: self.task, seen: from, to: Some(to) });
                            self.answer(PushAnswer::Moved, remote);
                        }
                        false => self.answer(PushAnswer::Rejected, remote),
                    }
                } else if remote.would_send(self.task, from, to) {
                    self.sent = Some(Sent { task: self.task, seen: remote.tasks[self.task], to: Some(to) });
                } else {
                    self.answer(PushAnswer::Rejected, remote);
                }
            }
            ClaimAction::Withdraw { from } => {
                if remote.tasks[self.task] == Some(from) {
                    self.sent = Some(Sent { task: self.task, seen: Some(from), to: None });
                } else {
                    (self.claim, self.todo) = (None, None);
                }
            }
            ClaimAction::Begin { on } => {
                if !self.is_mine(remote, on) {
                    remote.wrong.push(format!("worker {} begins on the claim of another", self.number));
                }
                if remote.is_closed(self.task) {
                    remote.wrong.push(format!("task {} was begun although it is complete", self.task));
                }
                self.tip = Some(on);
            }
            ClaimAction::End(outcome) => self.end(outcome, remote),
        }
    }

    fn make(&self, on: Commit, remote: &mut Remote) -> Commit {
        if remote.without == Some(Rule::OwnCommit) {
            let same = (0..remote.kinds.len()).find(|commit| {
                remote.parents[*commit] == Some(on)
                    && matches!(remote.kinds[*commit], Kind::Claim(_))
                    && !remote
                        .tasks
                        .iter()
                        .enumerate()
                        .any(|(task, tip)| task != self.task && *tip == Some(*commit))
            });
            if let Some(same) = same {
                return same;
            }
        }
        remote.commit(on, Kind::Claim(self.number))
    }

    /// A push arrives, or is lost on the way, or its answer is.
    fn arrive(&mut self, sent: Sent, remote: &mut Remote, faults: Faults, dice: &mut Dice) {
        let (is_lost, is_silent) = (Faults::happens(faults.lost, dice), Faults::happens(faults.lost, dice));
        let is_moved = !is_lost && sent.arrive(remote);
        if sent.to.is_none() {
            (self.claim, self.todo) = (None, None);
            return;
        }
        let answer = match (is_lost || is_silent, is_moved) {
            (true, _) => PushAnswer::Unclear,
            (false, true) => PushAnswer::Moved,
            (false, false) => PushAnswer::Rejected,
        };
        self.answer(answer, remote);
    }

    fn answer(&mut self, answer: PushAnswer, remote: &mut Remote) {
        let told = match (answer, remote.without) {
            (PushAnswer::Unclear, Some(Rule::ReadAfterUnclear)) => PushAnswer::Moved,
            (PushAnswer::Rejected, Some(Rule::StopIfSuperseded)) if self.tip.is_some() => {
                let now = remote.tasks[self.task];
                self.is_superseded |= now.is_none_or(|now| !self.is_mine(remote, now));
                PushAnswer::Moved
            }
            (answer, _) => answer,
        };
        self.tell(ClaimEvent::Pushed(told), remote);
    }
}

impl Sent {
    /// It arrives. Returns whether it was accepted.
    pub(super) fn arrive(self, remote: &mut Remote) -> bool {
        remote.receive(self.task, self.seen, self.to)
    }
}
