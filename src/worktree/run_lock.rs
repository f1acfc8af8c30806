//! One run per work tree: a lock in its git directory, which the operating system holds for as long as the run or its
//! agent lives.
//!
//! Everything that a run starts inherits the lock. So if a run was killed, its lock tells for certain whether anything
//! that it started is still running. No other run begins until the lock is free or its holder has been ended.

use std::fs::{File, Metadata, TryLockError};
use std::io::ErrorKind;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::holder::{HolderEntry, holder_of, lock_path};
use super::waiting::WaitNote;
use crate::error::{Error, Kind, Result};
use crate::files::Folder;
use crate::git::WorkTree;
use crate::process::{ProcessName, Swept, Tag, end_orphans};
use crate::text::{advice, listed};

/// How long the remaining processes of a killed run may take to end by themselves. A helper needs about a second.
const LEFTOVER_TIMEOUT: Duration = Duration::from_secs(4);
/// How long to wait for any holder: programs that only check whether the lock is free hold it for a moment.
const HOLDER_TIMEOUT: Duration = Duration::from_millis(200);
/// The time between two tries.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The lock. It is released when this is dropped, or when the process and everything that it started are gone.
#[derive(Debug)]
pub struct Lock {
    file: Option<Arc<File>>,
    /// The note that its holder waits for it, which is removed after the lock is released.
    waiting: Option<WaitNote>,
}

/// The tag by which the processes of a work tree can be found later.
#[must_use]
pub fn tag_of(work_tree: &WorkTree) -> Tag {
    Tag::of_folder(&work_tree.git_dir)
}

impl Lock {
    /// Takes the lock of a work tree for a command, at once or not at all. Remaining processes of a killed run are
    /// ended first. Also returns messages for the user. On a file system without locks, there is no lock, and a message
    /// says so.
    ///
    /// # Errors
    /// [`Kind::Busy`], naming the holder, if it is alive or cannot be ended.
    pub fn take(work_tree: &WorkTree, command: &str) -> Result<(Self, Vec<String>)> {
        refuse_links(work_tree)?;
        let path = lock_path(work_tree);
        let mut file = open(&path)?;
        let ended = match until_free(&mut file, work_tree) {
            Ok(swept) => named(&swept)?,
            Err(TryLockError::WouldBlock) => return Err(busy(&HolderEntry::read(&file), &path)),
            Err(TryLockError::Error(error)) => {
                let warning =
                    format!("{} cannot be locked ({error}): do not start a second run here", path.display());
                return Ok((Self { file: None, waiting: None }, vec![warning]));
            }
        };
        // The entry only informs the next command. The lock itself is what counts.
        let _ = HolderEntry::own(command).write(&file);
        Ok((Self { file: Some(Arc::new(file)), waiting: None }, ended))
    }

    /// The same for a holder that has waited for it.
    #[must_use]
    pub fn after_waiting(self, waiting: WaitNote) -> Self {
        let mut lock = self;
        lock.waiting = Some(waiting);
        lock
    }

    /// The locked file, which programs of the run hold open.
    #[must_use]
    pub fn file(&self) -> Option<Arc<File>> {
        self.file.clone()
    }
}

impl Drop for Lock {
    /// An empty file says that its last holder has left nothing behind.
    fn drop(&mut self) {
        if let Some(file) = &self.file {
            // Otherwise the next run would look for processes that do not exist.
            let _ = file.set_len(0);
        }
    }
}

/// The error that a command would get if it needed the lock of a work tree now; `None` if the lock is free. The lock is
/// not taken, so a run that begins at the same moment is not refused.
#[must_use]
pub fn who_is_at_work(work_tree: &WorkTree) -> Option<Error> {
    holder_of(work_tree).map(|holder| busy(&holder, &lock_path(work_tree)))
}

/// Makes sure that the file of the lock is still in place, because other programs can only see the run by it.
///
/// # Errors
/// [`Kind::Unsafe`] if the file was removed or replaced: another run may have begun here since.
pub(crate) fn check_in_place(work_tree: &WorkTree, lock: &File, who: &str) -> Result<()> {
    let path = lock_path(work_tree);
    let identity = |meta: Metadata| (meta.dev(), meta.ino());
    let (held, there) = (lock.metadata().map(identity), path.symlink_metadata().map(identity));
    if held.is_ok_and(|held| there.is_ok_and(|there| held == there)) {
        return Ok(());
    }
    Err(Error::new(
        Kind::Unsafe,
        format!("{}, the lock of this run, was removed or replaced while {who} was at work", path.display()),
        "The step was not committed. Make sure that no other run has begun here since, then run the same command again.",
    ))
}

