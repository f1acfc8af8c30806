//! Takes a finished step whose commit was not made out of the index again: what the user commits next must not take it along
//! unseen.

use super::settle::FinishedStep;
use super::state::Engine;
use crate::error::Result;
use crate::git::Selection;
use crate::worktree::changes::WorktreeChanges;

impl Engine<'_> {
    /// Makes the index hold what it held before the step at the files of the step, or, if an earlier run has kept it, before
    /// this run: what the user has staged stays staged. Returns the files that git ignores. They stay staged, because
    /// nothing else would show them.
    ///
    /// # Errors
    /// If git cannot read the work tree or write the index.
    pub(super) fn unstage_step(&self, finished: &FinishedStep<'_>) -> Result<Vec<Vec<u8>>> {
        let git = &self.context.git;
        let journal = &self.workspace.journal;
        let before = match (&journal.pending, &journal.unit) {
            (None, Some(stored)) => &stored.unit.opened.tree_changes,
            _ => &self.workspace.tree_changes,
        };
        let paths: Vec<Vec<u8>> = finished.selection.paths().map(<[u8]>::to_vec).collect();
        let committed = git.entries(&finished.head.commit, &paths)?;
        git.set_index(&before.in_index(&paths, &committed))?;
        let (now, _) = WorktreeChanges::read(git, &self.context.work_tree.top)?;
        let mut ignored = finished.selection.there.clone();
        ignored.retain(|path| !now.has(path) && !committed.contains_key(path));
        git.stage(&Selection { there: ignored.clone(), gone: Vec::new() })?;
        Ok(ignored)
    }
}
