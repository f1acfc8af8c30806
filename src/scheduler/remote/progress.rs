//! Tells the claim of a task what happens during the work, does what the claim asks for, and says when the branch is looked at.

use std::time::{Duration, Instant};

use super::remote_worker::RemoteWorker;
use super::taken_back::ToldSteps;
use super::waiting::Silence;
use crate::engine::FailedIntegration;
use crate::error::Result;
use crate::plan::NodeIx;
use crate::record::CommitId;
use crate::scheduler::claim::{Claim, ClaimAction, ClaimEvent, ClaimOutcome, Holder, RefState, TaskOnRun};

/// How long after a step a worker looks for the first time whether it still holds its task.
const FIRST_GLANCE: Duration = Duration::from_secs(2);
/// The longest time between two such looks.
const RARE_GLANCE: Duration = Duration::from_secs(30);

/// The work on a task that is held.
pub(super) struct HeldTask<'b> {
    pub(super) leaf: NodeIx,
    pub(super) claim: Claim<CommitId>,
    pub(super) failure: Option<&'b FailedIntegration>,
    pub(super) told: ToldSteps<'b>,
    /// How many of the told steps are pushed.
    pub(super) pushed: usize,
    /// When something was pushed last.
    pub(super) last_push: Instant,
}

impl RemoteWorker<'_> {
    /// Tells the claim of an event, and does what has to be done. Returns how the claim ended, if it has.
    pub(super) fn advance(
        &mut self,
        held: &mut HeldTask<'_>,
        event: ClaimEvent<CommitId>,
    ) -> Result<Option<ClaimOutcome>> {
        let mut silence = Silence::new();
        let mut next = held.claim.take(event);
        while let Some(action) = next {
            let event = match action {
                ClaimAction::Push { from, to } => {
                    ClaimEvent::Pushed(self.push(held.told.branch, from, Some(to))?)
                }
                ClaimAction::ReadRef => ClaimEvent::Ref(self.read_tip(held.told.branch)?.map(ref_state)),
                ClaimAction::ReadRun => {
                    let has_answered = self.look(Some(held.told.branch))?;
                    ClaimEvent::Run(has_answered.then(|| self.state_of_run(held.leaf)))
                }
                ClaimAction::End(outcome) => return Ok(Some(outcome)),
                ClaimAction::Make { .. } | ClaimAction::Withdraw { .. } | ClaimAction::Begin { .. } => {
                    return Ok(None);
                }
            };
            if event.is_silence() {
                // Even after a request to stop, what is committed is pushed, if the remote repository answers at once.
                let was_silent = silence.has_lasted();
                match self.patience.wait_out(&mut silence) {
                    Ok(true) => {}
                    Err(_) if !was_silent => {}
                    Ok(false) | Err(_) => return Ok(Some(ClaimOutcome::Unreachable)),
                }
            }
            next = held.claim.take(event);
        }
        Ok(None)
    }

    fn state_of_run(&self, leaf: NodeIx) -> TaskOnRun<CommitId> {
        match &self.known {
            Some(remote_state) if !remote_state.is_merged(leaf) => TaskOnRun::Open(remote_state.head),
            _ => TaskOnRun::Closed,
        }
    }
}

/// The branch of a task that somebody holds.
pub(super) fn ref_state(tip: Option<CommitId>) -> RefState<CommitId> {
    match tip {
        None => RefState::Absent,
        Some(tip) => RefState::At { tip, holder: Holder::Alive },
    }
}

/// When a worker looks whether it still holds its task.
pub(super) struct Glances {
    last: Instant,
    wait: Duration,
}

impl Glances {
    pub(super) fn new() -> Self {
        Self { last: Instant::now(), wait: FIRST_GLANCE }
    }

    pub(super) fn is_due(&mut self) -> bool {
        let is_due = self.last.elapsed() >= self.wait;
        if is_due {
            *self = Self { last: Instant::now(), wait: self.wait.saturating_mul(2).min(RARE_GLANCE) };
        }
        is_due
    }
}
