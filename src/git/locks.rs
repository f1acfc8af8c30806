//! Lock files of git: which are there, and which of them are provably dead.
//!
//! `kill -9` of git leaves them behind at half of all moments. One is dead if it is older than the last start of the
//! machine, or if it was made during a run of ours that was killed and no git process is at work here any more.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::{CALLER, SETTINGS, WorkTree};
use crate::error::{Error, Kind, Result};

/// How long we wait for somebody else's lock.
const PATIENCE: Duration = Duration::from_secs(10);
/// How often we look whether it is gone.
const LOOK: Duration = Duration::from_millis(100);

/// A lock file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockFile {
    /// Where it is.
    pub path: PathBuf,
    /// When it was made.
    pub made: SystemTime,
}

/// A run of ours that ended without its last words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KilledRun {
    /// Its process.
    pub pid: u32,
    /// When it began, in seconds since the epoch.
    pub since: i64,
}

/// What can be said of a lock file's owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// It is gone for certain.
    Dead,
    /// It may be alive.
    Unknown,
}

/// The lock files of a work tree and its branches.
#[must_use]
pub fn lock_files(work_tree: &WorkTree) -> Vec<LockFile> {
    let mut found = Vec::new();
    for folder in [&work_tree.git_dir, &work_tree.common_dir, &work_tree.common_dir.join("reftable")] {
        found.extend(locks_in(folder));
    }
    let mut folders = vec![work_tree.common_dir.join("refs").join("heads")];
    while let Some(folder) = folders.pop() {
        found.extend(locks_in(&folder));
        let entries = std::fs::read_dir(&folder).into_iter().flatten().flatten();
        folders.extend(
            entries
                .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
                .map(|entry| entry.path()),
        );
    }
    found.sort_by(|a, b| a.path.cmp(&b.path));
    found.dedup();
    found
}

fn locks_in(folder: &Path) -> Vec<LockFile> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let locks = entries.filter(|entry| entry.path().extension().is_some_and(|ending| ending == "lock"));
    let lock = |entry: std::fs::DirEntry| {
        let made = entry.metadata().ok()?.modified().ok()?;
        Some(LockFile { path: entry.path(), made })
    };
    locks.filter_map(lock).collect()
}

/// What can be said of the owner of a lock file; `killed` is the run of ours that was killed here, if there was one.
#[must_use]
pub fn owner(lock: &LockFile, work_tree: &WorkTree, killed: Option<KilledRun>) -> Owner {
    if started().is_some_and(|started| lock.made < started) {
        return Owner::Dead;
    }
    let Some(killed) = killed else { return Owner::Unknown };
    let began =
        u64::try_from(killed.since).map_or(UNIX_EPOCH, |since| UNIX_EPOCH + Duration::from_secs(since));
    let during = lock.made + Duration::from_secs(2) >= began;
    match git_at_work(work_tree) {
        Some(false) if during => Owner::Dead,
        _ => Owner::Unknown,
    }
}

/// Waits a little for a git that a killed run of ours started and that outlived it: it may be about to commit.
///
/// # Errors
/// [`Kind::Busy`], naming it, if it does not end.
pub fn await_git_of(killed: KilledRun) -> Result<()> {
    let waiting = Instant::now();
    while let Some(pid) = git_of(killed) {
        if waiting.elapsed() > PATIENCE {
            return Err(Error::new(
                Kind::Busy,
                format!("git (process {pid}), started by an earlier run, is still at work here"),
                "Nothing was touched. It may wait for a hook or for a program that signs: end it or let it end, then run \
                 the same command again.",
            ));
        }
        std::thread::sleep(LOOK);
    }
    Ok(())
}

/// A git that a run of ours called and that still works; none where processes cannot be looked at.
fn git_of(run: KilledRun) -> Option<String> {
    let mark = format!("{CALLER}={}", run.pid);
    let has = |file: PathBuf, wanted: &[u8]| {
        std::fs::read(file).is_ok_and(|bytes| bytes.split(|byte| *byte == 0).any(|word| word == wanted))
    };
    let calls = |process: &Path| {
        // What git starts by itself, hooks and daemons, inherits the variable, but not our settings as arguments.
        has(process.join("cmdline"), SETTINGS[0].as_bytes()) && has(process.join("environ"), mark.as_bytes())
    };
    let processes = std::fs::read_dir("/proc").ok()?.flatten();
    let numbered = processes.filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit());
    let found = numbered.map(|entry| entry.path()).find(|process| calls(process))?;
    Some(found.file_name()?.to_string_lossy().into_owned())
}

/// Removes the lock files that are dead, without waiting for any other. Gives back what was removed.
#[must_use]
pub fn remove_dead_locks(work_tree: &WorkTree, run: KilledRun) -> Vec<LockFile> {
    let mut dead = lock_files(work_tree);
    dead.retain(|lock| owner(lock, work_tree, Some(run)) == Owner::Dead);
    dead.retain(|lock| std::fs::remove_file(&lock.path).is_ok());
    dead
}

