//! The record of a scratch work tree, which is written before anything else is made: so whatever is left of one that was
//! killed can be found and removed.
//!
//! `arborist/scratch/NAME` in the common git directory has two entries: `lock`, which the process that made the work tree
//! holds together with every program that runs in it, and `folder`, which has the path of the work tree's folder.

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::holder::HolderEntry;
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::process::{Tag, end_orphans};

/// The entries with the paths of a work tree and of its folder for temporary files. They are files and not links, because
/// some test runners look for tests everywhere below the work tree, and follow links.
const TREE: &str = "folder";
const TEMPORARY: &str = "temporary";

/// How long to wait for another process that makes or removes a scratch work tree. Git needs a moment for it.
const TURN_TIMEOUT: Duration = Duration::from_secs(60);
/// How long the programs of a killed process may take to end by themselves. A helper needs about a second.
const LEFTOVER_TIMEOUT: Duration = Duration::from_secs(4);
/// How long to wait for the holder of a lock that may only just have been released.
const START_TIMEOUT: Duration = Duration::from_millis(60);
/// The time between two tries.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The records of a repository.
#[derive(Clone, Debug)]
pub(super) struct ScratchRecords {
    folder: PathBuf,
}

/// The right to make and remove records, which one process has at a time.
pub(super) struct RecordTurn {
    /// Its lock ends when it is closed.
    _file: File,
}

/// The record of one scratch work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScratchRecord {
    /// Its name, which is also that of its folder and of its git directory.
    pub(super) name: String,
    folder: PathBuf,
}

impl ScratchRecords {
    /// The records in a common git directory.
    pub(super) fn of(common_dir: &Path) -> Self {
        Self { folder: common_dir.join("arborist").join("scratch") }
    }

    /// The records of slots in a common git directory.
    pub(super) fn of_slots(common_dir: &Path) -> Self {
        Self { folder: common_dir.join("arborist").join("slots") }
    }

    /// The marks of the processes that run in its work trees.
    pub(super) fn tags(&self) -> Vec<Tag> {
        let names = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let record = |name: String| ScratchRecord { folder: self.folder.join(&name), name };
        names.map(|entry| record(entry.file_name().to_string_lossy().into_owned()).tag()).collect()
    }

    /// The record with this name, whose lock this process then holds; `None` if there is none.
    ///
    /// # Errors
    /// [`Kind::Busy`] if another process holds it.
    pub(super) fn open(&self, _turn: &RecordTurn, name: &str) -> Result<Option<(ScratchRecord, Arc<File>)>> {
        let record = ScratchRecord { name: name.to_owned(), folder: self.folder.join(name) };
        if !record.folder.is_dir() {
            return Ok(None);
        }
        let lock = files::open_own(&record.lock())
            .map_err(|error| Error::not_written(record.folder.display(), &error))?;
        if let Some(shown) = record.used_by() {
            return Err(Error::new(
                Kind::Busy,
                format!("{name} is in use: {shown}"),
                "Wait until it has ended, or stop it.",
            ));
        }
        if !record.is_ready() {
            // What a killed process has left running would write into the next work tree of this name.
            record.end_programs();
        }
        // Without locks on this file system, the entry in the file tells whether its holder is alive.
        let _ = lock.try_lock();
        // The entry only informs others.
        let _ = HolderEntry::own(name).write(&lock);
        Ok(Some((record, Arc::new(lock))))
    }

    /// Waits for the right to make and remove records, which lasts until the result is dropped.
    ///
    /// # Errors
    /// [`Kind::Environment`] if the folder cannot be written, [`Kind::Busy`] if another process keeps it.
    pub(super) fn turn(&self) -> Result<RecordTurn> {
        let path = self.folder.join("turn");
        let file = std::fs::create_dir_all(&self.folder)
            .and_then(|()| files::open_own(&path))
            .map_err(|error| Error::not_written(path.display(), &error))?;
        let until = Instant::now() + TURN_TIMEOUT;
        loop {
            match file.try_lock() {
                // Without locks, names that nobody else has must be enough.
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(RecordTurn { _file: file }),
                Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(POLL_INTERVAL),
                Err(TryLockError::WouldBlock) => {
                    return Err(Error::new(
                        Kind::Busy,
                        format!("another process has been holding {} for a minute", path.display()),
                        "It makes or removes a scratch work tree. `fuser -v` tells which process that is.",
                    ));
                }
            }
        }
    }

