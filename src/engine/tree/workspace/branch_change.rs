//! Lets git change the work tree while the journal says whose changes these are.

use super::Workspace;
use crate::engine::tree::journal::BranchChange;
use crate::error::Result;
use crate::git::Git;
use crate::record::CommitId;

impl Workspace<'_> {
    /// A change that the journal notes while git makes it.
    pub(crate) fn change_to(&self, what: &str, merged: Option<CommitId>) -> BranchChange {
        let before = self.tree_changes.path_states();
        BranchChange { what: what.to_owned(), merged, before }
    }

    /// Lets git change the work tree. If git is killed halfway, the next run finds in the journal whose changes are there.
    ///
    /// # Errors
    /// Those of `act`; if the user has asked to stop, or the journal cannot be written.
    pub(crate) fn guarded<T>(
        &mut self,
        change: BranchChange,
        act: impl FnOnce(&Git) -> Result<T>,
    ) -> Result<T> {
        self.run.check_stop()?;
        self.journal.branch_change = Some(change);
        self.write_journal()?;
        let done = act(&self.run.git);
        self.journal.branch_change = None;
        self.write_journal()?;
        done
    }
}
