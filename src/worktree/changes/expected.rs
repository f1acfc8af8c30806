//! Leaves out files that are expected to be there and that are nobody's work.

use std::collections::HashSet;

use super::WorktreeChanges;
use crate::git::ChangeKind;

impl WorktreeChanges {
    /// The same without these files, as far as they are untracked.
    #[must_use]
    pub fn without_untracked(mut self, files: &HashSet<&[u8]>) -> Self {
        self.changes
            .retain(|path, state| state.kind != ChangeKind::Untracked || !files.contains(path.as_slice()));
        self
    }
}
