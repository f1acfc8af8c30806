//! Files that were staged during an implement step and are not its work: ignored files of the user, and files of editors.

use super::state::{Assignment, Engine};
use super::unit::WorkUnit;
use crate::error::Result;
use crate::git::PathEntry;
use crate::text::{listed, show_path};
use crate::worktree::WorktreeChanges;
use crate::worktree::ignored_before::UNSTAGED;

impl Engine<'_> {
    /// Takes files out of the index, and names them, if git ignored them before the step and they have not changed
    /// since.
    ///
    /// # Errors
    /// If git cannot read the work tree or write the index.
    pub(super) fn unstage_ignored(&mut self, job: Assignment<'_>, unit: &WorkUnit) -> Result<()> {
        let Some(before) = unit.ignored_before() else { return Ok(()) };
        let unstaged = before.unstage(&self.context.git, &self.context.work_tree.top)?;
        if !unstaged.is_empty() {
            self.warn(&format!("{}: {UNSTAGED}: {}", job.task.id, listed(&unstaged)));
        }
        Ok(())
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
