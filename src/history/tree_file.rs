//! Reads single files of commits.

use std::rc::Rc;

use super::path::{PathLookup, RepoPath};
use super::raw::Entry;
use super::repository::Repository;
use super::source::{ObjectKind, Source, tree_of};
use super::trees::differences;
use crate::error::Result;
use crate::plan::Outline;
use crate::record::CommitId;

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
