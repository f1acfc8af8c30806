//! Checks after a runner, a reviewer or a test that settings, hooks, branch and plan are unchanged.

use super::state::Engine;
use crate::error::{Error, Kind, Result};
use crate::git::Head;
use crate::history::Cache;
use crate::record::Step;
use crate::text::pathspec_word;
use crate::worktree::check_in_place;
use crate::worktree::guard::{BranchChange, check_branch, forged_since, who};
use crate::worktree::snapshot::{ChangedBy, SnapshotSource, StepFate};

impl Engine<'_> {
    /// Makes sure, after a runner or a test, that the branch and the plan have not changed.
    pub(super) fn check_after(&mut self, before: &Head, step: Step) -> Result<BranchChange> {
        if let Some(stored) = &mut self.workspace.journal.unit {
            // Anything that is found now is reported now.
            stored.snapshot = None;
        }
        // The program that has just ended could have written to the cache of the history.
        Cache::of(&self.context.work_tree.common_dir).forget();
        let source = SnapshotSource {
            git: &self.context.git,
            work_tree: &self.context.work_tree,
            repository: self.context.repository,
        };
        let changed_by = ChangedBy { who: who(step), head: before, fate: StepFate::NotCommitted };
        for warning in self.workspace.snapshot.compare(source, changed_by)? {
            self.warn(&warning);
        }
        if let Some(lock) = &self.context.lock {
            check_in_place(&self.context.work_tree, lock, who(step))?;
        }
        self.refuse_unfinished(step)?;
        let watched = check_branch(&self.context.git, self.context.repository, before, step)
            .inspect_err(|_| self.note_refused(before))?;
        if self.context.plan.is_unchanged() {
            return Ok(watched);
        }
        let file = pathspec_word(&self.context.plan.shown);
        Err(Error::new(
            Kind::Unsafe,
            format!("{} was changed during the {} step", self.context.plan.shown, step.word()),
            format!(
                "The step was not committed. Look at it with `git diff HEAD -- {file}`, put it back with `git restore \
                 --source=HEAD --staged --worktree -- {file}` or commit it, and run the same command again."
            ),
        ))
    }

    /// Records the commits for which the run stops, so that they do not count when it is started again.
    fn note_refused(&mut self, before: &Head) {
        // An error here does not matter: the reason for stopping is reported.
        let forged = forged_since(&self.context.git, self.context.repository, before).unwrap_or_default();
        self.workspace.journal.refused = forged.iter().map(ToString::to_string).collect();
        let _ = self.workspace.journal.write(&self.context.work_tree.git_dir);
    }
}
