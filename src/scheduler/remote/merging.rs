//! Integrates complete tasks if no other worker does, and begins the next attempt at those that could not be merged.

use std::num::NonZeroU32;

use super::claiming::{ClaimTarget, Claimed};
use super::collected::{Deliver, MergeTarget};
use super::holder::Hold;
use super::messages;
use super::progress::HeldTask;
use super::remote_state::RemoteState;
use super::remote_worker::RemoteWorker;
use super::taken_back::ToldSteps;
use super::task::Worked;
use super::waiting::Silence;
use crate::engine::{BranchMerged, BranchOf, Event, EventLine, FailedIntegration};
use crate::error::Result;
use crate::git::RefUpdate;
use crate::plan::NodeIx;
use crate::record::{Claimant, CommitId, Step};
use crate::run::{policy, read_run};
use crate::scheduler::claim::PushAnswer;
use crate::scheduler::start::merge_finished;
use crate::session::Exit;
use crate::workflow::{NextAction, next_action};

/// What came of merging in the clone.
#[derive(Default)]
struct InClone {
    merged: Vec<BranchMerged>,
    not_merged: Vec<FailedIntegration>,
}

/// What came of merging.
#[derive(Default)]
struct Round {
    /// Whether anything has changed.
    has_changed: bool,
    /// The tasks that could not be merged.
    not_merged: Vec<FailedIntegration>,
}

