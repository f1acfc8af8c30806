//! Remembers the entries of the index at the time when the work tree was read.

use std::collections::HashMap;

use super::WorktreeChanges;
use crate::git::{Entry, PathEntry};

impl WorktreeChanges {
    /// The entries of the index at these paths, given those of HEAD.
    #[must_use]
    pub fn in_index(&self, paths: &[Vec<u8>], head: &HashMap<Vec<u8>, Entry>) -> Vec<PathEntry> {
        let entry = |path: &Vec<u8>| match self.changes.get(path).filter(|state| state.is_staged()) {
            Some(state) => state.staged.clone(),
            None => head.get(path).cloned(),
        };
        paths.iter().map(|path| PathEntry { path: path.clone(), entry: entry(path) }).collect()
    }
}
