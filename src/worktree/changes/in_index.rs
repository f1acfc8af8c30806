//! What the index held when the work tree was read.

use std::collections::HashMap;

use super::WorktreeChanges;
use crate::git::{Entry, PathEntry};

impl WorktreeChanges {
    /// What the index held at these paths, given what HEAD holds there.
    #[must_use]
    pub fn in_index(&self, paths: &[Vec<u8>], head: &HashMap<Vec<u8>, Entry>) -> Vec<PathEntry> {
        let entry = |path: &Vec<u8>| match self.changes.get(path).filter(|state| state.is_staged()) {
            Some(state) => state.staged.clone(),
            None => head.get(path).cloned(),
        };
        paths.iter().map(|path| PathEntry { path: path.clone(), entry: entry(path) }).collect()
    }
}
