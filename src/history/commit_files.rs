//! Reads the files of commits, and which of them differ between two commits.

use std::collections::BTreeSet;
use std::rc::Rc;

use super::path::{PathLookup, RepoPath};
use super::raw::{Entry, ObjectId, RawCommit};
use super::repository::Repository;
use super::source::{ObjectKind, Source, read_commit, tree_of};
use super::trees::differences;
use crate::error::Result;
use crate::plan::Outline;
use crate::record::CommitId;

/// A commit, and the commit that it is compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeComparison {
    /// The commit.
    pub commit: CommitId,
    /// The commit that it is compared with; its parent if this is `None`. Without a base, a merge changes nothing.
    pub base: Option<CommitId>,
}

impl TreeComparison {
    /// The commit that it is compared with; `None` for the first commit of a history.
    ///
    /// # Errors
    /// If an object cannot be read.
    pub(crate) fn before(&self, repository: &Repository) -> Result<Option<CommitId>> {
        self.base.map_or_else(|| repository.first_parent(&self.commit), |base| Ok(Some(base)))
    }
}

/// The paths that any of these commits changed, sorted, in bytes as git has them. A file that was renamed has two.
///
/// # Errors
/// If an object is missing or damaged.
pub fn changed_paths(repository: &Repository, comparisons: &[TreeComparison]) -> Result<Vec<Vec<u8>>> {
    repository.read_with(|source| {
        let mut paths = BTreeSet::new();
        for TreeComparison { commit, base } in comparisons {
            let [before, after] = match base {
                Some(base) => [Some(tree_of(source, base)?), Some(tree_of(source, commit)?)],
                None => trees_of(source, commit)?,
            };
            paths.extend(differences(source, before, after)?.into_iter().map(|difference| difference.path));
        }
        Ok(paths.into_iter().collect())
    })
}

/// Whether two commits hold the same files, apart from those below these folders.
///
/// # Errors
/// If one of them is missing or damaged.
pub fn have_same_files(
    repository: &Repository,
    one: &CommitId,
    other: &CommitId,
    apart_from: &[&str],
) -> Result<bool> {
    let is_left_out = |path: &[u8]| {
        let below =
            |folder: &&str| path.strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.starts_with(b"/"));
        apart_from.iter().any(below)
    };
    repository.read_with(|source| {
        let trees = [tree_of(source, one)?, tree_of(source, other)?];
        let [before, after] = trees.map(Some);
        Ok(before == after
            || differences(source, before, after)?.iter().all(|difference| is_left_out(&difference.path)))
    })
}

/// The trees between which a commit has changed files; none for a merge.
fn trees_of(source: &mut dyn Source, commit: &CommitId) -> Result<[Option<ObjectId>; 2]> {
    let mut buffer = Vec::new();
    let RawCommit { tree, parents, .. } = read_commit(source, commit, &mut buffer)?;
    // A shallow clone leaves parents out at its boundary.
    let is_cut = source.shallow()?.contains(commit);
    Ok(match parents.as_slice() {
        [parent] if !is_cut => [Some(tree_of(source, parent)?), Some(tree)],
        [_, _, ..] if !is_cut => [None, None],
        _ => [None, Some(tree)],
    })
}

/// A file as a commit has it: its content and its mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TreeFile(pub(super) Entry);

/// The file at each of these paths in a commit; `None` where it has none. A symbolic link counts as a file that holds the
/// path to which it points.
///
/// # Errors
/// If an object is missing or damaged.
pub fn files_at(
    repository: &Repository,
    commit: &CommitId,
    paths: &[Vec<u8>],
) -> Result<Vec<Option<TreeFile>>> {
    repository.read_with(|source| {
        let tree = tree_of(source, commit)?;
        let file_at = |path: &Vec<u8>| {
            let Some(path) = RepoPath::new(path) else { return Ok(None) };
            let entry = PathLookup::new(Rc::new(path)).entry(source, tree)?;
            Ok(entry.filter(|entry| !entry.is_directory()).map(TreeFile))
        };
        paths.iter().map(file_at).collect()
    })
}

/// The content of a file. A submodule has none.
///
/// # Errors
/// If the object is missing or damaged.
pub fn content_of(repository: &Repository, file: TreeFile) -> Result<Vec<u8>> {
    if file.0.is_submodule() {
        return Ok(Vec::new());
    }
    repository.read_with(|source| {
        let mut content = Vec::new();
        source.read(&file.0.id, ObjectKind::Blob, &mut content)?;
        Ok(content)
    })
}

/// Whether a commit has a tree file at another path than this.
pub(super) fn has_another_tree_file(
    source: &mut dyn Source,
    commit: &CommitId,
    path: &RepoPath,
) -> Result<bool> {
    let (tree, path) = (tree_of(source, commit)?, path.to_bytes());
    for file in differences(source, None, Some(tree))? {
        let entry = file.after.filter(Entry::is_file);
        if let Some(entry) = entry.filter(|_| file.path.ends_with(b".json") && file.path != path) {
            let mut data = Vec::new();
            source.read(&entry.id, ObjectKind::Blob, &mut data)?;
            if memchr::memmem::find(&data, b"\"nodes\"").is_some() && Outline::read(&data).is_some() {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
