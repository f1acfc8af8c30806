//! Slots: linked work trees that are kept and used for one task after the other, so that several tasks can be worked on at
//! the same time (docs/parallel.md).
//!
//! A slot has a record like a scratch work tree, written before anything else is made. A slot that was being made or
//! prepared when its process was killed is made anew, because no work was done in it yet. One that is ready is never removed
//! with work in it.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::leftovers::{LOCKED_BY, TreePlace};
use super::record::{ScratchRecord, ScratchRecords};
use super::slots_left::{SlotLeft, name_of};
use super::{ScratchPrograms, Scratches};
use crate::error::{Error, Kind, Result};
use crate::git::{Git, NewLinkedTree, WorkTree};
use crate::process::{EnvChange, Launch};
use crate::record::CommitId;
use crate::text::advice;

/// The variable that tells the programs in a slot its number, so that their ports and databases can differ.
pub const SLOT_VARIABLE: &str = "ARBORIST_SLOT";

/// The slots of a repository.
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a> {
    /// How work trees are made and prepared here.
    pub scratches: &'a Scratches,
    /// The folder in which they are (`arborist.worktree.dir`); `None` for the usual one, beside the work tree.
    pub folder: Option<&'a Path>,
}

/// A slot that this process holds.
#[derive(Debug)]
pub struct Slot {
    /// Its number, from 0.
    pub number: u32,
    /// git, for this work tree.
    pub git: Git,
    /// The work tree.
    pub work_tree: WorkTree,
    pub(super) record: ScratchRecord,
    lock: Arc<File>,
    programs: ScratchPrograms,
    /// The folder that the user has named for slots.
    folder: Option<PathBuf>,
}

/// A slot of a repository that no other process can take as long as this exists.
#[derive(Debug)]
pub struct LockedSlot {
    /// git, for this work tree.
    pub git: Git,
    /// The work tree.
    pub work_tree: WorkTree,
    /// Whether it was made and prepared to the end. No work was done in one that was not.
    pub is_ready: bool,
    record: ScratchRecord,
    folder: Option<PathBuf>,
    _lock: Arc<File>,
}

impl Slots<'_> {
    /// Takes a slot. It is made with the files of a commit if there is none that is ready.
    ///
    /// # Errors
    /// [`Kind::Busy`] if another process holds it. [`Kind::Environment`] if its folder is in use for something else, or it
    /// cannot be made.
    pub fn take(&self, number: u32, commit: &CommitId) -> Result<Slot> {
        let Scratches { work_tree: WorkTree { common_dir, .. }, git, .. } = self.scratches;
        let records = ScratchRecords::of_slots(common_dir);
        let name = name_of(number);
        loop {
            let turn = records.turn()?;
            if let Some((record, lock)) = records.open(&turn, &name)? {
                drop(turn);
                match self.existing(number, &record, &lock) {
                    Some(slot) => return Ok(slot),
                    None => self.place_of(&record, self.named_folder().as_deref()).remove(None)?,
                }
                continue;
            }
            let place = self.place()?;
            let top = place.join(&name);
            if top.symlink_metadata().is_ok() {
                return Err(in_the_way(&top));
            }
            let Some((record, lock)) = records.make(&turn, &name, &top)? else { continue };
            let slot = self.slot(number, record, lock, top);
            let reason = &format!("{LOCKED_BY} kept for tasks; {} removes it", advice::doctor_fix());
            let folder = &slot.work_tree.top;
            let made = git.add_linked_tree(&NewLinkedTree { folder, commit, reason });
            drop(turn);
            let made = made.and_then(|()| self.fill(&slot));
            return match made {
                Ok(()) => Ok(slot),
                Err(error) => {
                    // What cannot be removed now is found by its record.
                    let _ = slot.remove();
                    Err(error)
                }
            };
        }
    }

    /// Fills a new slot with the files of its commit.
    fn fill(&self, slot: &Slot) -> Result<()> {
        let WorkTree { git_dir, common_dir, .. } = &slot.work_tree;
        if !git_dir.is_dir() {
            return Err(Error::new(
                Kind::Environment,
                format!("another work tree of this repository is named {}", slot.record.name),
                "Move it with `git worktree move` to a folder of another name, then run the same command again.",
            ));
        }
        slot.git.fill_linked_tree(git_dir)?;
        slot.git.fill_submodules(&common_dir.join("modules"))
    }

    /// The slot with this record, if it is ready and still there.
    fn existing(&self, number: u32, record: &ScratchRecord, lock: &Arc<File>) -> Option<Slot> {
        let top = record.tree()?;
        let slot = self.slot(number, record.clone(), Arc::clone(lock), top);
        (record.is_ready() && slot.place().is_ours()).then_some(slot)
    }

    fn slot(&self, number: u32, record: ScratchRecord, lock: Arc<File>, top: PathBuf) -> Slot {
        let Scratches { work_tree: WorkTree { common_dir, .. }, git, programs, .. } = self.scratches;
        let git_dir = common_dir.join("worktrees").join(&record.name);
        Slot {
            number,
            git: git.in_linked_tree(&top, &git_dir),
            work_tree: WorkTree { top, git_dir, common_dir: common_dir.clone() },
            record,
            lock,
            programs: programs.clone(),
            folder: self.named_folder(),
        }
    }

    /// The folder that the user has named, which is relative to the work tree, wherever the command was called.
    fn named_folder(&self) -> Option<PathBuf> {
        self.folder.map(|folder| self.scratches.work_tree.top.join(folder))
    }

    fn place_of<'p>(&'p self, record: &'p ScratchRecord, slot_folder: Option<&'p Path>) -> TreePlace<'p> {
        TreePlace { record, common_dir: &self.scratches.work_tree.common_dir, slot_folder }
    }

    fn place(&self) -> Result<PathBuf> {
        let Some(folder) = self.named_folder() else { return self.scratches.places.choose() };
        let place = self.scratches.places.only(&folder).choose()?;
        Ok(place.canonicalize().unwrap_or(place))
    }
}

