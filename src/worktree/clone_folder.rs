//! Folders of clones that workers make for themselves: one for each process, removed when it ends, and by the next worker on
//! this machine if it was killed.
//!
//! `PLACE/arborist-work-NAME` has the clone in `clone`, its slots beside it, and `lock`, which the process holds for as
//! long as it lives. If the lock of such a folder is free, its worker is gone. A folder without a lock was kept on purpose.

use std::fs::{DirBuilder, File, TryLockError};
use std::io::{ErrorKind, Result as IoResult};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};

use super::holder::HolderEntry;
use crate::error::{Error, Result};
use crate::files::{self, Folder};

/// What the names of such folders begin with.
const START: &str = "arborist-work-";

/// The folder of a clone that this process holds: its own, or that of a worker that is gone.
#[derive(Debug)]
pub struct CloneFolder {
    folder: PathBuf,
    /// Its lock ends when it is closed.
    _lock: File,
}

impl CloneFolder {
    /// Makes a folder in this place, which is made too if it does not exist.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment) if it cannot be made.
    pub fn make(place: &Path, name: &str) -> Result<Self> {
        let folder = place.join(format!("{START}{name}"));
        let made = || -> IoResult<File> {
            std::fs::create_dir_all(place)?;
            // Only this user can read it: the repository may be private.
            DirBuilder::new().mode(0o700).create(&folder)?;
            let lock = files::open_own(&folder.join("lock"))?;
            // Another worker may look whether it is free at this moment. Without locks, the entry must be enough.
            let _ = lock.lock();
            HolderEntry::own("work").write(&lock)?;
            Ok(lock)
        };
        let made = made();
        made.map_err(|error| Error::not_written(folder.display(), &error))
            .map(|lock| Self { folder: folder.clone(), _lock: lock })
    }

    /// The folders in this place whose workers are gone, which nobody else can remove as long as the result exists. Those of
    /// other users, of other machines, and those that were kept are not among them.
    #[must_use]
    pub fn abandoned(place: &Path) -> Vec<Self> {
        let entries = std::fs::read_dir(place).into_iter().flatten().flatten();
        let is_ours = |path: &PathBuf| {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let own = rustix::process::geteuid().as_raw();
            name.starts_with(START)
                && path.symlink_metadata().is_ok_and(|meta| meta.is_dir() && meta.uid() == own)
        };
        let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_ours).collect();
        folders.sort();
        folders.into_iter().filter_map(Self::if_abandoned).collect()
    }

    fn if_abandoned(folder: PathBuf) -> Option<Self> {
        let path = folder.join("lock");
        // It must not be made here: a folder without it was kept.
        let lock = path.is_file().then(|| files::open_own(&path).ok()).flatten()?;
        let is_free = match lock.try_lock() {
            Ok(()) => true,
            Err(TryLockError::WouldBlock) => false,
            Err(TryLockError::Error(_)) => HolderEntry::read(&lock).is_provably_gone(),
        };
        let holder = HolderEntry::read(&lock);
        // On a file system that several machines share, a lock may hold on its own machine only.
        let is_of_here = holder.host.is_some() && holder.host == HolderEntry::own("work").host;
        (is_free && is_of_here).then_some(Self { folder, _lock: lock })
    }

    /// The folder of the clone itself.
    #[must_use]
    pub fn clone_folder(&self) -> PathBuf {
        self.folder.join("clone")
    }

    /// The folder beside the clone in which its slots are, unless `arborist.worktree.dir` names another.
    fn slots_folder(&self) -> PathBuf {
        self.clone_folder().with_extension("arborist")
    }

    /// Removes it with everything in it.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment) if something in it cannot be removed.
    pub fn remove(&self) -> Result<()> {
        // The lock is the last to go: if this process is killed, the next one goes on.
        remove(&self.clone_folder())?;
        self.remove_slots()?;
        remove(&self.folder)
    }

    /// Removes the slots with what is not committed there: where the disk is full, not even the claim can be given back.
    ///
    /// # Errors
    /// [`Kind::Environment`](crate::error::Kind::Environment) if something in them cannot be removed.
    pub fn remove_slots(&self) -> Result<()> {
        remove(&self.slots_folder())
    }

    /// Lets it stay: only the user will remove it.
    pub fn keep(&self) {
        // If that fails, the next worker finds it, and keeps it for the same reason.
        let _ = std::fs::remove_file(self.folder.join("lock"));
    }
}

fn remove(folder: &Path) -> Result<()> {
    let removed = Folder::around(folder).and_then(|(place, name)| place.remove_all(name));
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => {
            Err(Error::not_written(folder.display(), &error))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_folders_whose_worker_is_gone_are_abandoned() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("new/place");
        let make = |name| CloneFolder::make(&place, name).unwrap();
        let (alive, gone, kept, elsewhere) = (make("alive"), make("gone"), make("kept"), make("elsewhere"));
        kept.keep();
        let mut holder = HolderEntry::own("work");
        holder.host = Some("another".to_owned());
        holder.write(&elsewhere._lock).unwrap();
        let gone_folder = gone.folder.clone();
        std::fs::create_dir_all(gone.clone_folder().join(".git")).unwrap();
        drop((gone, kept, elsewhere));
        std::fs::create_dir(place.join("arborist-work-strange")).unwrap();
        std::fs::write(place.join("other"), "").unwrap();
        std::os::unix::fs::symlink(&gone_folder, place.join("arborist-work-link")).unwrap();

        let found = CloneFolder::abandoned(&place);
        let folders: Vec<&Path> = found.iter().map(|one| one.folder.as_path()).collect();
        assert_eq!(folders, [gone_folder.as_path()]);
        // No other worker finds it now.
        assert!(CloneFolder::abandoned(&place).is_empty());
        found[0].remove().unwrap();
        assert!(!gone_folder.exists());
        let mut left: Vec<String> = std::fs::read_dir(&place)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let work = ["alive", "elsewhere", "kept", "link", "strange"].map(|name| format!("{START}{name}"));
        assert_eq!(left[..5], work);
        alive.remove().unwrap();
        assert!(!place.join("arborist-work-alive").exists());
    }
}
