//! Names the files that tests, reviewers and hooks leave in the work tree. They stay uncommitted.

use super::state::Engine;
use crate::error::Result;
use crate::text::listed;
use crate::worktree::changes::WorktreeChanges;

impl Engine<'_> {
    /// Looks at the work tree after a program that ought to leave it unchanged. Its leftovers are named and stay
    /// uncommitted.
    pub(super) fn name_leftovers(&mut self, who: &str) -> Result<()> {
        let new = self.look_again()?;
        self.name_as_left(who, new);
        Ok(())
    }

    /// Names the leftovers of a program. Earlier changes still count as the user's own.
    pub(super) fn name_as_left(&mut self, who: &str, new: WorktreeChanges) {
        if !new.is_empty() {
            let paths = listed(&new.shown());
            self.warn(&format!("{who} left changes, which stay uncommitted: {paths}"));
        }
        self.workspace.foreign.tests.merge(new.apart_from(&self.workspace.foreign.users));
    }

    /// Looks at the work tree, and returns what has changed since the last look.
    pub(super) fn look_again(&mut self) -> Result<WorktreeChanges> {
        self.unstage_ignored()?;
        let (now, _) = WorktreeChanges::read(&self.context.git, &self.context.work_tree.top)?;
        let new = now.since(&self.workspace.tree_changes);
        self.workspace.tree_changes = now;
        Ok(new)
    }
}
