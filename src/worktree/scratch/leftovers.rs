//! Removes scratch work trees: after use, and those that killed commands have left behind.

use std::ffi::OsStr;
use std::fs::Metadata;
use std::io::{ErrorKind, Result as IoResult};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::place::{BESIDE, own_name};
use super::record::{ScratchRecord, ScratchRecords};
use super::temporary::Temporary;
use crate::error::{Error, Kind, Result};
use crate::files::{Folder, SMALL};
use crate::git::WorkTree;
use crate::text::advice;

/// The beginning of the reason for which git keeps such a work tree.
pub(super) const LOCKED_BY: &str = "git-arborist:";
/// The folder of git's entries for linked work trees.
const WORK_TREES: &str = "worktrees";

/// A scratch work tree that a command uses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScratchInUse {
    /// Its folder.
    pub folder: PathBuf,
    /// The command, its process and the time since when it is in use.
    pub shown: String,
}

/// The scratch work trees of a repository, after those that are not used any more were removed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    /// The folders of those that were removed.
    pub removed: Vec<PathBuf>,
    /// Why others could not be removed.
    pub stuck: Vec<Error>,
    /// Those that are in use.
    pub in_use: Vec<ScratchInUse>,
}

/// Removes the scratch work trees that killed commands have left behind, and ends the programs that still run in them.
///
/// # Errors
/// If another process removes some at this moment and does not end.
pub fn remove_leftovers(work_tree: &WorkTree) -> Result<Leftovers> {
    let records = ScratchRecords::of(&work_tree.common_dir);
    let mut found = Leftovers::default();
    if records.all().is_empty() {
        return Ok(found);
    }
    // A record that is just being made seems to be unused.
    let unused: Vec<ScratchRecord> = {
        let _turn = records.turn()?;
        let mut unused = Vec::new();
        for record in records.all() {
            match record.used_by() {
                None => unused.push(record),
                Some(shown) => {
                    let folder = record.tree().unwrap_or_default();
                    found.in_use.push(ScratchInUse { folder, shown });
                }
            }
        }
        unused
    };
    for record in unused {
        let tree = record.tree();
        let survivors = record.end_programs();
        if let Some(survivor) = survivors.first() {
            found.stuck.push(Error::new(
                Kind::Environment,
                format!(
                    "{survivor}, which a killed command has left in a clean checkout, could not be ended"
                ),
                "End it, then run the same command again.",
            ));
            continue;
        }
        let place = TreePlace { record: &record, common_dir: &work_tree.common_dir, slot_folder: None };
        match place.remove(None) {
            Ok(()) => found.removed.extend(tree),
            Err(error) => found.stuck.push(error),
        }
    }
    Ok(found)
}

/// What tells a folder from every other one, whatever its name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    device: u64,
    inode: u64,
}

impl Identity {
    pub(super) fn of(meta: &Metadata) -> Self {
        Self { device: meta.dev(), inode: meta.ino() }
    }
}

/// Where a scratch work tree or a slot is.
#[derive(Clone, Copy)]
pub(super) struct TreePlace<'a> {
    pub(super) record: &'a ScratchRecord,
    pub(super) common_dir: &'a Path,
    /// The folder that the user has named for slots.
    pub(super) slot_folder: Option<&'a Path>,
}

