//! Prepares slots: copies files into them and runs `arborist.worktree.setup`. That takes minutes where packages are installed,
//! so it can go on beside everything else.

use super::dependencies::lock_files;
use super::record::ScratchRecord;
use super::slots::{Slot, Slots};
use super::{INCLUDED, Scratches};
use crate::error::{Error, Result};
use crate::files;
use crate::git::WorkTree;
use crate::process::{Launch, LiveLine};

/// The preparation that a slot needs. It can be carried out in another thread.
#[derive(Debug)]
pub struct Preparation {
    scratches: Scratches,
    work_tree: WorkTree,
    launch: Launch,
    record: ScratchRecord,
    from: Vec<u8>,
}

impl Slots<'_> {
    /// The preparation that a slot needs; `None` if it was prepared from the same before: with the same settings, for the
    /// same packages.
    #[must_use]
    pub fn preparation(&self, slot: &Slot) -> Option<Preparation> {
        let from = self.prepared_from(slot);
        let is_needed = !slot.record.is_prepared_from(&from);
        is_needed.then(|| Preparation {
            scratches: self.scratches.clone(),
            work_tree: slot.work_tree.clone(),
            launch: slot.launch(),
            record: slot.record.clone(),
            from,
        })
    }

    /// What decides how a slot is prepared.
    fn prepared_from(&self, slot: &Slot) -> Vec<u8> {
        let Scratches { copy, setup, work_tree, .. } = self.scratches;
        let mut from = format!("{setup:?}\n{copy:?}\n").into_bytes();
        // Without this file, nothing more is copied.
        from.extend(files::read(&work_tree.top.join(INCLUDED), files::SMALL).unwrap_or_default());
        if setup.is_some() {
            for name in lock_files() {
                // One that is too large to be read counts as the same; its installation is then the agent's.
                if let Ok(content) = files::read(&slot.work_tree.top.join(name), files::LARGE) {
                    let digest = sha1_smol::Sha1::from(content).digest();
                    from.extend_from_slice(format!("{name} {digest}\n").as_bytes());
                }
            }
        }
        from
    }
}

impl Preparation {
    /// Carries it out. `live` shows the last line of what the command prints.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment) if something cannot be copied, or the command fails. The next
    /// preparation tries again.
    pub fn run(&self, live: &LiveLine) -> Result<()> {
        let Self { scratches, work_tree, launch, record, from } = self;
        scratches.prepare_tree(work_tree, launch, live)?;
        record.note_ready(from).map_err(|error| Error::not_written(work_tree.git_dir.display(), &error))
    }
}
