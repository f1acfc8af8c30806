//! What tests, reviewers and hooks leave in the work tree: it is named and stays uncommitted.

use super::state::Engine;
use crate::error::Result;
use crate::text::listed;
use crate::worktree::changes::WorktreeChanges;

impl Engine<'_> {
    /// Looks at the work tree after something that ought to leave it as it is: what it left behind is named, and stays
    /// uncommitted.
    pub(super) fn name_leftovers(&mut self, who: &str) -> Result<()> {
        let new = self.look_again()?;
        self.name_as_left(who, new);
        Ok(())
    }

    /// Names what something left behind. What the user had changed before stays the user's.
    pub(super) fn name_as_left(&mut self, who: &str, new: WorktreeChanges) {
        if !new.is_empty() {
            let paths = listed(&new.shown());
            self.warn(&format!("{who} left changes, which stay uncommitted: {paths}"));
        }
        self.workspace.foreign.tests.merge(new.apart_from(&self.workspace.foreign.users));
    }

    /// Looks at the work tree, and gives what is not as it was at the last look.
    pub(super) fn look_again(&mut self) -> Result<WorktreeChanges> {
        let (now, _) = WorktreeChanges::read(&self.context.git, &self.context.work_tree.top)?;
        let new = now.since(&self.workspace.tree_changes);
        self.workspace.tree_changes = now;
        Ok(new)
    }
}