    /// Makes the record of a new scratch work tree, and holds its lock. `None` if there is one with this name.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn make(
        &self,
        _turn: &RecordTurn,
        name: &str,
        tree: &Path,
    ) -> Result<Option<(ScratchRecord, Arc<File>)>> {
        let record = ScratchRecord { name: name.to_owned(), folder: self.folder.join(name) };
        let not_written = |error: &std::io::Error| Error::not_written(record.folder.display(), error);
        match std::fs::create_dir(&record.folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(None),
            made => made.map_err(|error| not_written(&error))?,
        }
        let lock = files::open_own(&record.lock()).map_err(|error| not_written(&error))?;
        // On a file system without locks, the entry in the file tells whether its holder is alive.
        let _ = lock.try_lock();
        HolderEntry::own(name)
            .write(&lock)
            .and_then(|()| files::replace(&record.folder.join(TREE), tree.as_os_str().as_bytes()))
            .map_err(|error| not_written(&error))?;
        Ok(Some((record, Arc::new(lock))))
    }

    /// All records.
    pub(super) fn all(&self) -> Vec<ScratchRecord> {
        let entries = std::fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut records: Vec<ScratchRecord> = entries
            .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter_map(|entry| {
                let name = entry.file_name().into_string().ok()?;
                Some(ScratchRecord { name, folder: entry.path() })
            })
            .collect();
        records.sort_by(|one, other| one.name.cmp(&other.name));
        records
    }
}

/// The name of the folder for temporary files of a work tree. It is short, because the path of a socket has at most 108
/// bytes.
pub(super) fn short_name(name: &str) -> String {
    let end = name.rsplit('-').next().unwrap_or(name);
    format!("arborist-{end}")
}

impl ScratchRecord {
    /// The folder of the work tree; `None` if the process was killed before it wrote it down, and so before it made
    /// anything there. Only a folder with the name of the record counts, because agents can write records too.
    pub(super) fn tree(&self) -> Option<PathBuf> {
        let tree = self.noted(TREE)?;
        let is_ours = tree.is_absolute() && tree.file_name().is_some_and(|name| name == self.name.as_str());
        is_ours.then_some(tree)
    }

    /// The mark of the processes that run in it. As for every work tree, it depends on the folder itself: a run of another
    /// container may use another repository at the same path.
    pub(super) fn tag(&self) -> Tag {
        Tag::of_folder(&self.folder)
    }

    /// The command that uses it, for messages: this one, or one that is not known to have ended. `None` if it is not in use.
    pub(super) fn used_by(&self) -> Option<String> {
        let file = files::open_own(&self.lock()).ok()?;
        // A program that is being started holds all files of its parent for a moment, even after they were closed there.
        let until = Instant::now() + START_TIMEOUT;
        loop {
            let holder = HolderEntry::read(&file);
            match file.try_lock_shared() {
                Ok(()) => return None,
                Err(_) if holder.is_provably_gone() => return None,
                Err(_) if Instant::now() >= until => return Some(holder.shown),
                Err(_) => std::thread::sleep(POLL_INTERVAL),
            }
        }
    }

    /// Ends the programs that a killed process has left running in it. The caller knows that it is not in use.
    pub(super) fn end_programs(&self) -> Vec<String> {
        let Ok(file) = files::open_own(&self.lock()) else { return Vec::new() };
        let until = Instant::now() + LEFTOVER_TIMEOUT;
        while matches!(file.try_lock(), Err(TryLockError::WouldBlock)) && Instant::now() < until {
            std::thread::sleep(POLL_INTERVAL);
        }
        end_orphans(&self.tag()).survivors.iter().map(ToString::to_string).collect()
    }

    /// Notes that the work tree is complete and prepared, and from what.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn note_ready(&self, prepared_from: &[u8]) -> std::io::Result<()> {
        files::replace(&self.folder.join("ready"), prepared_from)
    }

    /// Whether it was prepared from the same.
    pub(super) fn is_prepared_from(&self, from: &[u8]) -> bool {
        files::read(&self.folder.join("ready"), files::LARGE).is_ok_and(|noted| noted == from)
    }

    /// Whether that was noted.
    pub(super) fn is_ready(&self) -> bool {
        self.folder.join("ready").is_file()
    }

    /// Removes the record, after everything else is gone.
    pub(super) fn remove(&self) -> std::io::Result<()> {
        super::remove::remove_folder(&self.folder)
    }

    /// Notes the folder for temporary files that belongs to the work tree, before it is made.
    ///
    /// # Errors
    /// If it cannot be written.
    pub(super) fn note_temporary(&self, folder: &Path) -> std::io::Result<()> {
        files::replace(&self.folder.join(TEMPORARY), folder.as_os_str().as_bytes())
    }

    /// That folder, if there is one. As for [`ScratchRecord::tree`], only a folder with the name of the record counts.
    pub(super) fn temporary(&self) -> Option<PathBuf> {
        let folder = self.noted(TEMPORARY)?;
        let is_ours =
            folder.is_absolute() && folder.file_name().is_some_and(|name| *name == *short_name(&self.name));
        is_ours.then_some(folder)
    }

    fn lock(&self) -> PathBuf {
        self.folder.join("lock")
    }

    /// A path that was noted under this name. Version 0.1 wrote a link.
    fn noted(&self, name: &str) -> Option<PathBuf> {
        let place = self.folder.join(name);
        let link = || std::fs::read_link(&place).ok();
        link().or_else(|| Some(PathBuf::from(OsString::from_vec(files::read(&place, files::SMALL).ok()?))))
    }
}
