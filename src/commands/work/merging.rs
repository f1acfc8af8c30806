//! Integrates complete tasks, if nobody else does, and lets the next attempt begin at those that could not be merged.

use std::num::NonZeroU32;

use super::board::Board;
use super::claiming::{Claimed, Target};
use super::messages;
use super::site::Site;
use super::task::Worked;
use crate::claim::{Outcome, PushAnswer};
use crate::commands::Exit;
use crate::commands::integrate::merge_finished;
use crate::engine::FailedIntegration;
use crate::error::Result;
use crate::git::RefUpdate;
use crate::plan::NodeIx;
use crate::record::{Claimant, CommitId};

impl Site<'_> {
    /// Integrates complete tasks unless somebody else does, and works on those that could not be merged. Returns whether
    /// anything has changed.
    ///
    /// # Errors
    /// If this worker cannot go on.
    pub(super) fn integrate(&mut self) -> Result<bool> {
        let board = self.board()?;
        if !self.has_work_to_merge(board) && !self.has_leftovers()? {
            return Ok(false);
        }
        let Some((branch, on)) = self.claim_integration()? else { return Ok(false) };
        let failed = match self.merge_in_clone() {
            Ok(failed) => failed,
            Err(error) => {
                self.give_integration_back(&branch, on)?;
                return Err(error);
            }
        };
        let has_moved = self.push_merges(&branch, on)?;
        let mut has_worked = false;
        for failed in &failed {
            if !self.look(None)? {
                break;
            }
            let board = self.board()?;
            self.say(&format!("{} could not be merged: {}", board.id(failed.leaf), failed.clause()));
            has_worked |= self.work_again(failed)? == Worked::Done;
        }
        Ok(has_moved || has_worked)
    }

    /// Integrates until nothing is left to merge.
    ///
    /// # Errors
    /// If this worker cannot go on.
    pub(super) fn integrate_all(&mut self, batch: Option<NonZeroU32>) -> Result<Exit> {
        self.batch = batch.map_or(usize::MAX, |batch| batch.get() as usize);
        loop {
            self.look_patiently()?;
            let board = self.board()?;
            if !self.has_work_to_merge(board) && !self.has_leftovers()? {
                return Ok(Exit::Done);
            }
            if !self.integrate()? {
                let branch = self.board()?.integration_branch();
                let tip = self.read_tip(&branch)?.flatten();
                let last = tip.map(|tip| self.board()?.last_claim(tip)).transpose()?.unwrap_or_default();
                let by = last.claimant.map(|claimant| claimant.to_string());
                return Err(messages::integrated_by(by.as_deref()));
            }
        }
    }

    /// Claims the integration. Returns the branch of the claim and its commit, if this worker holds it.
    fn claim_integration(&mut self) -> Result<Option<(String, CommitId)>> {
        let branch = self.board()?.integration_branch();
        match self.claim(Target::Integration, false)? {
            Claimed::Held(_, on) => Ok(Some((branch, on))),
            Claimed::Not(Outcome::Refused) => Err(messages::refused(&branch, &self.said)),
            Claimed::Not(Outcome::Unreachable) => Err(messages::silent(&self.clone.branch, &self.said)),
            Claimed::Not(_) => Ok(None),
        }
    }

    /// Merges what is complete in the clone, with tests. Returns the tasks that could not be merged.
    fn merge_in_clone(&self) -> Result<Vec<FailedIntegration>> {
        let board = self.board()?;
        let mut room = self.batch;
        // What somebody else is working on again is not merged now, and what is left over was merged before.
        for (branch, tip) in &board.tips {
            let is_wanted = match board.leaf_of(branch) {
                Some(leaf) if board.is_merged(leaf) => false,
                Some(leaf) if !board.is_to_merge(leaf) => true,
                Some(leaf) if room > 0 && self.is_candidate(board, leaf) => {
                    room -= 1;
                    true
                }
                Some(_) => false,
                None => true,
            };
            if !is_wanted {
                board.session.git.delete_branch(branch, tip)?;
            }
        }
        if !self.has_work_to_merge(board) {
            return Ok(Vec::new());
        }
        let call = self.inner_call();
        let start = self.start(&call, board);
        Ok(merge_finished(start, &mut None)?.not_merged)
    }

    /// Pushes the merges of the clone, with the deletion of the branches that they contain and of the claim. Returns whether
    /// anything has changed.
    fn push_merges(&mut self, claim: &str, on: CommitId) -> Result<bool> {
        let board = self.board()?;
        let repository = &board.session.repository;
        let head = repository.tip_of(&self.clone.branch)?.unwrap_or(board.head);
        let mut updates = Vec::new();
        if head != board.head {
            updates.push(RefUpdate {
                branch: self.clone.branch.clone(),
                from: Some(board.head),
                to: Some(head),
            });
        }
        for (branch, tip) in &board.tips {
            let is_gone = branch != claim && repository.reaches(head, *tip)?;
            if is_gone || self.is_leftover(board, branch, *tip)? {
                updates.push(RefUpdate { branch: branch.clone(), from: Some(*tip), to: None });
            }
        }
        let has_changes = !updates.is_empty();
        updates.push(RefUpdate { branch: claim.to_owned(), from: Some(on), to: None });
        match self.push_all(&updates)? {
            PushAnswer::Moved => {
                if has_changes {
                    self.say(&format!("{} moved to {}", self.clone.branch, head.short()));
                }
                Ok(has_changes)
            }
            PushAnswer::Refused => {
                let said = std::mem::take(&mut self.said);
                self.give_integration_back(claim, on)?;
                Err(messages::merges_refused(&self.clone.branch, &said))
            }
            // Whatever has happened, the next look shows it.
            PushAnswer::Rejected | PushAnswer::Unclear => {
                self.give_integration_back(claim, on)?;
                Ok(true)
            }
        }
    }

    /// Gives the claim of the integration back, so that nobody has to wait until this worker is believed to be dead.
    fn give_integration_back(&mut self, claim: &str, on: CommitId) -> Result<()> {
        if self.push(claim, Some(on), None)? == PushAnswer::Refused {
            // Where nothing may be deleted, a claim by nobody does the same.
            let made = self.make_claim_of(&Claimant::nobody(), Target::Integration, on)?;
            self.push(claim, Some(on), Some(made))?;
        }
        Ok(())
    }

    /// Whether a task is complete, not merged, and nobody is working on it again.
    pub(super) fn is_candidate(&self, board: &Board, leaf: NodeIx) -> bool {
        if !board.is_to_merge(leaf) {
            return false;
        }
        let branch = board.branch_of(leaf);
        let Some(tip) = board.tips.get(&branch).copied() else { return false };
        // What cannot be read now is looked at again with the next look.
        let Ok(last) = board.last_claim(tip) else { return false };
        let is_free = |holder: &Claimant| holder.is_nobody() || *holder == self.claimant;
        !last.is_newest || last.claimant.as_ref().is_some_and(is_free) || self.is_still(&branch, tip)
    }

    /// Whether branches are left of workers that died after their task was merged.
    pub(super) fn has_leftovers(&self) -> Result<bool> {
        let board = self.board()?;
        for (branch, tip) in &board.tips {
            if self.is_leftover(board, branch, *tip)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a branch has nothing but claims, or is merged, and its task is merged.
    fn is_leftover(&self, board: &Board, branch: &str, tip: CommitId) -> Result<bool> {
        let Some(leaf) = board.leaf_of(branch) else { return Ok(false) };
        if !board.is_merged(leaf) {
            return Ok(false);
        }
        Ok(board.session.repository.reaches(board.head, tip)? || board.last_claim(tip)?.is_bare)
    }
}
