//! A slot that is looked at and perhaps removed, but in which nothing runs.

use std::fs::File;
use std::sync::Arc;

use super::leftovers;
use super::record::{Record, Records};
use super::slots::SlotLeft;
use crate::error::Result;
use crate::git::{Git, WorkTree};

/// A slot of a repository that nobody else can take as long as this exists.
#[derive(Debug)]
pub struct HeldSlot {
    /// git, for this work tree.
    pub git: Git,
    /// The work tree.
    pub work_tree: WorkTree,
    /// Whether it was made and prepared to the end. Nobody has worked in one that was not.
    pub is_ready: bool,
    record: Record,
    _lock: Arc<File>,
}

impl HeldSlot {
    /// Holds a slot; `None` if it is gone. `git` and `work_tree` are those of any work tree of the repository.
    ///
    /// # Errors
    /// [`Kind::Busy`](crate::error::Kind::Busy) if it is in use.
    pub fn hold(git: &Git, work_tree: &WorkTree, slot: &SlotLeft) -> Result<Option<Self>> {
        let common_dir = &work_tree.common_dir;
        let records = Records::of_slots(common_dir);
        let turn = records.turn()?;
        let Some((record, lock)) = records.open(&turn, &slot.name())? else { return Ok(None) };
        let git_dir = common_dir.join("worktrees").join(&record.name);
        let top = slot.folder.clone();
        let is_there = top.join(".git").is_file() && git_dir.is_dir();
        Ok(Some(Self {
            git: git.in_linked_tree(&top, &git_dir),
            work_tree: WorkTree { top, git_dir, common_dir: common_dir.clone() },
            is_ready: record.is_ready() && is_there,
            record,
            _lock: lock,
        }))
    }

    /// Removes the slot with everything in it.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment), naming what could not be removed.
    pub fn remove(self) -> Result<()> {
        leftovers::remove(&self.record, &self.work_tree.common_dir)
    }
}
