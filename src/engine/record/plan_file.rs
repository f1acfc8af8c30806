//! Commits the files of a plan that were just written, and nothing else.

use crate::engine::commit::{Branch, commit};
use crate::error::Result;
use crate::git::{CommitRequest, Git, Selection, Staging, WorkTree};
use crate::history::Repository;
use crate::record::CommitId;
use crate::worktree::Lock;

/// Files of a plan to commit: the tree file, or its sources.
pub struct PlanFileCommit<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The work tree.
    pub work_tree: &'a WorkTree,
    /// Its history.
    pub repository: &'a Repository,
    /// The paths of the files from the top.
    pub paths: &'a [String],
    /// The whole message.
    pub message: &'a str,
    /// The lock of the work tree.
    pub lock: &'a Lock,
}

impl PlanFileCommit<'_> {
    /// Makes the commit. `None` if the files are committed as they are.
    ///
    /// # Errors
    /// If a merge or the like is in progress, there is no commit yet, or git refuses.
    pub fn make(&self) -> Result<Option<CommitId>> {
        let Self { git, work_tree, repository, paths, message, lock: _ } = *self;
        work_tree.check_nothing_in_progress()?;
        let head = repository.branch()?;
        let paths: Vec<Vec<u8>> = paths.iter().map(|path| path.as_bytes().to_vec()).collect();
        let committed = git.entries(&head.commit, &paths)?;
        let mut there = Vec::new();
        for path in paths {
            if !committed.contains_key(&path) || !git.is_as_in(&head.commit, &path)? {
                there.push(path);
            }
        }
        if there.is_empty() {
            return Ok(None);
        }
        let mut others = git.status()?;
        others.retain(|change| !there.contains(&change.path));
        let selection = Selection { there, gone: Vec::new() };
        let request =
            CommitRequest { selection: &selection, message, staging: Staging::of(&others), merges: None };
        commit(Branch { git, work_tree, repository, head: &head }, &request)
            .map(Some)
            .map_err(|failure| failure.error)
    }
}
