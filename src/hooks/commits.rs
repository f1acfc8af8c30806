//! The questions that the guard asks about a repository. Tests answer them from a graph in memory.

use crate::error::Result;
use crate::git::{Git, Message, Revisions};
use crate::record::CommitId;

/// A graph of commits.
pub trait CommitGraph {
    /// Passes every commit that `wanted` can reach and `unwanted` cannot to `each`, children before parents.
    ///
    /// # Errors
    /// If the commits cannot be read.
    fn between(
        &self,
        wanted: &[CommitId],
        unwanted: &[CommitId],
        each: &mut dyn FnMut(Message<'_>),
    ) -> Result<()>;
}

impl CommitGraph for Git {
    fn between(
        &self,
        wanted: &[CommitId],
        unwanted: &[CommitId],
        each: &mut dyn FnMut(Message<'_>),
    ) -> Result<()> {
        let wanted = wanted.iter().map(CommitId::to_string);
        let revisions = wanted.chain(unwanted.iter().map(|id| format!("^{id}"))).collect();
        self.each_message(&Revisions::new(revisions), each)
    }
}
