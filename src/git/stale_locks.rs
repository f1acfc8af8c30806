//! Finds the lock files of git that concern a run, and removes those that a dead program left behind.
//!
//! A git that is killed leaves its lock files behind, and the next one refuses to work. But a lock file does not say
//! who made it, and its age proves nothing: a commit that waits for an editor holds its lock for hours. So a lock file
//! is removed only if it was made while one of our programs was running that is dead now, and if no git works here and
//! no process has the file open. Where processes cannot be seen, or only those of a container, it must also stay for as
//! long as we wait for any lock file.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::WorkTree;
use super::traces::{Evidence, ProgramTraces};
use super::traces::{LOCK_TIMEOUT, POLL_INTERVAL};
use crate::error::{Error, Kind, Result};
use crate::files;
use crate::process::{OtherProcess, other_processes, sees_whole_machine};
use crate::text::advice;

/// Lock files in the common git directory that concern all work trees, although no commit needs them.
const SHARED: [&str; 3] = ["packed-refs.lock", "config.lock", "shallow.lock"];

/// The files of a git directory of which git makes lock files there. Locks of other programs are theirs alone.
const LOCKED: [&str; 14] = [
    "AUTO_MERGE",
    "BISECT_HEAD",
    "BISECT_LOG",
    "CHERRY_PICK_HEAD",
    "FETCH_HEAD",
    "HEAD",
    "MERGE_HEAD",
    "MERGE_RR",
    "ORIG_HEAD",
    "REBASE_HEAD",
    "REVERT_HEAD",
    "config.worktree",
    "gc.pid",
    "index",
];

/// A lock file.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct LockFile {
    /// Where it is.
    pub path: PathBuf,
    /// When it was created.
    pub made: SystemTime,
    inode: u64,
    makers: Makers,
    guards: Guards,
}

/// Which programs create lock files of this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Makers {
    /// Programs in this work tree.
    ThisWorkTree,
    /// Programs in any work tree of the repository.
    AnyWorkTree,
}

/// What a lock file prevents.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Guards {
    /// A commit on our branch.
    Commits,
    /// Something else.
    Other,
}

/// What is known about the owner of a lock file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// It is certainly dead.
    Dead,
    /// It is dead if the lock file is still there after the usual waiting time.
    DeadIfItStays,
    /// It may be alive.
    Unknown,
}

/// The work tree and the branch of a run. Only their lock files concern it, not those of other work trees and branches.
#[derive(Clone, Debug)]
pub struct LockScope<'a> {
    /// The work tree.
    pub work_tree: &'a WorkTree,
    /// The full name of the branch, if known.
    pub branch: Option<&'a str>,
}

impl LockScope<'_> {
    /// The lock files that are there now.
    #[must_use]
    pub fn files(&self) -> Vec<LockFile> {
        let WorkTree { git_dir, common_dir, .. } = self.work_tree;
        let mut found: Vec<LockFile> = locks_in(git_dir)
            .into_iter()
            .filter_map(|path| {
                let guards = if path.ends_with("index.lock") || path.ends_with("HEAD.lock") {
                    Guards::Commits
                } else {
                    Guards::Other
                };
                LockFile::at(path, Makers::ThisWorkTree, guards)
            })
            .collect();
        let of_everybody = |path, guards| LockFile::at(path, Makers::AnyWorkTree, guards);
        found.extend(SHARED.iter().filter_map(|name| of_everybody(common_dir.join(name), Guards::Other)));
        // In a repository with reftables, a linked work tree keeps its HEAD in its own tables.
        let tables = [git_dir, common_dir].map(|folder| folder.join("reftable/tables.list.lock"));
        let tables = tables.into_iter().take(if git_dir == common_dir { 1 } else { 2 });
        let branch = self.branch.map(|branch| common_dir.join(format!("{branch}.lock")));
        found.extend(tables.chain(branch).filter_map(|path| of_everybody(path, Guards::Commits)));
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// What is known about the owner of one of them.
    #[must_use]
    pub fn owner(&self, lock: &LockFile, traces: &ProgramTraces) -> Owner {
        let evidence = traces.evidence(lock.made);
        if evidence == Evidence::Nothing {
            return Owner::Unknown;
        }
        let Some(processes) = other_processes() else {
            return if evidence == Evidence::MadeByKilled { Owner::DeadIfItStays } else { Owner::Unknown };
        };
        let places = self.places_of(lock);
        if processes.iter().any(|process| may_hold(process, &lock.path, &places)) {
            Owner::Unknown
        } else if evidence == Evidence::MadeByKilled && sees_whole_machine() {
            Owner::Dead
        } else {
            Owner::DeadIfItStays
        }
    }

    /// Removes lock files whose owners are dead, and waits a little for the others to go away. Returns those that were
    /// removed.
    ///
    /// # Errors
    /// [`Kind::Busy`], naming a lock file that stays, or if `stopped` asks to end the wait.
    pub fn clear(&self, traces: &ProgramTraces, stopped: &dyn Fn() -> bool) -> Result<Vec<LockFile>> {
        let mut sweep = LockSweep::new(self, traces);
        loop {
            let mut left = sweep.remaining();
            left.retain(|(lock, owner)| *owner == Owner::DeadIfItStays || lock.guards == Guards::Commits);
            let waited = left.iter().find(|(lock, _)| sweep.waited_for(lock));
            match waited.or(left.first().filter(|_| stopped())) {
                Some((lock, _)) => return Err(busy(lock)),
                None if left.is_empty() => return Ok(sweep.removed),
                None => std::thread::sleep(POLL_INTERVAL),
            }
        }
    }

    /// Removes the lock files whose owners are dead, and leaves the others alone. Returns those that were removed.
    #[must_use]
    pub fn remove_dead(&self, traces: &ProgramTraces, stopped: &dyn Fn() -> bool) -> Vec<LockFile> {
        let mut sweep = LockSweep::new(self, traces);
        while sweep.remaining().iter().any(|(_, owner)| *owner == Owner::DeadIfItStays) && !stopped() {
            std::thread::sleep(POLL_INTERVAL);
        }
        sweep.removed
    }

    /// The folders of programs that may hold a lock file.
    fn places_of(&self, lock: &LockFile) -> Vec<PathBuf> {
        let WorkTree { top, git_dir, common_dir } = self.work_tree;
        let mut places = vec![top.clone(), git_dir.clone()];
        if lock.makers == Makers::AnyWorkTree {
            places.push(common_dir.clone());
            places.extend(common_dir.parent().filter(|_| common_dir.ends_with(".git")).map(Path::to_owned));
            places.extend(tops_of_linked_work_trees(common_dir));
        }
        places
    }
}

