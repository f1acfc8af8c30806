//! Which files differ between two commits.

use std::collections::BTreeSet;

use super::raw::ObjectId;
use super::repository::Repository;
use super::source::{Source, read_commit, tree_of};
use super::trees::Folder;
use crate::error::Result;
use crate::record::CommitId;

/// A commit, and the commit that it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeComparison {
    /// The commit.
    pub commit: CommitId,
    /// The commit that it is compared with; its parent if this is `None`. Without a base, a merge changes nothing.
    pub base: Option<CommitId>,
}

/// The paths that any of these commits changed, sorted, in bytes as git has them. A file that was renamed has two.
///
/// # Errors
/// If an object is missing or damaged.
pub fn changed_paths(repository: &Repository, comparisons: &[TreeComparison]) -> Result<Vec<Vec<u8>>> {
    repository.read_with(|source| {
        let mut paths = BTreeSet::new();
        for TreeComparison { commit, base } in comparisons {
            paths.extend(match base {
                Some(base) => {
                    let (before, after) = (tree_of(source, base)?, tree_of(source, commit)?);
                    differing_paths(source, Some(before), after)?
                }
                None => changes_of(source, commit)?,
            });
        }
        Ok(paths.into_iter().collect())
    })
}

impl Repository {
    /// The id of the tree of a commit, in hexadecimal digits.
    ///
    /// # Errors
    /// If the commit is missing or damaged.
    pub fn tree_id(&self, commit: &CommitId) -> Result<String> {
        self.read_with(|source| Ok(tree_of(source, commit)?.to_string()))
    }
}

/// Whether two commits hold the same files.
///
/// # Errors
/// If one of them is missing or damaged.
pub fn have_same_files(repository: &Repository, one: &CommitId, other: &CommitId) -> Result<bool> {
    Ok(one == other || repository.read_with(|source| Ok(tree_of(source, one)? == tree_of(source, other)?))?)
}

/// The paths of the files that a commit changed; none for a merge.
pub(super) fn changes_of(source: &mut dyn Source, commit: &CommitId) -> Result<BTreeSet<Vec<u8>>> {
    let before = match parents(source, commit)?.as_slice() {
        [] => None,
        [parent] => Some(tree_of(source, parent)?),
        _ => return Ok(BTreeSet::new()),
    };
    let after = tree_of(source, commit)?;
    differing_paths(source, before, after)
}

/// The parents of a commit that are there: a shallow clone leaves them out at its boundary.
fn parents(source: &mut dyn Source, commit: &CommitId) -> Result<Vec<CommitId>> {
    if source.facts().shallow()?.contains(commit) {
        return Ok(Vec::new());
    }
    Ok(read_commit(source, commit, &mut Vec::new())?.parents().collect())
}

/// Two folders with the same path, of which one may be missing.
struct FolderPair {
    /// The path from the top, with a slash at its end; empty for the top itself.
    path: Vec<u8>,
    before: Option<ObjectId>,
    after: Option<ObjectId>,
}

/// The paths of the files that differ between two trees, in bytes as git has them.
pub(super) fn differing_paths(
    source: &mut dyn Source,
    before: Option<ObjectId>,
    after: ObjectId,
) -> Result<BTreeSet<Vec<u8>>> {
    let mut paths = BTreeSet::new();
    // A list instead of recursion, because a commit may contain a tree of any depth.
    let mut open = vec![FolderPair { path: Vec::new(), before, after: Some(after) }];
    while let Some(FolderPair { path, before, after }) = open.pop() {
        if before == after {
            continue;
        }
        let (before, after) = (Folder::read(source, before)?, Folder::read(source, after)?);
        for name in before.names_that_differ(&after) {
            let (old, new) = (before.at(name), after.at(name));
            let full = [path.as_slice(), name].concat();
            if old.folder().is_some() || new.folder().is_some() {
                let path = [full.as_slice(), b"/"].concat();
                open.push(FolderPair { path, before: old.folder(), after: new.folder() });
            }
            if old.file() != new.file() {
                paths.insert(full);
            }
        }
    }
    Ok(paths)
}
