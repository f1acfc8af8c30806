//! The record of a scratch work tree, which is written before anything else is made: so whatever is left of one that was
//! killed can be found and removed.
//!
//! `arborist/scratch/NAME` in the common git directory has two entries: `lock`, which the process that made the work tree
//! holds together with every program that runs in it, and `folder`, which has the path of the work tree's folder. An agent can
//! write there too, so a record only says where to look (see `leftovers`).

use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::{ErrorKind, Result as IoResult};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::super::holder::HolderEntry;
use crate::error::{Error, Kind, Result};
use crate::files::{Folder, LARGE, SMALL};
use crate::process::{Tag, end_orphans};

/// The entry with the path of a work tree. It is a file and not a link, because some test runners look for tests everywhere
/// below the work tree, and follow links.
const TREE: &str = "folder";
/// The entry that the process holds which uses the work tree.
const LOCK: &str = "lock";
/// The entry that says from what a slot was prepared.
const READY: &str = "ready";
/// What the names of slots begin with.
const SLOT: &str = "slot-";

/// How long to wait for another process that makes or removes a scratch work tree. Git needs a moment for it.
const TURN_TIMEOUT: Duration = Duration::from_secs(60);
/// How long the programs of a killed process may take to end by themselves. A helper needs about a second.
const LEFTOVER_TIMEOUT: Duration = Duration::from_secs(4);
/// How long to wait for the holder of a lock that may only just have been released.
const START_TIMEOUT: Duration = Duration::from_millis(60);
/// The time between two tries.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The records of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ScratchRecords {
    common_dir: PathBuf,
    of: RecordKind,
}

/// What records are about. Each kind has its folder and its names, so that none can be taken for one of the other kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RecordKind {
    Scratch,
    Slot,
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
    records: ScratchRecords,
}

impl RecordKind {
    fn folder(self) -> &'static str {
        match self {
            Self::Scratch => "scratch",
            Self::Slot => "slots",
        }
    }

    /// Whether we give such names: `PURPOSE-PROCESS-HEX`, or `slot-NUMBER`.
    fn is_name(self, name: &str) -> bool {
        match self {
            Self::Slot => name.strip_prefix(SLOT).is_some_and(|number| number.parse::<u32>().is_ok()),
            Self::Scratch => {
                let mut parts = name.rsplitn(3, '-');
                let (hex, process, purpose) = (parts.next(), parts.next(), parts.next());
                hex.is_some_and(|hex| u32::from_str_radix(hex, 16).is_ok())
                    && process.is_some_and(|process| process.parse::<u32>().is_ok())
                    && purpose.is_some_and(|purpose| !purpose.is_empty())
            }
        }
    }
}

impl ScratchRecords {
    /// The records in a common git directory.
    pub(super) fn of(common_dir: &Path) -> Self {
        Self { common_dir: common_dir.to_owned(), of: RecordKind::Scratch }
    }

    /// The records of slots in a common git directory.
    pub(super) fn of_slots(common_dir: &Path) -> Self {
        Self { common_dir: common_dir.to_owned(), of: RecordKind::Slot }
    }

    fn path(&self) -> PathBuf {
        self.common_dir.join("arborist").join(self.of.folder())
    }

    fn folder(&self) -> IoResult<Folder> {
        Folder::own(&self.common_dir, self.of.folder())
    }

    fn record(&self, name: &str) -> ScratchRecord {
        ScratchRecord { name: name.to_owned(), records: self.clone() }
    }

    /// The marks of the processes that run in its work trees.
    pub(super) fn tags(&self) -> Vec<Tag> {
        self.all().iter().map(ScratchRecord::tag).collect()
    }