/// Checks the lock files repeatedly, and remembers how long each has been there.
struct LockSweep<'a> {
    scope: &'a LockScope<'a>,
    traces: &'a ProgramTraces,
    since: HashMap<LockFile, Instant>,
    removed: Vec<LockFile>,
}

impl<'a> LockSweep<'a> {
    fn new(scope: &'a LockScope<'a>, traces: &'a ProgramTraces) -> Self {
        Self { scope, traces, since: HashMap::new(), removed: Vec::new() }
    }

    /// Removes the lock files of dead programs, and returns the others with what is known about their owners.
    fn remaining(&mut self) -> Vec<(LockFile, Owner)> {
        let mut left = Vec::new();
        for lock in self.scope.files() {
            self.since.entry(lock.clone()).or_insert_with(Instant::now);
            let owner = self.scope.owner(&lock, self.traces);
            let dead = owner == Owner::Dead || owner == Owner::DeadIfItStays && self.waited_for(&lock);
            if dead && lock.remove().is_ok() {
                self.removed.push(lock);
            } else {
                // A lock file that cannot be removed is as much in the way as one that is held.
                left.push((lock, if dead { Owner::Unknown } else { owner }));
            }
        }
        left
    }

    /// Whether the waiting time for a lock file is over.
    fn waited_for(&self, lock: &LockFile) -> bool {
        self.since.get(lock).is_some_and(|since| since.elapsed() >= LOCK_TIMEOUT)
    }
}

impl LockFile {
    fn at(path: PathBuf, makers: Makers, guards: Guards) -> Option<Self> {
        let meta = path.symlink_metadata().ok()?;
        // Not every file system knows when a file was created, and any program can set the time of its last change.
        let changed = || {
            let seconds = u64::try_from(meta.ctime()).ok()?;
            Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
        };
        let made = meta.created().ok().or_else(changed)?;
        Some(Self { path, made, inode: meta.ino(), makers, guards })
    }

    /// Removes the lock file, unless another one has taken its place.
    ///
    /// # Errors
    /// If it is gone, or cannot be removed.
    pub fn remove(&self) -> std::io::Result<()> {
        if Self::at(self.path.clone(), self.makers, self.guards).as_ref() != Some(self) {
            return Err(std::io::ErrorKind::NotFound.into());
        }
        std::fs::remove_file(&self.path)
    }
}

/// Whether a process may hold a lock file that programs in these folders make. `git arborist` only waits for a program of
/// ours.
fn may_hold(process: &OtherProcess, lock: &Path, places: &[PathBuf]) -> bool {
    let name = process.name();
    let is_git = name == "git" || name.starts_with("git-") && !name.starts_with("git-arborist");
    process.has_open(lock) || is_git && process.may_work_in(places) && !process.has_argument("arborist")
}

fn locks_in(folder: &Path) -> Vec<PathBuf> {
    LOCKED.iter().map(|name| folder.join(format!("{name}.lock"))).collect()
}

