//! Reads the head of the branch and single commits, as every step needs them, without starting a program if possible.

use std::collections::HashSet;

use super::raw::ObjectId;
use super::repository::Repository;
use super::source::{Source, read_commit};
use crate::error::{Error, Kind, Result};
use crate::git::Head;
use crate::record::{CommitId, IdPrefix};

/// A commit by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// Its parents, in its own order.
    pub parents: Vec<CommitId>,
    /// The committer date, in seconds since the epoch.
    pub time: i64,
    /// Its whole message, as it is stored, or in UTF-8 if that is in ISO-8859-1.
    pub message: Vec<u8>,
}

impl Repository {
    /// The branch that `HEAD` names, and its newest commit.
    ///
    /// # Errors
    /// [`Kind::Repository`] on a detached `HEAD`, on a branch without commits, and on a broken one.
    pub fn branch(&self) -> Result<Head> {
        let (branch, commit) = self.read_with(|source| Ok((source.branch()?, source.head()?)))?;
        let Some(branch) = branch else {
            return Err(Error::new(
                Kind::Repository,
                "HEAD is detached: commits made here would belong to no branch",
                "Create a branch with `git switch -c NAME`, then run the same command again.",
            ));
        };
        let Some(commit) = commit else {
            return Err(Error::new(
                Kind::Repository,
                format!(
                    "the branch {} has no commits yet",
                    branch.strip_prefix("refs/heads/").unwrap_or(&branch)
                ),
                "Commit the plan first: `git add -A && git commit -m \"Add the plan\"`.",
            ));
        };
        Ok(Head { branch, commit })
    }

    /// The branches, the tags, the stash, saved work and replacements of objects by their full names, and the object
    /// that each names: a commit, or an annotated tag.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn references(&self) -> Result<Vec<(String, ObjectId)>> {
        const NAMES: [&str; 6] =
            ["refs/heads/", "refs/tags/", "refs/stash", "refs/arborist", "refs/arborist/", "refs/replace/"];
        self.read_with(|source| source.references(&NAMES))
    }

    /// The branches of other repositories as they were fetched last, by their full names, and the object that each names.
    ///
    /// # Errors
    /// If they cannot be listed.
    pub fn remote_branches(&self) -> Result<Vec<(String, ObjectId)>> {
        self.read_with(|source| source.references(&["refs/remotes/"]))
    }

    /// One commit.
    ///
    /// # Errors
    /// If it is missing or damaged.
    pub fn commit(&self, id: &CommitId) -> Result<Commit> {
        self.read_with(|source| commit(source, id))
    }

    /// The only object whose id begins with these digits, if there is one.
    ///
    /// # Errors
    /// If objects cannot be looked for.
    pub fn find(&self, prefix: &IdPrefix) -> Result<Option<CommitId>> {
        self.read_with(|source| source.find(prefix))
    }

    /// The first parent of a commit, if it has one.
    ///
    /// # Errors
    /// If the commit is missing or damaged.
    pub fn first_parent(&self, id: &CommitId) -> Result<Option<CommitId>> {
        Ok(self.commit(id)?.parents.first().copied())
    }

    /// Whether `head` leads back to `base` only through commits of this set that have one parent each. False also where
    /// this cannot be read.
    #[must_use]
    pub fn is_chain_of(&self, commits: &HashSet<CommitId>, base: &CommitId, head: CommitId) -> bool {
        let mut at = head;
        while at != *base {
            let Some(commit) = commits.contains(&at).then(|| self.commit(&at)).and_then(Result::ok) else {
                return false;
            };
            let [parent] = commit.parents[..] else { return false };
            at = parent;
        }
        true
    }
}

fn commit(source: &mut dyn Source, id: &CommitId) -> Result<Commit> {
    let mut buffer = Vec::new();
    let commit = read_commit(source, id, &mut buffer)?;
    Ok(Commit { parents: commit.parents, time: commit.time, message: commit.message.into_owned() })
}