impl Slot {
    /// What the programs in this slot have in common. They hold it for as long as they live.
    #[must_use]
    pub fn launch(&self) -> Launch {
        let mut launch = self.programs.launch(&self.work_tree, &self.record, &self.lock);
        launch.env.push(EnvChange::Set(SLOT_VARIABLE.into(), self.number.to_string().into()));
        launch
    }

    fn place(&self) -> TreePlace<'_> {
        let Self { record, work_tree, folder, .. } = self;
        TreePlace { record, common_dir: &work_tree.common_dir, slot_folder: folder.as_deref() }
    }

    /// Whether it was prepared once. No work was done in one that was not.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.record.is_ready()
    }

    /// Removes the slot with everything in it.
    ///
    /// # Errors
    /// [`Kind::Environment`], naming what could not be removed.
    pub fn remove(self) -> Result<()> {
        self.place().remove(None)
    }
}

impl LockedSlot {
    /// Locks a slot; `None` if it is gone. `git` and `work_tree` are those of any work tree of the repository, and `folder` is the
    /// one that the user has named for slots.
    ///
    /// # Errors
    /// [`Kind::Busy`] if it is in use.
    pub fn lock(
        git: &Git,
        work_tree: &WorkTree,
        folder: Option<&Path>,
        slot: &SlotLeft,
    ) -> Result<Option<Self>> {
        let common_dir = &work_tree.common_dir;
        let records = ScratchRecords::of_slots(common_dir);
        let turn = records.turn()?;
        let Some((record, lock)) = records.open(&turn, &slot.name())? else { return Ok(None) };
        let git_dir = common_dir.join("worktrees").join(&record.name);
        let (top, folder) = (slot.folder.clone(), folder.map(|folder| work_tree.top.join(folder)));
        let place = TreePlace { record: &record, common_dir, slot_folder: folder.as_deref() };
        Ok(Some(Self {
            git: git.in_linked_tree(&top, &git_dir),
            work_tree: WorkTree { top, git_dir, common_dir: common_dir.clone() },
            is_ready: record.is_ready() && place.is_ours(),
            record,
            folder,
            _lock: lock,
        }))
    }

    fn place(&self) -> TreePlace<'_> {
        let Self { record, work_tree, folder, .. } = self;
        TreePlace { record, common_dir: &work_tree.common_dir, slot_folder: folder.as_deref() }
    }

    /// Removes the slot with everything in it.
    ///
    /// # Errors
    /// [`Kind::Environment`], naming what could not be removed.
    pub fn remove(self) -> Result<()> {
        self.place().remove(None)
    }
}

fn in_the_way(folder: &Path) -> Error {
    Error::new(
        Kind::Environment,
        format!("{} exists, and is not a slot of this repository", folder.display()),
        "Move it away, or name another folder for slots with `git config arborist.worktree.dir FOLDER`; then run the same command \
         again.",
    )
}
