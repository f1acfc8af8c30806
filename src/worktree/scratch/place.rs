//! Where scratch work trees are made: outside of every work tree, on a disk from which programs can be started.

use std::ffi::OsString;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::git::WorkTree;

/// What the name of the folder beside a work tree ends with.
pub(super) const BESIDE: &str = ".arborist";

/// The folders in which scratch work trees may be made, the best one first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScratchPlaces {
    pub(super) places: Vec<PathBuf>,
    /// The top of the user's work tree, in which there must be none.
    pub(super) top: PathBuf,
}

/// Whether a place may be inside the work tree of another repository. It is an untracked folder there, for as long as it
/// exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OtherWorkTrees {
    Avoided,
    Allowed,
}

impl ScratchPlaces {
    /// Beside the work tree, in `NAME.arborist`: on the same disk, with the same rules for names and programs, and usually
    /// with enough space. If that is not possible, one of these folders, in which other users may write too.
    #[must_use]
    pub fn beside(work_tree: &WorkTree, others: impl IntoIterator<Item = PathBuf>) -> Self {
        let others = others.into_iter().filter(|folder| folder.is_absolute());
        let own = own_name();
        let places = beside(&work_tree.top).into_iter().chain(others.map(|folder| folder.join(&own)));
        Self { places: places.collect(), top: work_tree.top.clone() }
    }

    /// The same, with this folder as the only one.
    pub(super) fn only(&self, folder: &Path) -> Self {
        Self { places: vec![folder.to_owned()], top: self.top.clone() }
    }

    /// The first folder that can be used, if possible outside of all work trees. It exists, and only this user can write
    /// in it.
    ///
    /// # Errors
    /// [`Kind::Environment`], naming each folder and its obstacle.
    pub(super) fn choose(&self) -> Result<PathBuf> {
        let mut obstacles = Vec::new();
        for others in [OtherWorkTrees::Avoided, OtherWorkTrees::Allowed] {
            obstacles.clear();
            for place in &self.places {
                match self.make_usable(place, others) {
                    Ok(()) => return Ok(place.clone()),
                    Err(obstacle) => obstacles.push(format!("{}: {obstacle}", place.display())),
                }
            }
        }
        Err(Error::new(
            Kind::Environment,
            format!("no folder was found in which a clean checkout can be made:\n{}", obstacles.join("\n")),
            "Make one of them usable, or set TMPDIR to another folder, then run the same command again.",
        ))
    }
}

impl ScratchPlaces {
    /// Makes a folder usable, or says why it is not.
    fn make_usable(&self, place: &Path, others: OtherWorkTrees) -> std::result::Result<(), String> {
        let parent = place.parent().ok_or("it is the root")?;
        // The folder for caches may be missing.
        std::fs::create_dir_all(parent).map_err(|error| error.to_string())?;
        let parent = parent.canonicalize().map_err(|error| error.to_string())?;
        let outer = parent.ancestors().find(|folder| folder.join(".git").exists());
        // Programs that look for the top of their work tree would find the wrong one.
        let own = self.top.canonicalize();
        let is_refused =
            |outer: &Path| others == OtherWorkTrees::Avoided || own.as_ref().is_ok_and(|own| own == outer);
        if let Some(outer) = outer.filter(|outer| is_refused(outer)) {
            return Err(format!("it is in the work tree {}", outer.display()));
        }
        make_own(place)
    }
}

/// The name of the folder for scratch work trees where other users have theirs too.
pub(super) fn own_name() -> OsString {
    OsString::from(format!("git-arborist-{}", rustix::process::geteuid().as_raw()))
}

fn beside(top: &Path) -> Option<PathBuf> {
    let mut name = top.file_name()?.to_owned();
    name.push(BESIDE);
    Some(top.parent()?.join(name))
}

/// Makes a folder for this user alone, or says why it cannot be used.
fn make_own(place: &Path) -> std::result::Result<(), String> {
    // Only this user can read it: the repository may be private too.
    match std::fs::DirBuilder::new().mode(0o700).create(place) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(error.to_string()),
        _ => {}
    }
    let meta = place.symlink_metadata().map_err(|error| error.to_string())?;
    let is_ours = meta.is_dir() && meta.uid() == rustix::process::geteuid().as_raw();
    if !is_ours || meta.permissions().mode() & 0o022 != 0 {
        return Err("it is not a folder that only you can write to".to_owned());
    }
    if is_noexec(place) {
        // An empty folder does no harm.
        let _ = std::fs::remove_dir(place);
        return Err("no programs can be started from its disk (noexec)".to_owned());
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn is_noexec(place: &Path) -> bool {
    rustix::fs::statvfs(place).is_ok_and(|disk| disk.f_flag.contains(rustix::fs::StatVfsMountFlags::NOEXEC))
}

#[cfg(not(target_os = "linux"))]
fn is_noexec(_: &Path) -> bool {
    false
}
