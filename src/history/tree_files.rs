//! Finds out whether a repository has more than one plan, by looking for tree files in a commit.

use super::path::RepoPath;
use super::raw::Entry;
use super::source::{ObjectKind, Source, read_tree, tree_of};
use crate::error::Result;
use crate::plan::Outline;
use crate::record::CommitId;

/// Whether a commit has a tree file at another path than this.
pub(super) fn has_another_tree_file(
    source: &mut dyn Source,
    commit: &CommitId,
    path: &RepoPath,
) -> Result<bool> {
    let mut open = vec![(None, tree_of(source, commit)?)];
    let mut buffer = Vec::new();
    while let Some((folder, tree)) = open.pop() {
        for (name, entry) in read_tree(source, &tree, &mut buffer)? {
            let here = RepoPath::below(folder.as_ref(), name);
            if entry.is_directory() {
                open.push((Some(here), entry.id));
            } else if name.ends_with(b".json") && here != *path && is_plan(source, &entry)? {
                return Ok(true);
            }
        }
    }
    Ok(false)
}

fn is_plan(source: &mut dyn Source, entry: &Entry) -> Result<bool> {
    if !entry.is_file() {
        return Ok(false);
    }
    let mut data = Vec::new();
    source.read(&entry.id, ObjectKind::Blob, &mut data)?;
    Ok(memchr::memmem::find(&data, b"\"nodes\"").is_some() && Outline::read(&data).is_some())
}
