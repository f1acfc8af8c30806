//! Finds the slots of a repository by their records, without touching them.

use std::path::{Path, PathBuf};

use super::record::ScratchRecords;
use crate::git::WorkTree;

/// A slot that exists.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotLeft {
    /// Its number, from 0.
    pub number: u32,
    /// Its folder.
    pub folder: PathBuf,
}

/// The slots of a repository that exist, in the order of their numbers.
#[must_use]
pub fn slots_left(work_tree: &WorkTree) -> Vec<SlotLeft> {
    let all = ScratchRecords::of_slots(&work_tree.common_dir).all().into_iter();
    let mut left: Vec<SlotLeft> = all
        .filter_map(|record| {
            let number = record.name.strip_prefix("slot-")?.parse().ok()?;
            Some(SlotLeft { number, folder: record.tree()? })
        })
        .collect();
    left.sort_by_key(|slot| slot.number);
    left
}

/// Whether a work tree is a slot.
#[must_use]
pub fn is_slot(work_tree: &WorkTree) -> bool {
    let WorkTree { git_dir, common_dir, .. } = work_tree;
    let Some(name) = git_dir.file_name() else { return false };
    git_dir != common_dir && common_dir.join("arborist").join("slots").join(name).is_dir()
}

/// The git directory below which what the agents of a work tree print is kept. A slot is removed when its run ends, and what was printed
/// there is wanted afterwards.
#[must_use]
pub fn outputs_of(work_tree: &WorkTree) -> &Path {
    if is_slot(work_tree) { &work_tree.common_dir } else { &work_tree.git_dir }
}

impl SlotLeft {
    /// The name of its record, its folder and its git directory.
    pub(super) fn name(&self) -> String {
        name_of(self.number)
    }
}

/// The name of the record of a slot, of its folder and of its git directory.
pub(super) fn name_of(number: u32) -> String {
    format!("slot-{number}")
}
