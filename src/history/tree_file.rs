//! Reads single files of commits.

use super::raw::Entry;
use super::repository::Repository;
use super::source::{ObjectKind, Source, tree_of};
use super::trees::Folder;
use crate::error::Result;
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
        paths.iter().map(|path| file_at(source, tree, path)).collect()
    })
}

/// The file at a path below a root tree.
pub(super) fn file_at(
    source: &mut dyn Source,
    tree: super::raw::ObjectId,
    path: &[u8],
) -> Result<Option<TreeFile>> {
    let mut folder = Some(tree);
    let mut parts = path.split(|byte| *byte == b'/').peekable();
    while let (Some(tree), Some(name)) = (folder, parts.next()) {
        let slot = Folder::read(source, Some(tree))?.at(name);
        if parts.peek().is_none() {
            return Ok(slot.file().map(TreeFile));
        }
        folder = slot.folder();
    }
    Ok(None)
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