impl TreePlace<'_> {
    /// Whether the folder that the record names is ours: git's entry leads to it, it leads back, and it is where we make such
    /// folders. An agent can write a record, but that alone says only where to look.
    pub(super) fn is_ours(&self) -> bool {
        let tree = self.record.tree();
        tree.is_some_and(|tree| self.place_of(&tree).is_ok_and(|place| self.has_in(&place)))
    }

    /// Removes the work tree: its folder, what git knows of it, and at the end its record. `made` is its folder if this process
    /// has made it.
    pub(super) fn remove(&self, made: Option<Identity>) -> Result<()> {
        let Self { record, common_dir, .. } = *self;
        let tree = record.tree();
        let removed = tree.as_deref().map_or(Ok(()), |tree| self.remove_tree(tree, made));
        Temporary::remove_of(record);
        let records = ScratchRecords::of(common_dir);
        let _turn = records.turn()?;
        removed?;
        let forgotten = self.forget(tree.as_deref()).and_then(|()| record.remove());
        forgotten.map_err(|error| not_removed(&record.path(), &error))
    }

    fn place_of(&self, tree: &Path) -> IoResult<Folder> {
        let place = tree.parent().ok_or(ErrorKind::InvalidInput)?;
        let (above, name) = Folder::around(place)?;
        above.inner(Path::new(name))
    }

    /// Git makes both links before it writes anything else. So without them there is at most an empty folder.
    fn remove_tree(&self, tree: &Path, made: Option<Identity>) -> Result<()> {
        let name = &self.record.name;
        let place = match self.place_of(tree) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            place => place.map_err(|error| not_removed(tree, &error))?,
        };
        if made.is_some() && identity_in(&place, name) == made || self.has_in(&place) {
            place.remove_all(name).map_err(|error| not_removed(tree, &error))?;
        } else if place.stat(name).is_ok() && place.remove_empty(name).is_err() {
            return Err(not_ours(self.record, tree));
        }
        if is_usual(place.path()) {
            // Another one may be there.
            let _ = Folder::around(place.path()).and_then(|(above, name)| above.remove_empty(name));
        }
        Ok(())
    }

    fn has_in(&self, place: &Folder) -> bool {
        let is_named = |folder: &Path| folder.canonicalize().is_ok_and(|folder| folder == place.path());
        let is_place = is_usual(place.path()) || self.slot_folder.is_some_and(is_named);
        is_place && self.is_linked(place).unwrap_or(false)
    }

    /// Whether git's entry leads to the folder, and the folder leads back.
    fn is_linked(&self, place: &Folder) -> IoResult<bool> {
        let name = Path::new(&self.record.name);
        let linked = Folder::open(self.common_dir)?.inner(Path::new(WORK_TREES))?;
        let (entry, tree) = (linked.inner(name)?, place.inner(name)?);
        let there = entry.path().join(path_in(&entry.read("gitdir", SMALL)?));
        let back = tree.read(".git", SMALL)?;
        let back = tree.path().join(path_in(back.strip_prefix(b"gitdir: ").unwrap_or_default()));
        let leads = |path: &Path, to: &Folder, name: &str| -> IoResult<bool> {
            Ok(Some(Identity::of(&path.metadata()?)) == identity_in(to, name))
        };
        let named = there.parent().unwrap_or(&there);
        Ok(there.ends_with(".git")
            && leads(named, place, &self.record.name)?
            && leads(&back, &linked, &self.record.name)?)
    }

    /// Removes what git knows of a work tree that is gone. If git was killed while it made the entry, that says nothing yet of where
    /// the work tree is, but why it is locked.
    fn forget(&self, tree: Option<&Path>) -> IoResult<()> {
        let name = &self.record.name;
        let common = Folder::open(self.common_dir)?;
        let linked = match common.inner(Path::new(WORK_TREES)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            linked => linked?,
        };
        if let Ok(entry) = linked.inner(Path::new(name)) {
            let is_ours = match entry.read("gitdir", SMALL) {
                Ok(link) => {
                    let named = entry.path().join(path_in(&link));
                    tree.is_some() && named.parent().map(real_path) == tree.map(real_path)
                }
                Err(_) => entry.read("locked", SMALL).is_ok_and(|why| why.starts_with(LOCKED_BY.as_bytes())),
            };
            if is_ours {
                linked.remove_all(name)?;
            } else {
                // Git may not have written anything yet.
                let _ = linked.remove_empty(name);
            }
        }
        // As git does it after the last one.
        let _ = common.remove_empty(WORK_TREES);
        Ok(())
    }
}

/// Whether it is a folder of the kind that [`ScratchPlaces`](super::ScratchPlaces) chooses.
fn is_usual(place: &Path) -> bool {
    let name = place.file_name().unwrap_or_default();
    name == own_name().as_os_str() || name.as_bytes().ends_with(BESIDE.as_bytes())
}

fn path_in(link: &[u8]) -> &Path {
    Path::new(OsStr::from_bytes(link.trim_ascii_end()))
}

fn identity_in(folder: &Folder, name: &str) -> Option<Identity> {
    let stat = folder.stat(name).ok()?;
    Some(Identity { device: stat.st_dev as _, inode: stat.st_ino as _ })
}

/// A path without links in the folders above it. The last part may be gone.
fn real_path(path: &Path) -> PathBuf {
    let folder = path.parent().and_then(|folder| folder.canonicalize().ok());
    folder.zip(path.file_name()).map_or_else(|| path.to_owned(), |(folder, name)| folder.join(name))
}

fn not_removed(path: &Path, error: &std::io::Error) -> Error {
    Error::new(
        Kind::Environment,
        format!("the clean checkout {} could not be removed: {error}", path.display()),
        format!("Remove it by hand; {} tells whether anything is left.", advice::doctor()),
    )
}

fn not_ours(record: &ScratchRecord, tree: &Path) -> Error {
    Error::new(
        Kind::Environment,
        format!(
            "{} was not removed: {} says that it is a clean checkout, but git does not know it as one",
            tree.display(),
            record.path().display()
        ),
        format!(
            "Nothing in it was touched. Look at it, and remove {} if it is none.",
            record.path().display()
        ),
    )
}
