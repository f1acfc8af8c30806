//! The repository of a snapshot.

use crate::git::{Git, WorkTree};
use crate::history::Repository;

/// The repository that a snapshot is taken of.
#[derive(Clone, Copy)]
pub(crate) struct SnapshotSource<'a> {
    /// git, called at the top of the work tree.
    pub(crate) git: &'a Git,
    /// The work tree.
    pub(crate) work_tree: &'a WorkTree,
    /// Its history.
    pub(crate) repository: &'a Repository,
}
