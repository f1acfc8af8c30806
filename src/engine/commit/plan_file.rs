//! Commits a tree file that was just written, and nothing else.

use super::{Branch, commit};
use crate::error::Result;
use crate::git::{CommitRequest, Git, Selection, Staging, WorkTree};
use crate::history::Repository;
use crate::record::CommitId;
use crate::worktree::Lock;

/// A tree file to commit.
pub struct PlanFileCommit<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The work tree.
    pub work_tree: &'a WorkTree,
    /// Its history.
    pub repository: &'a Repository,
    /// The path of the file from the top.
    pub path: &'a str,
    /// The whole message.
    pub message: &'a str,
    /// The lock of the work tree.
    pub lock: &'a Lock,
}

impl PlanFileCommit<'_> {
    /// Makes the commit. `None` if the file is committed as it is.
    ///
    /// # Errors
    /// If a merge or the like is in progress, there is no commit yet, or git refuses.
    pub fn make(&self) -> Result<Option<CommitId>> {
        let Self { git, work_tree, repository, path, message, lock: _ } = *self;
        work_tree.check_nothing_in_progress()?;
        let head = repository.branch()?;
        let bytes = path.as_bytes().to_vec();
        let committed = git.entries(&head.commit, std::slice::from_ref(&bytes))?;
        if committed.contains_key(&bytes) && git.is_as_in(&head.commit, &bytes)? {
            return Ok(None);
        }
        let mut others = git.status()?;
        others.retain(|change| change.path != bytes);
        let request =
            CommitRequest { selection: &Selection::file(path), message, staging: Staging::of(&others) };
        commit(Branch { git, work_tree, repository, head: &head }, &request)
            .map(Some)
            .map_err(|failure| failure.error)
    }
}
