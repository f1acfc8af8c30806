//! Waits for lock files of git that concern a run, and removes those that our own killed programs left behind.
//!
//! A git that is killed leaves its lock files behind, and the next one refuses to work. A lock file does not say who made it, so
//! only one that was made while a program of ours ran that was killed is removed. Any other is waited for, and then named.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};

use super::WorkTree;
use super::killed::{KilledPrograms, LOCK_TIMEOUT, POLL_INTERVAL};
use crate::error::{Error, Kind};
use crate::text::shell_word;

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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LockFile {
    /// Where it is.
    pub path: PathBuf,
    /// When it was created.
    pub made: SystemTime,
    inode: u64,
    /// Whether programs in other work trees of the repository make lock files of this name, too.
    is_shared: bool,
    /// Whether it prevents a commit on our branch.
    prevents_commits: bool,
}

/// The work tree and the branch of a run. Only their lock files concern it, not those of other work trees and branches.
#[derive(Clone, Debug)]
pub struct LockScope<'a> {
    /// The work tree.
    pub work_tree: &'a WorkTree,
    /// The full name of the branch, if known.
    pub branch: Option<&'a str>,
}

/// What has become of lock files.
#[derive(Debug, Default)]
pub struct ClearedLocks {
    /// Those that were removed.
    pub removed: Vec<LockFile>,
    /// One that stays in the way of commits.
    pub left: Option<LockFile>,
}