/// The tops of the linked work trees of a repository, as its administrative files name them.
fn tops_of_linked_work_trees(common_dir: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(common_dir.join("worktrees")).into_iter().flatten().flatten();
    let top = |folder: PathBuf| {
        let named = files::read(&folder.join("gitdir"), files::SMALL).ok()?;
        let named = OsStr::from_bytes(named.trim_ascii_end());
        Some(folder.join(named).parent()?.to_owned())
    };
    entries.filter_map(|entry| top(entry.path())).collect()
}

fn busy(lock: &LockFile) -> Error {
    // If the clock was set back, the lock file seems new.
    let age = crate::text::duration(lock.made.elapsed().unwrap_or_default());
    Error::new(
        Kind::Busy,
        format!(
            "another program is using git here, or has died and left its lock file behind: {} ({age} old)",
            lock.path.display()
        ),
        format!(
            "Wait until that program has ended (an editor may be open), then run the same command again. If you are sure that no such \
         program is running, delete the file first; {} tells you what is known about it.",
            advice::doctor()
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work_tree(dir: &Path) -> WorkTree {
        let git_dir = dir.join(".git");
        std::fs::create_dir_all(git_dir.join("refs/heads/a")).unwrap();
        WorkTree { top: dir.to_owned(), git_dir: git_dir.clone(), common_dir: git_dir }
    }

    fn scope<'a>(work_tree: &'a WorkTree, branch: &'a str) -> LockScope<'a> {
        LockScope { work_tree, branch: Some(branch) }
    }

    #[test]
    fn lock_files_of_other_branches_work_trees_and_programs_are_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let main = work_tree(dir.path());
        let git_dir = main.git_dir.join("worktrees/two");
        std::fs::create_dir_all(&git_dir).unwrap();
        let two = WorkTree { top: dir.path().join("two"), git_dir: git_dir.clone(), ..main.clone() };
        let ours = ["HEAD.lock", "index.lock"];
        let shared = ["config.lock", "packed-refs.lock"];
        let branches = ["refs/heads/a/b.lock", "refs/heads/main.lock"];
        for name in ours.iter().chain(&shared).chain(&branches).chain(&["arborist.txt", "annex.lock"]) {
            std::fs::write(main.git_dir.join(name), "").unwrap();
        }
        for name in ours {
            std::fs::write(git_dir.join(name), "").unwrap();
        }
        let found = |scope: LockScope<'_>| -> Vec<String> {
            let names = scope.files().into_iter().map(|lock| lock.path);
            names.map(|path| path.strip_prefix(&main.git_dir).unwrap().display().to_string()).collect()
        };
        let expected = ["HEAD.lock", "config.lock", "index.lock", "packed-refs.lock", "refs/heads/main.lock"];
        assert_eq!(found(scope(&main, "refs/heads/main")), expected);
        let expected = [
            "config.lock",
            "packed-refs.lock",
            "refs/heads/a/b.lock",
            "worktrees/two/HEAD.lock",
            "worktrees/two/index.lock",
        ];
        assert_eq!(found(scope(&two, "refs/heads/a/b")), expected);
    }

    #[test]
    fn a_lock_is_dead_only_after_a_killed_run_of_ours_however_old_it_is() {
        let dir = tempfile::tempdir().unwrap();
        let tree = work_tree(dir.path());
        let path = tree.git_dir.join("index.lock");
        std::fs::write(&path, "").unwrap();
        let old = std::fs::File::options().write(true).open(&path).unwrap();
        old.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000)).unwrap();
        let scope = scope(&tree, "refs/heads/main");
        let lock = scope.files().remove(0);
        assert_eq!(scope.owner(&lock, &ProgramTraces::default()), Owner::Unknown);
        assert_eq!(scope.remove_dead(&ProgramTraces::default(), &|| false), []);
    }

    #[test]
    fn the_lock_of_a_killed_run_is_removed_and_its_successor_is_not() {
        let dir = tempfile::tempdir().unwrap();
        let tree = work_tree(dir.path());
        let scope = scope(&tree, "refs/heads/main");
        let path = tree.git_dir.join("index.lock");
        std::fs::write(&path, "").unwrap();
        let lock = scope.files().remove(0);
        std::fs::rename(&path, tree.git_dir.join("index")).unwrap();
        std::fs::write(&path, "").unwrap();
        assert!(lock.remove().is_err() && path.exists());
        let killed = ProgramTraces::of_killed_run(SystemTime::now());
        assert_eq!(scope.clear(&killed, &|| false).unwrap().len(), 1);
        assert!(!path.exists());
    }

    #[test]
    fn waiting_ends_when_a_stop_is_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let tree = work_tree(dir.path());
        std::fs::write(tree.git_dir.join("index.lock"), "").unwrap();
        let asked = std::cell::Cell::new(0);
        let stopped = || {
            asked.set(asked.get() + 1);
            true
        };
        let error = scope(&tree, "refs/heads/main").clear(&ProgramTraces::default(), &stopped).unwrap_err();
        assert_eq!((error.kind(), asked.get()), (Kind::Busy, 1), "{error}");
    }
}
