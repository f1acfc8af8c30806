//! The loop of a worker: looks at the run, claims what is ready, works on it, and integrates what is complete.

use std::collections::HashSet;

use super::idle_policy::{Idle, Outlook, Stay};
use super::messages;
use super::remote_worker::RemoteWorker;
use super::task::Worked;
use super::waiting::Silence;
use crate::error::{Error, Result};
use crate::plan::{NodeIx, Readiness};
use crate::record::{CommitId, State, TaskId};
use crate::session::Exit;
use crate::text::advice;
use crate::workflow::SlotChoice;

/// Which failed tasks make a worker that has worked on all tasks end with status 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FailOn {
    /// Those on which it has worked.
    Own,
    /// All.
    Any,
}

/// How a worker works on all tasks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AllTasks {
    /// For what it waits when it has nothing to do.
    pub(crate) stay: Stay,
    /// Which failures it reports in the end.
    pub(crate) fails_on: FailOn,
}

impl RemoteWorker<'_> {
    /// Looks until the remote repository answers.
    pub(super) fn look_patiently(&mut self) -> Result<()> {
        let mut silence = Silence::new();
        self.patience.check_stop()?;
        while !self.look(None)? {
            if !self.patience.wait_out(&mut silence)? {
                return Err(messages::silent(messages::THERE, &self.said));
            }
        }
        Ok(())
    }

    /// Works on one task until it is merged.
    ///
    /// # Errors
    /// If somebody else holds it, or it cannot be worked on.
    pub(super) fn work_on(&mut self, task: &str, is_taken_over: bool, stay: Stay) -> Result<Exit> {
        let mut idle = Idle::new(stay);
        let mut is_taken_over = is_taken_over;
        loop {
            self.look_patiently()?;
            let remote_state = self.remote_state()?;
            let leaf = remote_state.plan.leaf(task)?;
            if remote_state.is_merged(leaf) {
                return Ok(Exit::Done);
            }
            if remote_state.state(leaf) == State::Failed {
                return Ok(Exit::No);
            }
            if self.integrate()? {
                idle.reset();
                continue;
            }
            if self.remote_state()?.is_ready(leaf) {
                match self.work_once(leaf, is_taken_over)? {
                    Worked::Done => {
                        is_taken_over = false;
                        idle.reset();
                        continue;
                    }
                    Worked::Taken => {
                        if let Some(refusal) = self.refused.remove(&leaf) {
                            return Err(refusal);
                        }
                    }
                    Worked::Superseded(error) => return Err(error),
                }
            } else if let Some(error) = self.why_not_ready(leaf, &mut idle)? {
                return Err(error);
            }
            let remote_state = self.remote_state()?;
            if idle.is_over(self.outlook()?) && !remote_state.is_to_merge(leaf) {
                let by = self.claimant_of(self.tip(&remote_state.branch_of(leaf)))?;
                return Err(messages::claimed(task, by.as_deref()));
            }
            self.rest(&mut idle)?;
        }
    }

    /// Why a task that is not ready is not waited for; `None` if it is.
    fn why_not_ready(&self, leaf: NodeIx, idle: &mut Idle) -> Result<Option<Error>> {
        let remote_state = self.remote_state()?;
        let availability = remote_state.availability();
        let readiness = remote_state.readiness().of(leaf);
        // A worker that waits until all is done does not wait for what others have failed at.
        let has_failed_before = idle.stay == Stay::UntilDone && readiness == Readiness::Blocked;
        let remedy = |first: &str| format!("{} works on that task first.", advice::work(first));
        Ok(match readiness {
            Readiness::Held => Some(availability.held(leaf)),
            Readiness::Asked => Some(availability.asked(&remote_state.session.repository, leaf)?),
            _ if remote_state.is_to_merge(leaf) => None,
            _ if has_failed_before || idle.is_over(self.outlook()?) => {
                Some(availability.not_ready(leaf, remedy))
            }
            _ => None,
        })
    }

    /// Which worker has claimed a branch with this tip last; `None` if none has.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub(super) fn claimant_of(&self, tip: Option<CommitId>) -> Result<Option<String>> {
        let last = tip.map(|tip| self.remote_state()?.last_claim(tip)).transpose()?;
        Ok(last.and_then(|last| last.claimant).map(|claimant| claimant.to_string()))
    }

    /// Works on all tasks that are ready, one after the other.
    ///
    /// # Errors
    /// If this worker cannot go on.
    pub(super) fn work_on_all(&mut self, all: AllTasks) -> Result<Exit> {
        let AllTasks { stay, fails_on } = all;
        let mut idle = Idle::new(stay);
        // The tasks on which it has worked.
        let mut own: HashSet<TaskId> = HashSet::new();
        let mut passed: HashSet<NodeIx> = HashSet::new();
        loop {
            self.look_patiently()?;
            if self.remote_state()?.is_all_merged() && !self.has_leftovers()? {
                return Ok(Exit::Done);
            }
            if self.integrate()? {
                idle.reset();
                passed.clear();
                continue;
            }
            if let Some(leaf) = self.next(&passed)? {
                let id = self.remote_state()?.id(leaf).clone();
                let worked = self.work_once(leaf, false)?;
                if self.go_on(leaf, worked)? {
                    idle.reset();
                    passed.clear();
                    own.insert(id);
                } else {
                    passed.insert(leaf);
                }
                continue;
            }
            passed.clear();
            let outlook = self.outlook()?;
            if idle.is_over(outlook) {
                return self.exit_when_idle(outlook, |id| fails_on == FailOn::Any || own.contains(id));
            }
            self.rest(&mut idle)?;
        }
    }

    /// Goes on with other tasks after the work on this one. Returns whether there was any.
    ///
    /// # Errors
    /// If this worker was superseded by one that was started in its place.
    pub(super) fn go_on(&mut self, leaf: NodeIx, worked: Worked) -> Result<bool> {
        let superseded = match worked {
            Worked::Done => return Ok(true),
            Worked::Taken => return Ok(false),
            Worked::Superseded(error) => error,
        };
        self.look_patiently()?;
        let remote_state = self.remote_state()?;
        let last = match self.tip(&remote_state.branch_of(leaf)) {
            Some(tip) => remote_state.last_claim(tip)?,
            // The worker that has taken it over may have merged it since.
            None => remote_state.last_claim_of_merged(leaf)?,
        };
        if last.claimant.is_some_and(|claimant| claimant.is_restart_of(&self.claimant)) {
            return Err(superseded);
        }
        self.say(superseded.what());
        Ok(false)
    }

    /// What can still happen in the run.
    fn outlook(&self) -> Result<Outlook> {
        let remote_state = self.remote_state()?;
        let readiness = remote_state.readiness();
        let order = remote_state.plan.tree.order();
        let is_left = order.iter().any(|leaf| remote_state.is_to_merge(*leaf)) || self.has_leftovers()?;
        let of = |leaf: &NodeIx| {
            if self.refused.contains_key(leaf) { Readiness::Held } else { readiness.of(*leaf) }
        };
        Ok(Outlook::of(order.iter().map(of), is_left))
    }

    /// Waits before the next look.
    fn rest(&mut self, idle: &mut Idle) -> Result<()> {
        let wait = idle.next_wait(self.remote_state()?.tips.len());
        self.patience.pause(wait)
    }

    /// The exit status if nothing can be done now: no, if a task has failed that matters. Otherwise open questions are asked, and
    /// approvals.
    fn exit_when_idle(&self, outlook: Outlook, matters: impl Fn(&TaskId) -> bool) -> Result<Exit> {
        let remote_state = self.remote_state()?;
        let availability = remote_state.availability();
        let asked = availability.asked_all(&remote_state.session.repository)?;
        let needs_person = asked.is_some() || outlook == Outlook::Person;
        let held = || availability.all_held().filter(|_| outlook == Outlook::Person);
        if let Some(needed) = asked.or_else(held) {
            self.say(&needed.to_string());
        }
        let leaves =
            remote_state.plan.tree.order().iter().filter(|leaf| remote_state.state(**leaf) == State::Failed);
        let failed: Vec<&TaskId> =
            leaves.map(|leaf| remote_state.id(*leaf)).filter(|id| matters(id)).collect();
        for id in &failed {
            self.say(&format!("{id} has failed."));
        }
        Ok(match (failed.is_empty(), needs_person) {
            (false, _) => Exit::No,
            (true, true) => Exit::NeedsPerson,
            (true, false) => Exit::Done,
        })
    }

    /// A task that is ready and that no worker holds. Workers that did not get the first one do not all try the same next one.
    fn next(&mut self, passed: &HashSet<NodeIx>) -> Result<Option<NodeIx>> {
        let remote_state = self.remote_state()?;
        let tree = &remote_state.plan.tree;
        let is_held = |leaf: &NodeIx| {
            remote_state.tips.contains_key(&remote_state.branch_of(*leaf)) && !remote_state.is_to_merge(*leaf)
        };
        let running: Vec<NodeIx> = tree.order().iter().copied().filter(is_held).collect();
        let is_wanted = |leaf: &NodeIx| !passed.contains(leaf) && !self.refused.contains_key(leaf);
        let ready: Vec<NodeIx> = remote_state.ready().into_iter().filter(is_wanted).collect();
        // A task that was overtaken twice claims the integration before it begins.
        let choice = SlotChoice { tree, ready: &ready, running: &running, first: None, waiting: &[] };
        let mut free = Vec::new();
        for leaf in choice.all() {
            let branch = remote_state.branch_of(leaf);
            match remote_state.tips.get(&branch).copied() {
                Some(tip) if !self.is_dead(&branch, tip)? => {}
                _ => free.push(leaf),
            }
        }
        if passed.is_empty() || free.len() < 2 {
            return Ok(free.first().copied());
        }
        let random = self.own_claims.nonces.number();
        let place = usize::try_from(random % free.len() as u64).unwrap_or(0);
        Ok(free.get(place).copied())
    }
}
