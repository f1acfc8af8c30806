//! Takes the actions of a claim: reads and pushes branches of the remote repository.

use super::messages;
use super::remote_state::RemoteState;
use super::remote_worker::RemoteWorker;
use super::source::ORIGIN;
use super::waiting::Silence;
use crate::error::{Error, Result};
use crate::git::{BranchesToFetch, Fetching, PushEnd, RefUpdate};
use crate::plan::NodeIx;
use crate::record::{Claimant, CommitId, INTEGRATION_CLAIMED, State, StepDraft, TaskRef};
use crate::scheduler::claim::{
    Claim, ClaimAction, ClaimEvent, ClaimOutcome, Expiry, Holder, PushAnswer, RefState, TaskOnRun,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimTarget {
    /// A task that is ready.
    Task(NodeIx),
    /// A task that is complete but could not be merged.
    Again(NodeIx),
    Integration,
    /// The integration, for a task that is merged before all others.
    First(NodeIx),
}

/// What came of a claim.
pub(super) enum Claimed {
    /// It is held by this commit.
    Held(Claim<CommitId>, CommitId),
    /// It is not.
    Not(ClaimOutcome),
}

impl RemoteWorker<'_> {
    /// Claims something. The remote state is read anew.
    ///
    /// # Errors
    /// If the clone cannot be used.
    pub(super) fn claim(&mut self, target: ClaimTarget, is_taken_over: bool) -> Result<Claimed> {
        let (mut claim, mut action) = Claim::begin(self.patience.questions());
        let branch = match target {
            ClaimTarget::Task(leaf) | ClaimTarget::Again(leaf) => self.remote_state()?.branch_of(leaf),
            ClaimTarget::Integration | ClaimTarget::First(_) => self.remote_state()?.integration_branch(),
        };
        let mut silence = Silence::new();
        let mut has_pushed = false;
        loop {
            self.patience.check_stop()?;
            let event = match action {
                ClaimAction::ReadRun => {
                    let is_there = self.look(None)?;
                    ClaimEvent::Run(is_there.then(|| self.run_state(target)))
                }
                ClaimAction::ReadRef => {
                    // The remote state was read a moment ago, with the branches of the tasks.
                    let tip = if has_pushed { self.read_tip(&branch)? } else { Some(self.tip(&branch)) };
                    let state = match tip {
                        None => None,
                        Some(None) => Some(RefState::Absent),
                        Some(Some(tip)) => {
                            let holder = self.holder(target, &branch, tip, is_taken_over)?;
                            Some(RefState::At { tip, holder })
                        }
                    };
                    ClaimEvent::Ref(state)
                }
                ClaimAction::Make { on } => ClaimEvent::Made(self.make_claim(target, on)?),
                ClaimAction::Push { from, to } => {
                    has_pushed = true;
                    ClaimEvent::Pushed(self.push(&branch, from, Some(to))?)
                }
                ClaimAction::Withdraw { from } => {
                    self.push(&branch, Some(from), None)?;
                    return Ok(Claimed::Not(ClaimOutcome::Withdrawn));
                }
                ClaimAction::Begin { on } => return Ok(Claimed::Held(claim, on)),
                ClaimAction::End(outcome) => return Ok(Claimed::Not(outcome)),
            };
            if event.is_silence() && !self.patience.wait_out(&mut silence)? {
                return Ok(Claimed::Not(ClaimOutcome::Unreachable));
            }
            action = claim.take(event).expect("a claim that is not held yet always has something to do");
        }
    }

    /// Why this worker cannot go on after a claim of a branch has ended like this; `None` if it can.
    pub(super) fn error_of(&self, outcome: ClaimOutcome, branch: &str) -> Option<Error> {
        match outcome {
            ClaimOutcome::Refused => Some(messages::refused(branch, &self.said)),
            ClaimOutcome::Unreachable => Some(messages::silent(messages::THERE, &self.said)),
            _ => None,
        }
    }

    /// How the target is on the branch of the run.
    fn run_state(&self, target: ClaimTarget) -> TaskOnRun<CommitId> {
        let Some(remote_state) = &self.known else { return TaskOnRun::Closed };
        let is_open = match target {
            ClaimTarget::Task(leaf) | ClaimTarget::First(leaf) => remote_state.is_ready(leaf),
            ClaimTarget::Again(leaf) => remote_state.is_to_merge(leaf),
            // What cannot be read now is looked at again with the next look.
            ClaimTarget::Integration => {
                self.has_work_to_merge(remote_state) || self.has_leftovers().unwrap_or(false)
            }
        };
        if is_open { TaskOnRun::Open(remote_state.head) } else { TaskOnRun::Closed }
    }

    /// The tip of a branch in the remote repository.
    pub(super) fn tip(&self, branch: &str) -> Option<CommitId> {
        self.known.as_ref().and_then(|remote_state| remote_state.tips.get(branch).copied())
    }

    /// The tip of a branch now; `None` if there is no answer.
    pub(super) fn read_tip(&mut self, branch: &str) -> Result<Option<Option<CommitId>>> {
        let below = [branch.to_owned()];
        match self.clone.git.fetch_tips(ORIGIN, BranchesToFetch { branch: None, below: &below })? {
            Fetching::Tips(tips) => Ok(Some(tips.get(branch).copied())),
            Fetching::Missing(_) => Ok(Some(None)),
            Fetching::Silent(said) | Fetching::Refused(said) => {
                self.said = said;
                Ok(None)
            }
        }
    }

    /// Who holds a branch.
    fn holder(
        &mut self,
        target: ClaimTarget,
        branch: &str,
        tip: CommitId,
        is_taken_over: bool,
    ) -> Result<Holder> {
        let unmoved = self.branch_activity.unmoved(branch, tip);
        let remote_state = self.remote_state()?;
        if let ClaimTarget::Task(leaf) = target
            && matches!(remote_state.state(leaf), State::Complete | State::Skipped | State::Failed)
        {
            return Ok(Holder::Ended);
        }
        let last = remote_state.last_claim(tip)?;
        let is_left_behind = self.own_claims.has_left_behind(&last);
        if matches!(target, ClaimTarget::Again(_)) && !last.is_newest {
            // It is complete, and no other worker has claimed it since.
            return Ok(Holder::Dead);
        }
        // Somebody has moved it back to before its claim.
        let is_empty = remote_state.session.repository.reaches(remote_state.head, tip)?;
        let expiry = Expiry {
            own: &self.claimant,
            longest_step: self.branch_activity.longest_step,
            is_declared: is_taken_over || is_left_behind || is_empty,
        };
        let is_dead = expiry.has_passed(last.claimant.as_ref(), unmoved);
        Ok(if is_dead { Holder::Dead } else { Holder::Alive })
    }

    /// Makes the commit of a claim.
    fn make_claim(&mut self, target: ClaimTarget, on: CommitId) -> Result<CommitId> {
        let claimant = self.claimant.clone();
        self.make_claim_of(&claimant, target, on)
    }

    /// Makes a commit that says that this claimant holds the target.
    pub(super) fn make_claim_of(
        &mut self,
        claimant: &Claimant,
        target: ClaimTarget,
        on: CommitId,
    ) -> Result<CommitId> {
        let nonce = self.own_claims.nonces.text();
        let remote_state = self.remote_state()?;
        let message = match target {
            ClaimTarget::Task(leaf) | ClaimTarget::Again(leaf) => {
                let task = TaskRef { id: remote_state.id(leaf), name: "" };
                let mut draft = StepDraft::claim(task, claimant, &nonce);
                draft.facts.plan = remote_state.plan_to_name()?;
                draft.message(str::to_owned, &remote_state.session.config.subject_form()).text
            }
            ClaimTarget::Integration | ClaimTarget::First(_) => {
                format!("{INTEGRATION_CLAIMED}{claimant}\n\nNonce: {nonce}\n")
            }
        };
        // A branch that has nothing of its own goes on from the newest commit of the run.
        let is_empty = matches!(target, ClaimTarget::Task(_))
            && remote_state.session.repository.reaches(remote_state.head, on)?;
        let on = if is_empty { remote_state.head } else { on };
        let made = self.commit_on(on, message)?;
        self.own_claims.made.insert(made);
        Ok(made)
    }

    /// Gives a task back: makes a claim by nobody on top of what this worker has committed, the newest of which is `tip`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn give_back(&mut self, leaf: NodeIx, tip: CommitId) -> Result<CommitId> {
        match self.give_back_once(leaf, tip) {
            // What fills the disk is most likely what the agent has left in its slot.
            Err(error) if error.is_of_full_disk() && self.clone.make_room() => self.give_back_once(leaf, tip),
            given => given,
        }
    }

    fn give_back_once(&mut self, leaf: NodeIx, tip: CommitId) -> Result<CommitId> {
        let made = self.make_claim_of(&Claimant::nobody(), ClaimTarget::Task(leaf), tip)?;
        let remote_state = self.remote_state()?;
        remote_state.session.git.advance_branch(&remote_state.branch_of(leaf), &tip, &made)?;
        Ok(made)
    }

    /// Makes a commit with the same files on top of this one.
    pub(super) fn commit_on(&self, on: CommitId, message: String) -> Result<CommitId> {
        let git = &self.remote_state()?.session.git;
        git.commit_on(on, message.into_bytes(), git.signs_commits()?)
    }

    /// Pushes a change of one branch.
    pub(super) fn push(
        &mut self,
        branch: &str,
        from: Option<CommitId>,
        to: Option<CommitId>,
    ) -> Result<PushAnswer> {
        self.push_all(&[RefUpdate { branch: branch.to_owned(), from, to }])
    }

    /// Pushes changes of branches, all or none.
    pub(super) fn push_all(&mut self, updates: &[RefUpdate]) -> Result<PushAnswer> {
        let git_dir = self.clone.folder.join(".git");
        let git = self.clone.git_to_push(&self.patience.cancel);
        Ok(match git.push_updates(&git_dir, ORIGIN, updates)? {
            PushEnd::Moved => {
                self.note_moved(updates);
                PushAnswer::Moved
            }
            PushEnd::Elsewhere => PushAnswer::Rejected,
            PushEnd::Unclear(said) => {
                self.said = said;
                PushAnswer::Unclear
            }
            PushEnd::Refused(said) => {
                self.said = said;
                PushAnswer::Refused
            }
        })
    }

    /// Takes note of what the remote repository has now.
    fn note_moved(&mut self, updates: &[RefUpdate]) {
        let Some(remote_state) = &mut self.known else { return };
        for RefUpdate { branch, to, .. } in updates {
            if *branch == remote_state.target.branch {
                self.newest = *to;
            }
            match to {
                Some(to) => remote_state.tips.insert(branch.clone(), *to),
                None => remote_state.tips.remove(branch),
            };
        }
    }

    /// Whether a task is complete that this worker could merge.
    pub(super) fn has_work_to_merge(&self, remote_state: &RemoteState) -> bool {
        remote_state.plan.tree.order().iter().any(|leaf| self.is_candidate(remote_state, *leaf))
    }

    /// Whether a task is complete and not merged, and no worker is working on it again.
    pub(super) fn is_candidate(&self, remote_state: &RemoteState, leaf: NodeIx) -> bool {
        if !remote_state.is_to_merge(leaf) {
            return false;
        }
        let branch = remote_state.branch_of(leaf);
        let Some(tip) = remote_state.tips.get(&branch).copied() else { return false };
        // What cannot be read now is looked at again with the next look.
        let Ok(last) = remote_state.last_claim(tip) else { return false };
        // The worker that claimed it for another attempt to merge may have died before the first step.
        !last.is_newest
            || last.claimant.as_ref() == Some(&self.claimant)
            || self.is_dead(&branch, tip).unwrap_or(false)
    }
}