/// Refuses a repository in which our folder leads elsewhere: two repositories would share a lock and a journal.
fn refuse_links(work_tree: &WorkTree) -> Result<()> {
    let folders = [&work_tree.git_dir, &work_tree.common_dir].map(|folder| folder.join("arborist"));
    let Some(link) = folders.into_iter().find(|folder| folder.is_symlink()) else { return Ok(()) };
    Err(Error::new(
        Kind::Environment,
        format!("{} is a link, but it must be a folder", link.display()),
        "Nothing was touched. Remove the link, then run the same command again.",
    ))
}

fn open(path: &Path) -> Result<File> {
    let git_dir = path.parent().and_then(Path::parent).expect("the lock is in our folder of a git directory");
    Folder::make_own(git_dir, "").and_then(|own| own.open_own("lock")).map_err(|error| {
        let remedy = match error.kind() {
            ErrorKind::InvalidInput => "Remove it",
            _ => "Make the git directory writable",
        };
        Error::new(
            Kind::Environment,
            format!("{} cannot be opened: {error}", path.display()),
            format!("Nothing was touched. {remedy}, then run the same command again."),
        )
    })
}

/// Locks the file. If the holder is dead, its remaining processes are given time to end, and are then ended.
fn until_free(file: &mut File, work_tree: &WorkTree) -> std::result::Result<Swept, TryLockError> {
    let mut ended = match try_for_a_while(file) {
        Err(TryLockError::WouldBlock) if HolderEntry::read(file).is_provably_gone() => {
            let swept = end_orphans(&tag_of(work_tree));
            try_for_a_while(file)?;
            swept
        }
        outcome => outcome.map(|()| Swept::default())?,
    };
    // A process that has closed all its files does not hold the lock. If the last holder has cleaned up, there is none.
    if !HolderEntry::read(file).is_nobody() {
        let swept = end_orphans(&tag_of(work_tree));
        ended.ended.extend(swept.ended);
        ended.survivors = swept.survivors;
    }
    Ok(ended)
}

/// Tries for a moment, or for longer if the holder is certainly dead.
fn try_for_a_while(file: &mut File) -> std::result::Result<(), TryLockError> {
    let began = Instant::now();
    loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if began.elapsed() < LEFTOVER_TIMEOUT => {
                let holder = HolderEntry::read(file);
                let may_live = !holder.is_provably_gone() && !holder.is_nobody();
                if may_live && began.elapsed() >= HOLDER_TIMEOUT {
                    return Err(TryLockError::WouldBlock);
                }
                std::thread::sleep(POLL_INTERVAL);
            }
            outcome => return outcome,
        }
    }
}

/// The messages about processes that were ended.
fn named(swept: &Swept) -> Result<Vec<String>> {
    match swept.survivors.first() {
        None => {
            let line = |process: &ProcessName| format!("ended {process}, left running by an earlier run");
            Ok(swept.ended.iter().map(line).collect())
        }
        Some(survivor) => {
            let ended: Vec<String> = swept.ended.iter().map(ToString::to_string).collect();
            let others = match &ended[..] {
                [] => String::new(),
                ended => format!("These were ended: {}. ", listed(ended)),
            };
            Err(Error::new(
                Kind::Busy,
                format!("{survivor} of an earlier run is still running here, and could not be ended"),
                format!("{others}No file was touched. End it, then run the same command again."),
            ))
        }
    }
}

