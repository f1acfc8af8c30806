//! The loop of a worker: looks at the run, claims what is ready, works on it, and integrates what is complete.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use super::messages;
use super::remote_worker::{RemoteWorker, wait_after};
use super::task::Worked;
use crate::error::Result;
use crate::plan::{NodeIx, Readiness};
use crate::record::{CommitId, State};
use crate::session::Exit;
use crate::workflow::Choice;

/// How long a worker waits before it looks again, at first.
const FIRST_LOOK: Duration = Duration::from_secs(1);
/// The longest time between two looks.
const RARE_LOOK: Duration = Duration::from_secs(15);
/// How often a remote repository may fail to answer in a row.
const PATIENCE: u32 = 8;
/// The shortest time to wait.
const TICK: Duration = Duration::from_millis(100);

impl RemoteWorker<'_> {
    /// Looks until the remote repository answers.
    pub(super) fn look_patiently(&mut self) -> Result<()> {
        for silent in 0..=PATIENCE {
            self.check_stop()?;
            if self.look(None)? {
                return Ok(());
            }
            self.pause(wait_after(silent))?;
        }
        Err(messages::silent(&self.clone.branch, &self.said))
    }

    /// Works on one task until it is merged.
    ///
    /// # Errors
    /// If somebody else holds it, or it cannot be worked on.
    pub(super) fn work_on(
        &mut self,
        task: &str,
        is_taken_over: bool,
        until_idle: Option<Duration>,
    ) -> Result<Exit> {
        let mut idle = Idle::new(until_idle);
        let mut is_taken_over = is_taken_over;
        loop {
            self.look_patiently()?;
            let board = self.board()?;
            let leaf = board.plan.leaf(task)?;
            if board.is_merged(leaf) {
                return Ok(Exit::Done);
            }
            if board.state(leaf) == State::Failed {
                return Ok(Exit::No);
            }
            if self.integrate()? {
                idle.reset();
                continue;
            }
            let board = self.board()?;
            if board.is_ready(leaf) {
                match self.work_once(leaf, is_taken_over)? {
                    Worked::Done => {
                        is_taken_over = false;
                        idle.reset();
                        continue;
                    }
                    Worked::Taken => {}
                }
            } else if board.readiness().of(leaf) == Readiness::Held {
                return Err(board.availability().held(leaf));
            } else if board.readiness().of(leaf) == Readiness::Asked {
                return Err(board.availability().asked(&board.session.repository, leaf)?);
            } else if until_idle.is_none() && !board.is_to_merge(leaf) {
                let remedy = |first: &str| {
                    format!("`git arborist work {first} --remote REMOTE` works on that task first.")
                };
                return Err(board.availability().not_ready(leaf, remedy));
            }
            let board = self.board()?;
            if idle.is_over() && !board.is_to_merge(leaf) {
                let by = self.claimant_of(self.tip(&board.branch_of(leaf)))?;
                return Err(messages::claimed(task, by.as_deref()));
            }
            self.pause(idle.next_wait())?;
        }
    }

    /// Who has claimed a branch with this tip last; `None` if nobody has.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(super) fn claimant_of(&self, tip: Option<CommitId>) -> Result<Option<String>> {
        let last = tip.map(|tip| self.board()?.last_claim(tip)).transpose()?;
        Ok(last.and_then(|last| last.claimant).map(|claimant| claimant.to_string()))
    }

    /// Works on all tasks that are ready, one after the other.
    ///
    /// # Errors
    /// If this worker cannot go on.
    pub(super) fn work_on_all(&mut self, until_idle: Option<Duration>) -> Result<Exit> {
        let mut idle = Idle::new(until_idle);
        let mut passed: HashSet<NodeIx> = HashSet::new();
        loop {
            self.look_patiently()?;
            if self.board()?.is_all_merged() && !self.has_leftovers()? {
                return Ok(Exit::Done);
            }
            if self.integrate()? {
                idle.reset();
                passed.clear();
                continue;
            }
            if let Some(leaf) = self.next(&passed)? {
                match self.work_once(leaf, false)? {
                    Worked::Done => {
                        idle.reset();
                        passed.clear();
                    }
                    Worked::Taken => {
                        passed.insert(leaf);
                    }
                }
                continue;
            }
            passed.clear();
            if idle.is_over() {
                return self.exit_when_idle();
            }
            let wait = idle.next_wait();
            self.pause(wait)?;
        }
    }

    /// The exit status if nothing can be done now: no, if a task has failed. Otherwise open questions are asked.
    fn exit_when_idle(&self) -> Result<Exit> {
        let board = self.board()?;
        let availability = board.availability();
        let readiness = availability.readiness();
        let has =
            |wanted: Readiness| board.plan.tree.order().iter().any(|leaf| readiness.of(*leaf) == wanted);
        if has(Readiness::Asked)
            && let Some(asked) = availability.asked_all(&board.session.repository)?
        {
            self.say(&asked.to_string());
        }
        Ok(match (has(Readiness::Failed), has(Readiness::Asked)) {
            (true, _) => Exit::No,
            (_, true) => Exit::NeedsPerson,
            (false, false) => Exit::Done,
        })
    }

    /// A task that is ready and that nobody holds. Workers that lost the first one do not all try the same next one.
    fn next(&mut self, passed: &HashSet<NodeIx>) -> Result<Option<NodeIx>> {
        let board = self.board()?;
        let tree = &board.plan.tree;
        let is_held =
            |leaf: &NodeIx| board.tips.contains_key(&board.branch_of(*leaf)) && !board.is_to_merge(*leaf);
        let running: Vec<NodeIx> = tree.order().iter().copied().filter(is_held).collect();
        let ready: Vec<NodeIx> = board.ready().into_iter().filter(|leaf| !passed.contains(leaf)).collect();
        // A task that was overtaken twice claims the integration before it begins.
        let choice = Choice { tree, ready: &ready, running: &running, first: None, waiting: &[] };
        let mut free = Vec::new();
        for leaf in choice.all() {
            let branch = board.branch_of(leaf);
            match board.tips.get(&branch).copied() {
                Some(tip) if !self.is_dead(&branch, tip)? => {}
                _ => free.push(leaf),
            }
        }
        if passed.is_empty() || free.len() < 2 {
            return Ok(free.first().copied());
        }
        let random = self.nonces.number();
        let place = usize::try_from(random % free.len() as u64).unwrap_or(0);
        Ok(free.get(place).copied())
    }
}

/// How long a worker has had nothing to do.
struct Idle {
    limit: Duration,
    since: Option<Instant>,
    looks: u32,
}

impl Idle {
    fn new(limit: Option<Duration>) -> Self {
        Self { limit: limit.unwrap_or_default(), since: None, looks: 0 }
    }

    fn reset(&mut self) {
        (self.since, self.looks) = (None, 0);
    }

    /// Whether there was nothing to do for too long. The time begins with the first such question.
    fn is_over(&mut self) -> bool {
        self.since.get_or_insert_with(Instant::now).elapsed() >= self.limit
    }

    fn next_wait(&mut self) -> Duration {
        let wait = FIRST_LOOK.saturating_mul(1 << self.looks.min(4)).min(RARE_LOOK);
        self.looks += 1;
        let left = self.since.map_or(wait, |since| self.limit.saturating_sub(since.elapsed()));
        wait.min(left.max(TICK))
    }
}