/// Removes dead lock files, and waits a little for the others to go away. Gives back what was removed.
///
/// # Errors
/// [`Kind::Busy`], naming a lock file that stays.
pub fn clear_locks(work_tree: &WorkTree, killed: Option<KilledRun>) -> Result<Vec<LockFile>> {
    let waiting = Instant::now();
    let mut removed = Vec::new();
    loop {
        let mut alive = None;
        for lock in lock_files(work_tree) {
            match owner(&lock, work_tree, killed) {
                Owner::Dead if std::fs::remove_file(&lock.path).is_ok() => removed.push(lock),
                _ => alive = Some(lock),
            }
        }
        let Some(lock) = alive else { return Ok(removed) };
        if waiting.elapsed() > PATIENCE {
            return Err(busy(&lock));
        }
        std::thread::sleep(LOOK);
    }
}

fn busy(lock: &LockFile) -> Error {
    let age = lock.made.elapsed().map_or(0, |age| age.as_secs());
    Error::new(
        Kind::Busy,
        format!(
            "another git process is at work here, or has left {} behind ({age} s old)",
            lock.path.display()
        ),
        "Nothing was touched. Wait until it has ended (an editor may be open), then run the same command again; `git \
         arborist doctor` shows what is known about it.",
    )
}

/// When the machine was started; `None` where that cannot be told.
fn started() -> Option<SystemTime> {
    let stat = std::fs::read_to_string("/proc/stat").ok()?;
    let seconds = stat.lines().find_map(|line| line.strip_prefix("btime "))?.trim().parse().ok()?;
    Some(UNIX_EPOCH + Duration::from_secs(seconds))
}

/// Whether a git process works in this work tree or git directory; `None` where processes cannot be looked at.
fn git_at_work(work_tree: &WorkTree) -> Option<bool> {
    let here = |folder: &Path| {
        [&work_tree.top, &work_tree.git_dir, &work_tree.common_dir]
            .iter()
            .any(|place| folder.starts_with(place))
    };
    let mut seen = false;
    for process in std::fs::read_dir("/proc").ok()?.flatten() {
        let path = process.path();
        let Ok(name) = std::fs::read_to_string(path.join("comm")) else { continue };
        seen = true;
        let is_git =
            name.trim_end() == "git" || (name.starts_with("git-") && !name.starts_with("git-arborist"));
        if !is_git || is_wrapper(&path) {
            continue;
        }
        match std::fs::read_link(path.join("cwd")) {
            Ok(folder) if here(&folder) => return Some(true),
            // Somebody else's git: it may be anywhere. One that has ended meanwhile is nowhere.
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return Some(true),
            _ => {}
        }
    }
    seen.then_some(false)
}

/// Whether a git process only waits for a command of ours, as the one does that was called `git arborist ...`.
fn is_wrapper(process: &Path) -> bool {
    let line = std::fs::read(process.join("cmdline")).unwrap_or_default();
    line.split(|byte| *byte == 0).any(|word| word == b"arborist")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work_tree(dir: &Path) -> WorkTree {
        let git_dir = dir.join(".git");
        std::fs::create_dir_all(git_dir.join("refs/heads/a")).unwrap();
        WorkTree { top: dir.to_owned(), git_dir: git_dir.clone(), common_dir: git_dir }
    }

    #[test]
    fn locks_of_index_head_and_branches_are_found_and_others_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let tree = work_tree(dir.path());
        for name in ["index.lock", "HEAD.lock", "refs/heads/main.lock", "refs/heads/a/b.lock", "arborist.txt"]
        {
            std::fs::write(tree.git_dir.join(name), "").unwrap();
        }
        let names: Vec<_> = lock_files(&tree).into_iter().map(|lock| lock.path).collect();
        let expected = ["HEAD.lock", "index.lock", "refs/heads/a/b.lock", "refs/heads/main.lock"];
        assert_eq!(names, expected.map(|name| tree.git_dir.join(name)));
    }

    #[test]
    fn a_lock_is_dead_only_after_a_killed_run_of_ours_or_a_restart_of_the_machine() {
        let dir = tempfile::tempdir().unwrap();
        let tree = work_tree(dir.path());
        let path = tree.git_dir.join("index.lock");
        std::fs::write(&path, "").unwrap();
        let lock = lock_files(&tree).remove(0);
        assert_eq!(owner(&lock, &tree, None), Owner::Unknown);
        let old = LockFile { made: UNIX_EPOCH + Duration::from_secs(1), ..lock.clone() };
        if started().is_some() {
            assert_eq!(owner(&old, &tree, None), Owner::Dead);
            let killed = Some(KilledRun { pid: 1, since: 1 });
            assert_eq!(owner(&lock, &tree, killed), Owner::Dead);
            assert_eq!(clear_locks(&tree, killed).unwrap(), [lock]);
            assert!(!path.exists());
        }
    }
}