fn busy(holder: &HolderEntry, path: &Path) -> Error {
    if holder.is_provably_gone() {
        return Error::new(
            Kind::Busy,
            format!("{} was killed, and something that it started is still running here", holder.shown),
            format!(
                "No file was touched. `fuser -v {}` tells which process that is: end it, then run the same command again.",
                path.display()
            ),
        );
    }
    let named = if holder.shown.is_empty() { String::new() } else { format!(": {}", holder.shown) };
    Error::new(
        Kind::Busy,
        format!("another run is active in this work tree{named}"),
        format!("Wait until it has ended, or stop it. {} shows its progress.", advice::status()),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Instance;
    use std::process::{Command, Stdio};
    use std::sync::atomic::{AtomicBool, Ordering};

    struct Place {
        dir: tempfile::TempDir,
        work_tree: WorkTree,
    }

    fn place() -> Place {
        let dir = tempfile::tempdir().unwrap();
        let at = || dir.path().to_owned();
        let work_tree = WorkTree { top: at(), git_dir: at(), common_dir: at() };
        Place { dir, work_tree }
    }

    /// Imitates a killed run: writes the entry of a process that has ended.
    fn kill(place: &Place, mut lock: Lock) -> File {
        let file = Arc::into_inner(lock.file.take().unwrap()).unwrap();
        let mut ended = Command::new("true").spawn().unwrap();
        ended.wait().unwrap();
        let mut gone = Instance::own();
        gone.pid = i32::try_from(ended.id()).unwrap();
        let content = format!("garden (process {})\n{}\n", gone.pid, serde_json::to_string(&gone).unwrap());
        std::fs::write(place.dir.path().join("arborist/lock"), content).unwrap();
        file
    }

    #[test]
    fn a_living_holder_is_named_and_the_lock_is_free_when_it_has_ended() {
        let place = place();
        let (lock, _) = Lock::take(&place.work_tree, "first").unwrap();
        let busy = Lock::take(&place.work_tree, "second").unwrap_err();
        assert!(busy.what().contains("first (process"), "{busy}");
        drop(lock);
        assert_eq!(std::fs::read(place.dir.path().join("arborist/lock")).unwrap(), b"");
        let (_lock, warnings) = Lock::take(&place.work_tree, "third").unwrap();
        assert_eq!(warnings, [""; 0]);
    }

    #[test]
    fn a_folder_of_ours_that_leads_elsewhere_is_refused() {
        let place = place();
        let elsewhere = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink(elsewhere.path(), place.dir.path().join("arborist")).unwrap();
        let refused = Lock::take(&place.work_tree, "first").unwrap_err();
        assert!(refused.what().contains("is a link"), "{refused}");
        assert_eq!(std::fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    }

    #[test]
    fn remaining_processes_of_a_dead_holder_are_waited_for() {
        let place = place();
        let (lock, _) = Lock::take(&place.work_tree, "first").unwrap();
        let held = kill(&place, lock);
        let mut child = Command::new("sleep").arg("0.3").stdin(Stdio::from(held)).spawn().unwrap();
        Lock::take(&place.work_tree, "second").unwrap();
        assert!(child.try_wait().unwrap().is_some());
    }

    #[test]
    fn the_lock_of_a_holder_that_may_live_elsewhere_is_not_waited_for() {
        let place = place();
        let (_lock, _) = Lock::take(&place.work_tree, "first").unwrap();
        std::fs::write(place.dir.path().join("arborist/lock"), "garden (process 1) in a container\n{}\n")
            .unwrap();
        let busy = Lock::take(&place.work_tree, "second").unwrap_err();
        assert!(
            busy.what().contains("another run is active") && busy.what().contains("a container"),
            "{busy}"
        );
    }

    #[test]
    fn a_process_that_holds_the_lock_of_a_dead_run_is_reported_even_if_it_cannot_be_found() {
        let place = place();
        let (lock, _) = Lock::take(&place.work_tree, "first").unwrap();
        let held = kill(&place, lock);
        let mut child = Command::new("sleep").arg("60").stdin(Stdio::from(held)).spawn().unwrap();
        let error = Lock::take(&place.work_tree, "second").unwrap_err();
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(error.what().contains("still running") && error.remedy().contains("fuser"), "{error}");
    }

    #[test]
    fn checking_whether_the_lock_is_free_keeps_no_run_from_starting() {
        let place = place();
        assert_eq!(who_is_at_work(&place.work_tree), None);
        assert!(!place.dir.path().join("arborist").exists(), "nothing was made");
        drop(Lock::take(&place.work_tree, "first").unwrap());
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    // The answer depends on who of the two is faster; only the lock of the other thread matters here.
                    let _ = who_is_at_work(&place.work_tree);
                }
            });
            let taken = (0..20).try_for_each(|_| {
                let mut file = open(&lock_path(&place.work_tree)).unwrap();
                try_for_a_while(&mut file)?;
                file.unlock().map_err(TryLockError::Error)
            });
            done.store(true, Ordering::Relaxed);
            taken.unwrap();
        });
        let (_lock, _) = Lock::take(&place.work_tree, "second").unwrap();
        assert!(who_is_at_work(&place.work_tree).unwrap().what().contains("second (process"));
    }
}
