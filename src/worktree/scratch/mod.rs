//! Scratch work trees: linked work trees in which something is tried out and which are removed afterwards.
//!
//! They are outside of the user's work trees (see [`ScratchPlaces`]), on no branch, and leave no reference. A record is
//! written before anything else is made and removed after everything else is gone, so the next command finds and removes
//! what a killed one has left, and nothing else (see `record`). Each has a name, a lock and a mark for its processes of
//! its own, so several can be used at the same time.
//!
//! They have the files of a commit and nothing that git does not know, until they are prepared: then `arborist.worktree.copy`
//! copies ignored files into them, and `arborist.worktree.setup` runs.

mod copy;
mod dependencies;
mod file_times;
mod git_files;
mod leftovers;
mod place;
mod preparation;
#[cfg(test)]
mod proof_tests;
mod proof_tree;
mod record;
mod slots;
mod slots_left;
mod temporary;
#[cfg(test)]
mod tests;
mod untracked;

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use copy::Copying;
pub use dependencies::{ChangedPackages, DependencyListing, is_lock_file, packages_changed};
use leftovers::{Identity, LOCKED_BY, TreePlace};
pub use leftovers::{Leftovers, ScratchInUse, remove_leftovers};
pub use place::ScratchPlaces;
pub use preparation::Preparation;
pub use proof_tree::{Home, ProofTree, UsersTree};
use record::{ScratchRecord, ScratchRecords};
pub use slots::{LockedSlot, SLOT_VARIABLE, Slot, Slots};
pub use slots_left::{SlotLeft, is_slot, outputs_of, slots_left};

use crate::error::{Error, Kind, Result};
use crate::git::{Git, NewLinkedTree, WorkTree};
use crate::process::{
    Cancel, CancelLevel, EnvChange, ExitReason, GRACE, JobResult, Launch, LiveLine, Secrets, Tag,
};
use crate::record::CommitId;
use crate::sandbox::Sandbox;
use crate::text::one_line;

/// The file at the top of a repository that lists, in the form of `.gitignore`, the ignored files which further work trees
/// need. Other tools read it too.
const INCLUDED: &str = ".worktreeinclude";

/// How scratch work trees of a repository are made and prepared.
#[derive(Clone, Debug)]
pub struct Scratches {
    /// git, called at the top of the user's work tree.
    pub git: Git,
    /// The user's work tree.
    pub work_tree: WorkTree,
    /// Where they may be made.
    pub places: ScratchPlaces,
    /// Patterns of ignored files that are copied (`arborist.worktree.copy`).
    pub copy: Vec<String>,
    /// The command that prepares them (`arborist.worktree.setup`).
    pub setup: Option<String>,
    /// How long that command may take.
    pub setup_timeout: Duration,
    /// How its programs are run.
    pub programs: ScratchPrograms,
}

/// How programs are run in scratch work trees.
#[derive(Clone, Debug)]
pub struct ScratchPrograms {
    /// The shell that runs commands.
    pub shell: PathBuf,
    /// The environment variables that programs must not inherit.
    pub local_env: Vec<String>,
    /// Ends them.
    pub cancel: Cancel,
    /// What their output must not show.
    pub secrets: Secrets,
    /// The sandbox in which they run.
    pub sandbox: Option<Sandbox>,
}

/// A scratch work tree. It is removed when this is dropped; [`Scratch::remove`] also tells what could not be removed.
#[derive(Debug)]
pub struct Scratch {
    /// git, for this work tree.
    pub git: Git,
    /// The work tree.
    pub work_tree: WorkTree,
    record: ScratchRecord,
    lock: Arc<File>,
    programs: ScratchPrograms,
    /// Its folder, once it was made.
    made: Option<Identity>,
    is_removed: bool,
}

/// The marks of the programs that run in the scratch work trees and slots of a repository.
pub(super) fn tags_of_scratches(common_dir: &Path) -> Vec<Tag> {
    [ScratchRecords::of(common_dir), ScratchRecords::of_slots(common_dir)]
        .iter()
        .flat_map(ScratchRecords::tags)
        .collect()
}

impl Scratches {
    /// Makes a scratch work tree with the files of a commit. The purpose, in small letters and hyphens, becomes part of its name.
    /// What killed commands have left is removed first.
    ///
    /// # Errors
    /// If there is no place for it, or git fails.
    pub fn make(&self, purpose: &str, commit: &CommitId) -> Result<Scratch> {
        let WorkTree { common_dir, .. } = &self.work_tree;
        remove_leftovers(&self.work_tree)?;
        let records = ScratchRecords::of(common_dir);
        let scratch = {
            let turn = records.turn()?;
            let place = self.places.choose()?;
            let (record, lock, top) = loop {
                let name = new_name(purpose);
                let top = place.join(&name);
                if let Some((record, lock)) = records.make(&turn, &name, &top)? {
                    break (record, lock, top);
                }
            };
            let git_dir = common_dir.join("worktrees").join(&record.name);
            let mut scratch = Scratch {
                git: self.git.in_linked_tree(&top, &git_dir),
                work_tree: WorkTree { top, git_dir, common_dir: common_dir.clone() },
                record,
                lock,
                programs: self.programs.clone(),
                made: None,
                is_removed: false,
            };
            let reason = format!("{LOCKED_BY} in use by process {}", std::process::id());
            let folder = &scratch.work_tree.top;
            let added = self.git.add_linked_tree(&NewLinkedTree { folder, commit, reason: &reason });
            // The turn ends first: what was made before a failure is removed in another turn.
            drop(turn);
            scratch.made = scratch
                .work_tree
                .top
                .symlink_metadata()
                .ok()
                .filter(|_| added.is_ok())
                .as_ref()
                .map(Identity::of);
            added.map(|()| scratch)?
        };
        scratch.git.fill_linked_tree(&scratch.work_tree.git_dir)?;
        scratch.git.fill_submodules(&common_dir.join("modules"))?;
        Ok(scratch)
    }

