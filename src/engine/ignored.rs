//! Ignored files of the user that were staged during an implement step: they are not the work of the step.

use super::state::{Assignment, Engine};
use super::unit::WorkUnit;
use crate::error::Result;
use crate::text::listed;
use crate::worktree::ignored_before::UNSTAGED;

impl Engine<'_> {
    /// Takes the files out of the index that git ignored before the step and that nobody has changed since, and names them.
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
}