impl RemoteWorker<'_> {
    /// Integrates complete tasks unless somebody else does, and works on those that could not be merged. Returns whether
    /// anything has changed.
    ///
    /// # Errors
    /// If this worker cannot go on.
    pub(super) fn integrate(&mut self) -> Result<bool> {
        let remote_state = self.remote_state()?;
        if !self.has_work_to_merge(remote_state) && !self.has_leftovers()? {
            return Ok(false);
        }
        if !self.claim_integration(ClaimTarget::Integration)? {
            return Ok(false);
        }
        let merged = self.merge_while_held(None);
        self.give_integration_back()?;
        let Round { mut has_changed, not_merged } = merged?;
        for failed in &not_merged {
            if !self.look(None)? {
                break;
            }
            self.say_not_merged(failed)?;
            let worked = self.work_again(failed)?;
            has_changed |= self.go_on(failed.leaf, worked)?;
        }
        Ok(has_changed)
    }

    /// Works on a task that others have overtaken twice. The integration is claimed first, so that no other worker merges anything
    /// before the task is merged or has failed.
    ///
    /// # Errors
    /// If this worker cannot go on.
    pub(super) fn work_first(&mut self, leaf: NodeIx, is_taken_over: bool) -> Result<Worked> {
        if !self.claim_integration(ClaimTarget::First(leaf))? {
            return Ok(Worked::Taken);
        }
        let worked = self.work_claimed(leaf, is_taken_over);
        let merged = match &worked {
            Ok(Worked::Done) if self.look(None)? && self.remote_state()?.is_to_merge(leaf) => {
                self.merge_while_held(Some(leaf)).map(|_| ())
            }
            _ => Ok(()),
        };
        self.give_integration_back()?;
        merged.and(worked)
    }

    /// Merges what is complete, or only this task, and pushes it. A task that others have overtaken twice is worked on at once, and
    /// then merged before anything else.
    fn merge_while_held(&mut self, mut first: Option<NodeIx>) -> Result<Round> {
        let mut round = Round::default();
        while self.integration.is_some() {
            let InClone { merged, not_merged } = self.merge_in_clone(first)?;
            let mut overtaken = None;
            for failed in &not_merged {
                if overtaken.is_none() && self.remote_state()?.will_be_overtaken(failed.leaf)? {
                    overtaken = Some(failed.clone());
                }
            }
            round.has_changed |= self.push_merges(&merged, overtaken.is_some())?;
            let Some(failed) = overtaken else { return Ok(Round { not_merged, ..round }) };
            if self.integration.is_none() || !self.look(None)? {
                break;
            }
            self.say_not_merged(&failed)?;
            let worked = self.work_again(&failed)?;
            round.has_changed |= self.go_on(failed.leaf, worked)?;
            if !self.look(None)? || !self.remote_state()?.is_to_merge(failed.leaf) {
                break;
            }
            first = Some(failed.leaf);
        }
        Ok(round)
    }

    /// Says that a task is merged, now that the remote repository has the merge.
    fn say_merged(&self, merged: &BranchMerged) {
        if self.options.json {
            crate::launch::monitor::events::print(&EventLine::now(Event::BranchMerged(merged.clone())));
        }
        if let BranchOf::Task { task } = &merged.of {
            self.say(&format!("{task} merge pass  {}", merged.commit.short()));
        }
    }

    fn say_not_merged(&self, failed: &FailedIntegration) -> Result<()> {
        let id = self.remote_state()?.id(failed.leaf);
        self.say(&format!("{id} could not be merged: {}", failed.why.clause()));
        Ok(())
    }

    /// Integrates until nothing is left to merge, and opens or updates the request where that is wanted.
    ///
    /// # Errors
    /// If this worker cannot go on.
    pub(super) fn integrate_all(
        &mut self,
        batch: Option<NonZeroU32>,
        deliver: Option<Deliver<'_>>,
    ) -> Result<Exit> {
        self.batch = batch.map_or(usize::MAX, |batch| batch.get() as usize);
        let Some(deliver) = deliver else { return self.integrate_rest() };
        self.begin_to_collect()?;
        let integrated = self.integrate_rest();
        // Another worker may have merged something since the request was updated.
        self.deliver(deliver)?;
        integrated
    }

    fn integrate_rest(&mut self) -> Result<Exit> {
        let mut is_second_try = false;
        loop {
            self.look_patiently()?;
            let remote_state = self.remote_state()?;
            if !self.has_work_to_merge(remote_state) && !self.has_leftovers()? {
                return Ok(Exit::Done);
            }
            if self.integrate()? {
                is_second_try = false;
                continue;
            }
            let branch = self.remote_state()?.integration_branch();
            let tip = self.read_tip(&branch)?.flatten();
            let by = self.claimant_of(tip)?;
            if by.is_some() || is_second_try {
                return Err(messages::integrated_by(by.as_deref()));
            }
            // No worker is known to hold the integration. Another one may have taken over what could not be merged, or has just ended.
            is_second_try = true;
        }
    }

    /// Claims the integration. Returns whether this worker holds it.
    fn claim_integration(&mut self, target: ClaimTarget) -> Result<bool> {
        let branch = self.remote_state()?.integration_branch();
        match self.claim(target, false)? {
            Claimed::Held(_, on) => {
                self.integration = Some(Hold { branch, on });
                Ok(true)
            }
            Claimed::Not(outcome) => self.error_of(outcome, &branch).map_or(Ok(false), Err),
        }
    }

    /// Shows that this worker is alive, if it holds the integration.
    ///
    /// # Errors
    /// If the clone cannot be used.
    pub(super) fn renew_integration(&mut self) -> Result<()> {
        let Some(Hold { branch, on }) = self.integration.take() else { return Ok(()) };
        let claimant = self.claimant.clone();
        let made = self.make_claim_of(&claimant, ClaimTarget::Integration, on)?;
        let on = match self.push(&branch, Some(on), Some(made))? {
            PushAnswer::Moved => made,
            PushAnswer::Unclear => match self.read_tip(&branch)? {
                Some(Some(tip)) if tip == made => made,
                Some(Some(tip)) if tip != on => return Ok(()),
                Some(None) => return Ok(()),
                _ => on,
            },
            PushAnswer::Rejected | PushAnswer::Refused => return Ok(()),
        };
        self.integration = Some(Hold { branch, on });
        Ok(())
    }

    /// Merges what is complete in the clone, or only this task, with tests.
    fn merge_in_clone(&mut self, only: Option<NodeIx>) -> Result<InClone> {
        let remote_state = self.remote_state()?;
        let mut room = self.batch;
        // What somebody else is working on again is not merged now, and what is left over was merged before.
        for (branch, tip) in &remote_state.tips {
            let is_wanted = match remote_state.leaf_of(branch) {
                Some(leaf) if remote_state.is_merged(leaf) => false,
                Some(leaf) if !remote_state.is_to_merge(leaf) => true,
                Some(leaf) if only.is_some_and(|only| only != leaf) => false,
                Some(leaf) if room > 0 && self.is_candidate(remote_state, leaf) => {
                    room -= 1;
                    true
                }
                Some(_) => false,
                None => true,
            };
            if !is_wanted {
                remote_state.session.git.delete_branch(branch, tip)?;
            }
        }
        if !self.has_work_to_merge(remote_state) {
            return Ok(InClone::default());
        }
        let call = self.inner_call();
        let start = self.start(&call, remote_state);
        let (end, tally) = merge_finished(start, &mut None)?;
        Ok(InClone { merged: tally.held_back, not_merged: end.not_merged })
    }

    /// Pushes the merges of the clone, with the deletion of the branches that they contain and of the claim, unless the claim is
    /// to be kept. Returns whether anything has changed.
    fn push_merges(&mut self, merged: &[BranchMerged], keeps_claim: bool) -> Result<bool> {
        let Some(Hold { branch: claim, on }) = self.integration.take() else { return Ok(false) };
        let remote_state = self.remote_state()?;
        let head = remote_state.session.repository.tip_of(&self.clone.branch)?.unwrap_or(remote_state.head);
        let mut updates = self.updates_of_merges(remote_state, head, &claim)?;
        let (has_changes, before) = (!updates.is_empty(), remote_state.head);
        let kept = match keeps_claim {
            true => Some(self.make_claim_of(&self.claimant.clone(), ClaimTarget::Integration, on)?),
            false => None,
        };
        updates.push(RefUpdate { branch: claim.clone(), from: Some(on), to: kept });
        let mut answer = self.push_all(&updates)?;
        if answer == PushAnswer::Unclear {
            // If one of them has moved, so has everything else.
            let run = self.remote_state()?.target.branch.clone();
            let is_there = match kept {
                Some(kept) => self.read_tip(&claim)? == Some(Some(kept)),
                None => head != before && self.read_tip(&run)? == Some(Some(head)),
            };
            answer = if is_there { PushAnswer::Moved } else { answer };
        }
        self.integration = match answer {
            PushAnswer::Moved => kept.map(|on| Hold { branch: claim, on }),
            PushAnswer::Refused | PushAnswer::Rejected | PushAnswer::Unclear => {
                Some(Hold { branch: claim, on })
            }
        };
        match answer {
            PushAnswer::Moved => {
                merged.iter().for_each(|merged| self.say_merged(merged));
                if has_changes {
                    self.say(&format!("{} moved to {}", self.remote_state()?.target.branch, head.short()));
                }
                Ok(has_changes)
            }
            PushAnswer::Refused => {
                let said = std::mem::take(&mut self.said);
                self.give_integration_back()?;
                Err(messages::merges_refused(&self.remote_state()?.target.branch, &said))
            }
            // Whatever has happened, the next look shows it.
            PushAnswer::Rejected | PushAnswer::Unclear => {
                self.give_integration_back()?;
                Ok(true)
            }
        }
    }

    /// The updates that move the branch of the run to `head`, and delete the branches that it contains then.
    fn updates_of_merges(
        &self,
        remote_state: &RemoteState,
        head: CommitId,
        claim: &str,
    ) -> Result<Vec<RefUpdate>> {
        let mut updates = Vec::new();
        if head != remote_state.head {
            let MergeTarget { branch, tip, .. } = remote_state.target.clone();
            updates.push(RefUpdate { branch, from: Some(tip), to: Some(head) });
        }
        let tips: Vec<CommitId> = remote_state.tips.values().copied().collect();
        let merged = remote_state.session.repository.reached_from(head, &tips)?;
        for (branch, tip) in &remote_state.tips {
            let is_merged = branch != claim && *branch != remote_state.target.branch && merged.contains(tip);
            if is_merged || self.is_leftover(remote_state, branch, *tip)? {
                updates.push(RefUpdate { branch: branch.clone(), from: Some(*tip), to: None });
            }
        }
        Ok(updates)
    }

    /// Gives the claim of the integration back, if this worker holds it, so that no other worker has to wait until it is believed to be
    /// dead. Without a clear answer, it looks what has become of it.
    fn give_integration_back(&mut self) -> Result<()> {
        let Some(Hold { branch, mut on }) = self.integration.take() else { return Ok(()) };
        let mut silence = Silence::new();
        loop {
            match self.push(&branch, Some(on), None)? {
                PushAnswer::Moved => return Ok(()),
                PushAnswer::Refused => {
                    // Where nothing may be deleted, a claim by nobody does the same.
                    let made = self.make_claim_of(&Claimant::nobody(), ClaimTarget::Integration, on)?;
                    return self.push(&branch, Some(on), Some(made)).map(drop);
                }
                PushAnswer::Rejected | PushAnswer::Unclear => match self.read_tip(&branch)? {
                    Some(Some(tip)) if self.own_claims.made.contains(&tip) => on = tip,
                    Some(_) => return Ok(()),
                    None => {}
                },
            }
            if !self.patience.wait_out(&mut silence).unwrap_or(false) {
                return Ok(());
            }
        }
    }

    /// Whether branches are left of workers that died after their task was merged.
    pub(super) fn has_leftovers(&self) -> Result<bool> {
        let remote_state = self.remote_state()?;
        for (branch, tip) in &remote_state.tips {
            if self.is_leftover(remote_state, branch, *tip)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a branch has nothing but claims, or is merged, and its task is merged.
    fn is_leftover(&self, remote_state: &RemoteState, branch: &str, tip: CommitId) -> Result<bool> {
        let Some(leaf) = remote_state.leaf_of(branch) else { return Ok(false) };
        if !remote_state.is_merged(leaf) {
            return Ok(false);
        }
        Ok(remote_state.session.repository.reaches(remote_state.head, tip)?
            || remote_state.last_claim(tip)?.is_bare)
    }
}

impl RemoteWorker<'_> {
    /// Whether an attempt to merge the task has failed, and the next one begins. It begins with the newest commit of the branch of the
    /// run, if the remote repository answers.
    pub(super) fn merges_again(&mut self, held: &mut HeldTask<'_>) -> Result<bool> {
        let RemoteState { session, plan, tasks, .. } = self.remote_state()?;
        let branch = held.told.branch;
        let tip = session.repository.tip_of(branch)?;
        let Some(tip) = tip.filter(|tip| *tip != held.told.began && !self.patience.is_stopped()) else {
            return Ok(false);
        };
        let run = read_run(&session.repository, plan, &session.work_tree)?;
        let latest = plan.latest(&run, held.leaf).filter(|latest| latest.merge.is_some());
        let next = latest.map(|latest| next_action(Some(latest), &policy(tasks.of(held.leaf))));
        if !matches!(next, Some(NextAction::Run { step: Step::IMPLEMENT, .. })) {
            return Ok(false);
        }
        self.look(Some(branch))?;
        held.told = ToldSteps { branch, began: tip, steps: Vec::new() };
        held.pushed = 0;
        Ok(true)
    }
}