    /// Prepares a scratch work tree as the user's settings say.
    ///
    /// # Errors
    /// [`Kind::Environment`] if the sandbox does not work, something cannot be copied, or the command fails. This says nothing about the commit.
    pub fn prepare(&self, scratch: &Scratch, live: &LiveLine) -> Result<()> {
        self.prepare_tree(&scratch.work_tree, &scratch.launch(), live)
    }

    /// The ignored files of the user's work tree that `.worktreeinclude` and `arborist.worktree.copy` name.
    fn ignored_to_copy(&self) -> Result<Vec<PathBuf>> {
        let mut paths = self.git.ignored_listed_in(INCLUDED)?;
        for pattern in &self.copy {
            paths.extend(self.git.ignored_matching(pattern)?);
        }
        Ok(paths)
    }

    /// The same for any linked work tree, with what programs in it have in common.
    fn prepare_tree(&self, work_tree: &WorkTree, launch: &Launch, live: &LiveLine) -> Result<()> {
        let ScratchPrograms { cancel, sandbox, .. } = &self.programs;
        if let Some(sandbox) = sandbox {
            sandbox.probe(work_tree, launch.clone())?;
        }
        let copying = Copying { from: &self.work_tree.top, to: &work_tree.top, cancel };
        for path in self.ignored_to_copy()? {
            copying.copy(&path).map_err(|error| not_copied(&path, &error, COPIED))?;
        }
        if cancel.level() != CancelLevel::None {
            // The copy may have stopped half way.
            return Err(Error::stopped(None, ""));
        }
        let Some(setup) = &self.setup else { return Ok(()) };
        let job = launch.clone().job(&self.programs.shell, self.setup_timeout);
        let result = job.args(["-c", setup]).live(live).run();
        match &result.exit_reason {
            ExitReason::Exited(0) => Ok(()),
            ExitReason::Cancelled => Err(Error::stopped(None, "")),
            _ => Err(setup_failed(setup, &result)),
        }
    }
}

impl ScratchPrograms {
    /// What the programs in a work tree with this record and lock have in common.
    fn launch(&self, work_tree: &WorkTree, record: &ScratchRecord, lock: &Arc<File>) -> Launch {
        let Self { local_env, cancel, secrets, sandbox, .. } = self.clone();
        Launch {
            directory: work_tree.top.clone(),
            tag: record.tag(),
            env: local_env.iter().map(|name| EnvChange::Remove(name.into())).collect(),
            grace: GRACE,
            cancel,
            secrets: Some(secrets),
            held: Some(Arc::clone(lock)),
            front: sandbox.map(|sandbox| sandbox.around_tests(work_tree)),
        }
    }
}

impl Scratch {
    /// What the programs in this work tree have in common. They hold it for as long as they live, also if this process is
    /// killed.
    #[must_use]
    pub fn launch(&self) -> Launch {
        self.programs.launch(&self.work_tree, &self.record, &self.lock)
    }

    /// Removes the work tree.
    ///
    /// # Errors
    /// [`Kind::Environment`], naming what could not be removed. The next command tries again.
    pub fn remove(mut self) -> Result<()> {
        self.is_removed = true;
        self.place().remove(self.made)
    }

    fn place(&self) -> TreePlace<'_> {
        TreePlace { record: &self.record, common_dir: &self.work_tree.common_dir, slot_folder: None }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if !self.is_removed {
            // The next command removes what is left.
            let _ = self.place().remove(self.made);
        }
    }
}

/// A name that no other scratch work tree of the repository has had: processes of other containers may have our number.
fn new_name(purpose: &str) -> String {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{purpose}-{}-{:x}", std::process::id(), now.as_nanos() & 0xffff_ffff)
}

/// What to do about files that cannot be copied.
const COPIED: &str = "Make room or correct arborist.worktree.copy, then run the same command again.";

fn not_copied(path: &Path, error: &std::io::Error, remedy: &str) -> Error {
    let what = format!("{} could not be copied into a clean checkout: {error}", path.display());
    Error::new(Kind::Environment, what, remedy)
}

fn setup_failed(setup: &str, result: &JobResult) -> Error {
    let last = result.last_line().map(|line| format!("; it printed {line:?}")).unwrap_or_default();
    Error::new(
        Kind::Environment,
        format!(
            "the command of arborist.worktree.setup, `{}`, failed: {}{last}",
            one_line(setup),
            result.exit_reason
        ),
        "It prepares clean checkouts, so nothing was judged. Correct it, then run the same command again.",
    )
}
