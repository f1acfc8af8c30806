//! Removes lock files of git that dead programs left behind, when a run begins and when it ends.

use crate::agents::{Cancel, CancelLevel};
use crate::error::Result;
use crate::git::{KilledPrograms, LockScope, ProgramTraces, WorkTree, await_git_of};
use crate::history::Repository;
use crate::run::journal::RunEntry;

/// The work tree whose lock files are examined.
#[derive(Clone, Copy)]
pub(crate) struct StaleLocks<'a> {
    /// The work tree; its lock is held by the caller.
    pub(crate) work_tree: &'a WorkTree,
    /// Its history.
    pub(crate) repository: &'a Repository,
    /// Tells whether the user has asked to stop, which ends all waiting.
    pub(crate) cancel: &'a Cancel,
}

impl StaleLocks<'_> {
    /// Removes the lock files that a killed run left behind, and waits until other programs remove theirs. Returns
    /// messages for the user.
    ///
    /// # Errors
    /// [`crate::error::Kind::Busy`], naming the program or the lock file that stays.
    pub(crate) fn of_killed_run(&self, killed: Option<&RunEntry>) -> Result<Vec<String>> {
        let stopped = || self.cancel.level() != CancelLevel::None;
        killed.map_or(Ok(()), |run| await_git_of(run.pid, &stopped))?;
        let traces =
            killed.map_or_else(ProgramTraces::default, |run| ProgramTraces::of_killed_run(run.began()));
        let removed = self.with_scope(|scope| scope.clear(&traces, &stopped))?;
        let by = killed.map_or(String::new(), |run| format!(", left by process {}", run.pid));
        Ok(removed.iter().map(|lock| format!("removed the stale lock {}{by}", lock.path.display())).collect())
    }

    /// Removes lock files of programs of this run that were killed or ran out of a resource. Returns messages for the
    /// user.
    pub(crate) fn of_this_run(
        &self,
        run: Option<&RunEntry>,
        killed_programs: &KilledPrograms,
    ) -> Vec<String> {
        let Some(run) = run else { return Vec::new() };
        let traces = ProgramTraces::of_this_run(run.began(), killed_programs);
        // A user who asks twice to stop does not want to wait.
        let stopped = || self.cancel.level() == CancelLevel::Now;
        let removed = self.with_scope(|scope| scope.remove_dead(&traces, &stopped));
        let words = |path| format!("removed the stale lock {path}, left by a program of this run");
        removed.iter().map(|lock| words(lock.path.display())).collect()
    }

    fn with_scope<T>(&self, look: impl FnOnce(&LockScope<'_>) -> T) -> T {
        let head = self.repository.branch().ok();
        look(&LockScope { work_tree: self.work_tree, branch: head.as_ref().map(|head| head.branch.as_str()) })
    }
}
