//! Files that were staged or committed during a step and are not its work: ignored files of the user, and files of editors.

use super::state::{Assignment, Engine};
use super::unit::WorkUnit;
use crate::error::Result;
use crate::git::PathEntry;
use crate::history::{TreeComparison, changed_paths};
use crate::text::{listed, show_path};
use crate::worktree::WorktreeChanges;
use crate::worktree::guard::BranchChange;
use crate::worktree::ignored_before::UNSTAGED;

impl Engine<'_> {
    /// Takes files out of the index that git ignored before the step at work and that are unchanged since then, and names
    /// them.
    ///
    /// # Errors
    /// If git cannot read the work tree or write the index.
    pub(super) fn unstage_ignored(&mut self) -> Result<()> {
        let Some(stored) = &self.workspace.journal.unit else { return Ok(()) };
        let Some(before) = stored.unit.ignored_before() else { return Ok(()) };
        let unstaged = before.unstage(&self.context.git, &self.context.work_tree.top)?;
        if !unstaged.is_empty() {
            let sentence = format!("{}: {UNSTAGED}: {}", stored.unit.task, listed(&unstaged));
            self.warn(&sentence);
        }
        Ok(())
    }

    /// A sentence about the ignored files of the user that are in the commits which a runner made during a step, also while
    /// it was interrupted; `None` if there are none.
    ///
    /// # Errors
    /// If the commits cannot be compared.
    pub(super) fn committed_ignored(
        &self,
        unit: &WorkUnit,
        watched: &BranchChange,
    ) -> Result<Option<String>> {
        if watched.adopted.is_empty() {
            return Ok(None);
        }
        let (git, top) = (&self.context.git, &self.context.work_tree.top);
        let interrupted = self.workspace.journal.interrupted.as_ref();
        let before: Vec<_> = unit
            .ignored_before()
            .into_iter()
            .chain(interrupted.and_then(|step| step.ignored.as_ref()))
            .collect();
        let made = TreeComparison { commit: watched.head.commit, base: Some(unit.head.commit) };
        let mut paths = changed_paths(self.context.repository, &[made])?;
        paths.retain(|path| before.iter().any(|before| before.holds(top, path)));
        let known = git.entries(&unit.head.commit, &paths)?;
        let new: Vec<String> =
            paths.iter().filter(|path| !known.contains_key(*path)).map(|path| show_path(path)).collect();
        Ok((!new.is_empty()).then(|| {
            format!(
                "The runner has committed files that git ignores and that were there before: {}.",
                listed(&new)
            )
        }))
    }

    /// Takes the files of editors out of the index that were staged during the step, as `git add -A` does, and out of `after`.
    /// They stay on disk.
    ///
    /// # Errors
    /// If git cannot write the index.
    pub(super) fn unstage_editor_files(
        &mut self,
        job: Assignment<'_>,
        unit: &WorkUnit,
        after: &mut WorktreeChanges,
    ) -> Result<()> {
        let top = &self.context.work_tree.top;
        let staged = after.take_staged_editor_files(&unit.opened.tree_changes, top);
        if staged.is_empty() {
            return Ok(());
        }
        let shown: Vec<String> = staged.iter().map(|path| show_path(path)).collect();
        let entries: Vec<PathEntry> =
            staged.into_iter().map(|path| PathEntry { path, entry: None }).collect();
        self.context.git.set_index(&entries)?;
        self.warn(&format!(
            "{}: these files of an editor were staged during the step; they are taken out of the index again and stay on \
             disk: {}",
            job.task.id,
            listed(&shown)
        ));
        Ok(())
    }
}
