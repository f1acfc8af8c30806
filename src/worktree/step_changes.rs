//! The changes of a step: the paths for its commit, and the obstacles to committing them.

use std::collections::HashSet;

use super::obstacle::Obstacle;
use crate::git::Selection;

/// The changes of a step: the paths for its commit, and the obstacles to committing them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// The paths for the commit, sorted.
    pub selection: Selection,
    /// Paths at which only the index differs from HEAD. The commit resets the index there, and changes no file.
    pub index_only: Selection,
    /// The paths that cannot be committed, with the reasons.
    pub obstacles: Vec<Obstacle>,
    /// Paths with changes of the user, which must not get into a commit, for messages.
    pub entangled: Vec<String>,
}

impl Changed {
    /// Separates the selected paths at which a commit would change nothing.
    pub(crate) fn set_apart(&mut self, unchanged: &HashSet<Vec<u8>>) {
        let is_unchanged = |path: &mut Vec<u8>| unchanged.contains(path);
        let Selection { there, gone } = &mut self.selection;
        self.index_only.there.extend(there.extract_if(.., is_unchanged));
        self.index_only.gone.extend(gone.extract_if(.., is_unchanged));
    }

    /// Whether a commit would change nothing, and there are no obstacles.
    pub(crate) fn is_empty(&self) -> bool {
        self.selection.len() == 0 && self.obstacles.is_empty()
    }
}
