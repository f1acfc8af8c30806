//! What a step changed: the paths that its commit takes, and what stands in the way.

use std::collections::HashSet;

use super::obstacle::Obstacle;
use crate::git::Selection;

/// What a step changed: the paths that its commit takes, and what stands in the way.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    /// What the commit takes, sorted.
    pub selection: Selection,
    /// Where the index alone differs from HEAD: the commit brings the index into line there, and changes no file.
    pub index_only: Selection,
    /// What cannot be committed.
    pub obstacles: Vec<Obstacle>,
    /// Paths with changes of the user's own, which must not get into a commit, for people.
    pub entangled: Vec<String>,
}

impl Changed {
    /// Sets those of the selected paths apart at which a commit would change nothing.
    pub(crate) fn set_apart(&mut self, unchanged: &HashSet<Vec<u8>>) {
        let is_unchanged = |path: &mut Vec<u8>| unchanged.contains(path);
        let Selection { there, gone } = &mut self.selection;
        self.index_only.there.extend(there.extract_if(.., is_unchanged));
        self.index_only.gone.extend(gone.extract_if(.., is_unchanged));
    }

    /// Whether a commit of it would change nothing, and nothing is in its way.
    pub(crate) fn is_empty(&self) -> bool {
        self.selection.len() == 0 && self.obstacles.is_empty()
    }
}
