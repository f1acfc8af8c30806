//! Removes lock files of git that our killed programs left behind, when a run begins and when it ends.

use std::time::SystemTime;

use crate::agents::{Cancel, CancelLevel};
use crate::error::Result;
use crate::git::{ClearedLocks, Git, LockScope, WorkTree, await_git_of};
use crate::history::Repository;
use crate::run::journal::RunEntry;

/// The work tree whose lock files are examined.
#[derive(Clone, Copy)]
pub(crate) struct StaleLocks<'a> {
    /// git, which knows the programs that were killed.
    pub(crate) git: &'a Git,
    /// The work tree; its lock is held by the caller.
    pub(crate) work_tree: &'a WorkTree,
    /// Its history.
    pub(crate) repository: &'a Repository,
    /// Tells whether the user has asked to stop, which ends all waiting.
    pub(crate) cancel: &'a Cancel,
}

impl StaleLocks<'_> {
    /// Removes the lock files that a killed run left behind, and waits until other programs remove theirs. The run did nothing
    /// more after `alive_until`. Returns messages for the user.
    ///
    /// # Errors
    /// [`crate::error::Kind::Busy`], naming the program or the lock file that stays.
    pub(crate) fn of_killed_run(
        &self,
        killed: Option<&RunEntry>,
        alive_until: Option<SystemTime>,
    ) -> Result<Vec<String>> {
        let stopped = || self.cancel.level() != CancelLevel::None;
        if let Some(run) = killed {
            await_git_of(run.pid, &stopped)?;
            self.git.killed_programs().note(run.began(), alive_until.unwrap_or_else(SystemTime::now));
        }
        let killed_programs = self.git.killed_programs();
        let ClearedLocks { removed, left } = self.with_scope(|scope| scope.clear(killed_programs, &stopped));
        if let Some(lock) = left {
            return Err(lock.busy());
        }
        let by = killed.map_or(String::new(), |run| format!(", left by process {}", run.pid));
        Ok(removed.iter().map(|lock| format!("removed the stale lock {}{by}", lock.path.display())).collect())
    }

    /// Removes lock files of programs of this run that were killed or ran out of a resource. Returns messages for the
    /// user.
    pub(crate) fn of_this_run(&self) -> Vec<String> {
        // A user who asks twice to stop does not want to wait.
        let stopped = || self.cancel.level() == CancelLevel::Now;
        let removed = self.with_scope(|scope| scope.remove_dead(self.git.killed_programs(), &stopped));
        let words = |path| format!("removed the stale lock {path}, left by a program of this run");
        removed.iter().map(|lock| words(lock.path.display())).collect()
    }

    fn with_scope<T>(&self, look: impl FnOnce(&LockScope<'_>) -> T) -> T {
        let head = self.repository.branch().ok();
        look(&LockScope { work_tree: self.work_tree, branch: head.as_ref().map(|head| head.branch.as_str()) })
    }
}
