//! Begins the next attempt to merge a finished task, after one that has failed.

use super::progress::HeldTask;
use super::remote_state::RemoteState;
use super::remote_worker::RemoteWorker;
use super::taken_back::ToldSteps;
use crate::error::Result;
use crate::record::Step;
use crate::run::{policy, read_run};
use crate::workflow::{NextAction, next_action};

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
        Ok(true)
    }
}
