//! Checks after a runner, a reviewer or a test that settings, hooks, branch and plan are unchanged.

use super::context::RunContext;
use super::interrupted::changed_plan;
use super::plan_on_disk::{how_to_reveal, pathspec_words, uncommitted_files};
use super::state::Engine;
use crate::error::{Error, Kind, Result};
use crate::git::Head;
use crate::history::Cache;
use crate::record::Step;
use crate::worktree::changes::WorktreeChanges;
use crate::worktree::check_in_place;
use crate::worktree::guard::{BranchChange, check_branch, forged_since, who};
use crate::worktree::snapshot::{ChangedBy, SnapshotSource, StepFate};

impl Engine<'_> {
    /// Makes sure, after a runner or a test, that the branch and the plan have not changed.
    pub(super) fn check_after(&mut self, before: &Head, step: Step) -> Result<BranchChange> {
        let checked = self.compare_after(before, step).and_then(|change| {
            self.workspace.journal.note_unsettled_plan(self.context.repository);
            self.check_plan(step)?;
            self.workspace.journal.unsettled_plan = None;
            Ok(change)
        });
        if checked.is_err() {
            self.workspace.journal.note_unsettled_plan(self.context.repository);
        }
        checked
    }

    fn compare_after(&mut self, before: &Head, step: Step) -> Result<BranchChange> {
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
        check_branch(&self.context.git, self.context.repository, before, step)
            .inspect_err(|_| self.note_refused(before))
    }

    /// Makes sure that the plan was changed neither in a commit nor on disk.
    fn check_plan(&self, step: Step) -> Result<()> {
        let RunContext { git, plan, repository, work_tree, .. } = &self.context;
        let source = SnapshotSource { git, work_tree, repository };
        let during = format!("the {} step", step.word());
        if let Some(found) = self.workspace.journal.commit_with_plan(source)? {
            return Err(changed_plan(found, &during).stating("The step was not committed."));
        }
        if plan.is_unchanged() {
            return Ok(());
        }
        let head = repository.branch()?.commit;
        let (changes, _) = WorktreeChanges::read(git, &work_tree.top)?;
        let changed = uncommitted_files(git, &head, plan, &changes)?;
        let files = pathspec_words(&changed);
        let remedy = if changed.is_empty() {
            "No commit contains it. Look at it and correct it where necessary, because the next run uses it as it is then."
                .to_owned()
        } else {
            format!(
                "{}Look at it with `git diff HEAD -- {files}`, put it back with `git restore --source=HEAD --staged \
                 --worktree -- {files}` or commit it, and run the same command again.",
                how_to_reveal(git, &changed)?
            )
        };
        let what = format!("{} was changed during {during}", plan.shown);
        Err(Error::new(Kind::Unsafe, what, remedy).stating("The step was not committed."))
    }

    /// Records the commits for which the run stops, so that they do not count when it is started again.
    fn note_refused(&mut self, before: &Head) {
        // An error here does not matter: the reason for stopping is reported.
        let forged = forged_since(&self.context.git, self.context.repository, before).unwrap_or_default();
        self.workspace.journal.refused = forged.iter().map(ToString::to_string).collect();
        let _ = self.workspace.journal.write(&self.context.work_tree.git_dir);
    }
}