impl LockScope<'_> {
    /// The lock files that are there now.
    #[must_use]
    pub fn files(&self) -> Vec<LockFile> {
        let WorkTree { git_dir, common_dir, .. } = self.work_tree;
        let own =
            LOCKED.map(|name| (git_dir.join(format!("{name}.lock")), name == "index" || name == "HEAD"));
        let mut found: Vec<LockFile> =
            own.into_iter().filter_map(|(path, prevents)| LockFile::at(path, false, prevents)).collect();
        found.extend(SHARED.iter().filter_map(|name| LockFile::at(common_dir.join(name), true, false)));
        // In a repository with reftables, a linked work tree keeps its HEAD in its own tables.
        let tables = [git_dir, common_dir].map(|folder| folder.join("reftable/tables.list.lock"));
        let tables = tables.into_iter().take(if git_dir == common_dir { 1 } else { 2 });
        let branch = self.branch.map(|branch| common_dir.join(format!("{branch}.lock")));
        found.extend(tables.chain(branch).filter_map(|path| LockFile::at(path, true, true)));
        found.sort_by(|a, b| a.path.cmp(&b.path));
        found
    }

    /// Removes the lock files of killed programs. Waits a little for others that are in the way of commits to go away, unless
    /// `stopped` asks to end the wait.
    #[must_use]
    pub fn clear(&self, killed: &KilledPrograms, stopped: &dyn Fn() -> bool) -> ClearedLocks {
        self.remove(killed, stopped, |lock| lock.prevents_commits)
    }

    /// Removes the lock files of killed programs, and returns them.
    #[must_use]
    pub fn remove_dead(&self, killed: &KilledPrograms, stopped: &dyn Fn() -> bool) -> Vec<LockFile> {
        self.remove(killed, stopped, |_| false).removed
    }

    fn remove(
        &self,
        killed: &KilledPrograms,
        stopped: &dyn Fn() -> bool,
        is_awaited: fn(&LockFile) -> bool,
    ) -> ClearedLocks {
        let began = Instant::now();
        let mut cleared = ClearedLocks::default();
        loop {
            let has_waited = began.elapsed() >= LOCK_TIMEOUT;
            let mut left = Vec::new();
            for lock in self.files() {
                let is_dead = killed.ran_at(lock.made);
                // A program in another work tree may have made one that all share. That one does not stay.
                let may_go = is_dead && (has_waited || !lock.is_shared);
                if may_go && lock.remove().is_ok() {
                    cleared.removed.push(lock);
                } else if is_dead || is_awaited(&lock) {
                    left.push(lock);
                }
            }
            if left.is_empty() || has_waited || stopped() {
                cleared.left = left.into_iter().find(|lock| lock.prevents_commits);
                return cleared;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}

impl LockFile {
    /// The one that git has named, if it is still there.
    pub(super) fn in_the_way(path: PathBuf) -> Option<Self> {
        Self::at(path, false, true)
    }

    fn at(path: PathBuf, is_shared: bool, prevents_commits: bool) -> Option<Self> {
        let meta = path.symlink_metadata().ok()?;
        // Not every file system knows when a file was created, and any program can set the time of its last change.
        let changed = || {
            let seconds = u64::try_from(meta.ctime()).ok()?;
            Some(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds))
        };
        let made = meta.created().ok().or_else(changed)?;
        Some(Self { path, made, inode: meta.ino(), is_shared, prevents_commits })
    }

    /// Its age, for messages.
    #[must_use]
    pub fn age(&self) -> String {
        // If the clock was set back, the lock file seems new.
        crate::text::duration(self.made.elapsed().unwrap_or_default())
    }

    /// Removes the lock file, unless another one has taken its place.
    ///
    /// # Errors
    /// If it is gone, or cannot be removed.
    pub fn remove(&self) -> std::io::Result<()> {
        if Self::at(self.path.clone(), self.is_shared, self.prevents_commits).as_ref() != Some(self) {
            return Err(std::io::ErrorKind::NotFound.into());
        }
        std::fs::remove_file(&self.path)
    }

    /// The error if it stays in the way.
    #[must_use]
    pub fn busy(&self) -> Error {
        // Nothing of git makes a folder there, but git takes one for a lock.
        let rm = if self.path.is_dir() { "rm -r" } else { "rm" };
        Error::new(
            Kind::Busy,
            format!(
                "another program is using git here, or has died and left its lock file behind: {} ({} old)",
                self.path.display(),
                self.age()
            ),
            format!(
                "Wait until that program has ended (an editor may be open), then run the same command again. If you are sure that no \
                 such program is running, `{rm} {}` removes it.",
                shell_word(&self.path.display().to_string())
            ),
        )
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

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
    fn only_a_lock_that_a_killed_program_may_have_made_is_removed_and_not_its_successor() {
        let dir = tempfile::tempdir().unwrap();
        let tree = work_tree(dir.path());
        let scope = scope(&tree, "refs/heads/main");
        let path = tree.git_dir.join("index.lock");
        std::fs::write(&path, "").unwrap();
        let lock = scope.files().remove(0);
        std::fs::rename(&path, tree.git_dir.join("index")).unwrap();
        std::fs::write(&path, "").unwrap();
        assert!(lock.remove().is_err() && path.exists());
        let (killed, now) = (KilledPrograms::default(), SystemTime::now());
        killed.note(now - Duration::from_secs(100), now - Duration::from_secs(50));
        let cleared = scope.clear(&killed, &|| true);
        assert!(cleared.removed.is_empty() && path.exists());
        let error = cleared.left.unwrap().busy();
        assert!(error.what().contains("index.lock") && error.remedy().contains("`rm "), "{error}");
        killed.clone().note(now - Duration::from_secs(10), now);
        let cleared = scope.clear(&killed, &|| false);
        assert_eq!((cleared.removed.len(), cleared.left), (1, None));
        assert!(!path.exists());
    }

    #[test]
    fn a_lock_that_all_work_trees_share_is_not_removed_before_its_time_even_if_a_stop_is_asked_for() {
        let dir = tempfile::tempdir().unwrap();
        let tree = work_tree(dir.path());
        let (own, shared) = (tree.git_dir.join("index.lock"), tree.common_dir.join("packed-refs.lock"));
        std::fs::write(&own, "").unwrap();
        std::fs::write(&shared, "").unwrap();
        let (killed, now) = (KilledPrograms::default(), SystemTime::now());
        killed.note(now - Duration::from_secs(10), now);
        let removed = scope(&tree, "refs/heads/main").remove_dead(&killed, &|| true);
        assert_eq!(removed.len(), 1);
        assert!(!own.exists() && shared.exists(), "a program in another work tree may hold it");
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
        let cleared = scope(&tree, "refs/heads/main").clear(&KilledPrograms::default(), &stopped);
        assert_eq!((cleared.left.is_some(), asked.get()), (true, 1));
    }
}
