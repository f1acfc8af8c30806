//! Compares two trees.

use std::collections::BTreeMap;

use super::raw::{Entry, ObjectId};
use super::source::{Source, read_tree};
use crate::error::Result;

/// A file that is not the same in two trees. What is a folder is no file.
pub(super) struct FileDifference {
    /// The path from the top, in bytes as git has it.
    pub(super) path: Vec<u8>,
    pub(super) before: Option<Entry>,
    pub(super) after: Option<Entry>,
}

/// Two folders with the same path, of which one may be missing.
struct FolderPair {
    /// The path from the top, with a slash at its end; empty for the top itself.
    path: Vec<u8>,
    before: Option<ObjectId>,
    after: Option<ObjectId>,
}

/// The files that differ between two trees, of which one may be missing.
pub(super) fn differences(
    source: &mut dyn Source,
    before: Option<ObjectId>,
    after: Option<ObjectId>,
) -> Result<Vec<FileDifference>> {
    let mut found = Vec::new();
    // A list instead of recursion, because a commit may contain a tree of any depth.
    let mut open = vec![FolderPair { path: Vec::new(), before, after }];
    let file = |entry: Option<Entry>| entry.filter(|entry| !entry.is_directory());
    let folder = |entry: Option<Entry>| entry.filter(Entry::is_directory).map(|entry| entry.id);
    while let Some(FolderPair { path, before, after }) = open.pop() {
        let mut names: BTreeMap<Vec<u8>, [Option<Entry>; 2]> = BTreeMap::new();
        for (side, tree) in [before, after].into_iter().enumerate() {
            let Some(tree) = tree else { continue };
            let mut buffer = Vec::new();
            for (name, entry) in read_tree(source, &tree, &mut buffer)? {
                names.entry(name.to_vec()).or_default()[side] = Some(entry);
            }
        }
        for (name, [before, after]) in names.into_iter().filter(|(_, [before, after])| before != after) {
            let full = [path.as_slice(), &name].concat();
            if folder(before) != folder(after) {
                let path = [full.as_slice(), b"/"].concat();
                open.push(FolderPair { path, before: folder(before), after: folder(after) });
            }
            if file(before) != file(after) {
                found.push(FileDifference { path: full, before: file(before), after: file(after) });
            }
        }
    }
    Ok(found)
}
