//! Handles files of editors that somebody has staged: they do not belong to a step.

use std::path::Path;

use super::{PathChange, WorktreeChanges};
use crate::worktree::editors::EditorFile;

impl WorktreeChanges {
    /// Removes the files of editors that have been staged as new files since `before`, and returns their paths.
    pub(crate) fn take_staged_editor_files(&mut self, before: &Self, top: &Path) -> Vec<Vec<u8>> {
        let taken = |path: &Vec<u8>, state: &PathChange| {
            state.kind.is_new()
                && state.is_staged()
                && !before.is_staged(path)
                && EditorFile::at(top, path).is_some()
        };
        self.changes.extract_if(|path, state| taken(path, state)).map(|(path, _)| path).collect()
    }
}