    /// The record with this name, whose lock this process then holds; `None` if there is none.
    ///
    /// # Errors
    /// [`Kind::Busy`] if another process holds it.
    pub(super) fn open(&self, _turn: &RecordTurn, name: &str) -> Result<Option<(ScratchRecord, Arc<File>)>> {
        let record = self.record(name);
        let lock = match record.folder().and_then(|folder| folder.open_own(LOCK)) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            lock => lock.map_err(|error| Error::not_written(record.path().display(), &error))?,
        };
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
        let path = self.path().join("turn");
        let file = Folder::make_own(&self.common_dir, self.of.folder())
            .and_then(|folder| folder.open_own("turn"))
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
                        "It makes or removes a clean checkout. `fuser -v` tells which process that is.",
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
        let record = self.record(name);
        let not_written = |error: &std::io::Error| Error::not_written(record.path().display(), error);
        let records = self.folder().map_err(|error| not_written(&error))?;
        if records.stat(name).is_ok() {
            return Ok(None);
        }
        let folder = records.make(Path::new(name), 0o700).map_err(|error| not_written(&error))?;
        let lock = folder.open_own(LOCK).map_err(|error| not_written(&error))?;
        // On a file system without locks, the entry in the file tells whether its holder is alive.
        let _ = lock.try_lock();
        HolderEntry::own(name)
            .write(&lock)
            .and_then(|()| folder.replace(TREE, tree.as_os_str().as_bytes()))
            .map_err(|error| not_written(&error))?;
        Ok(Some((record, Arc::new(lock))))
    }

    /// All records. What has another name or is no folder is none.
    pub(super) fn all(&self) -> Vec<ScratchRecord> {
        let Ok(folder) = self.folder() else { return Vec::new() };
        let names = folder.names().unwrap_or_default().into_iter();
        let names = names.filter(|name| folder.has_folder(name)).filter_map(|name| name.into_string().ok());
        names.filter(|name| self.of.is_name(name)).map(|name| self.record(&name)).collect()
    }
}

/// The name of the folder for temporary files of a work tree. It is short, because the path of a socket has at most 108
/// bytes.
pub(super) fn short_name(name: &str) -> String {
    let end = name.rsplit('-').next().unwrap_or(name);
    format!("arborist-{end}")
}

impl ScratchRecord {
    /// Its folder, for messages.
    pub(super) fn path(&self) -> PathBuf {
        self.records.path().join(&self.name)
    }

    fn folder(&self) -> IoResult<Folder> {
        self.records.folder()?.inner(Path::new(&self.name))
    }

    /// The folder of the work tree; `None` if the process was killed before it wrote it down, and so before it made
    /// anything there. Agents can write records too, so nothing is removed for what is noted there alone.
    pub(super) fn tree(&self) -> Option<PathBuf> {
        let tree = PathBuf::from(OsString::from_vec(self.folder().ok()?.read(TREE, SMALL).ok()?));
        let is_ours = tree.is_absolute() && tree.file_name().is_some_and(|name| name == self.name.as_str());
        is_ours.then_some(tree)
    }

    /// The mark of the processes that run in it. As for every work tree, it depends on the folder itself: a run of another
    /// container may use another repository at the same path.
    pub(super) fn tag(&self) -> Tag {
        Tag::of_folder(&self.path())
    }

    /// The command that uses it, for messages: this one, or one that is not known to have ended. `None` if it is not in use.
    pub(super) fn used_by(&self) -> Option<String> {
        let file = self.folder().and_then(|folder| folder.open_own(LOCK)).ok()?;
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
        let Ok(file) = self.folder().and_then(|folder| folder.open_own(LOCK)) else { return Vec::new() };
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
    pub(super) fn note_ready(&self, prepared_from: &[u8]) -> IoResult<()> {
        self.folder()?.replace(READY, prepared_from)
    }

    /// Whether it was prepared from the same.
    pub(super) fn is_prepared_from(&self, from: &[u8]) -> bool {
        self.folder().and_then(|folder| folder.read(READY, LARGE)).is_ok_and(|noted| noted == from)
    }

    /// Whether that was noted.
    pub(super) fn is_ready(&self) -> bool {
        self.folder().is_ok_and(|folder| folder.stat(READY).is_ok())
    }

    /// Removes the record, after everything else is gone. What else somebody has put there stays, and the record with it.
    pub(super) fn remove(&self) -> IoResult<()> {
        let folder = self.folder()?;
        [TREE, READY, LOCK].iter().try_for_each(|name| folder.remove_file(name))?;
        self.records.folder()?.remove_empty(&self.name)
    }
}
