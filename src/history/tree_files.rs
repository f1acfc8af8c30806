//! Finds out whether a repository has more than one plan, by looking for tree files in a commit.

use std::collections::HashMap;

use super::path::RepoPath;
use super::raw::{Entry, ObjectId};
use super::source::{ObjectKind, Source, read_tree, tree_of};
use crate::error::Result;
use crate::plan::OutlineReader;
use crate::record::CommitId;

/// The folders and files that were looked at, so that none is read twice during a run.
#[derive(Default)]
pub(super) struct TreeFiles {
    folders: HashMap<ObjectId, Vec<(Vec<u8>, FolderItem)>>,
    plans: HashMap<ObjectId, bool>,
}

/// The tree files in a folder.
#[derive(Clone, Copy)]
enum FolderItem {
    Folder(ObjectId),
    Plan,
}

impl TreeFiles {
    /// Whether a commit has a tree file at another path than this.
    pub(super) fn has_another(
        &mut self,
        source: &mut dyn Source,
        commit: &CommitId,
        path: &RepoPath,
    ) -> Result<bool> {
        let mut open = vec![(None, tree_of(source, commit)?)];
        while let Some((folder, tree)) = open.pop() {
            for (name, content) in self.folder(source, tree)? {
                let here = RepoPath::below(folder.as_ref(), name);
                match content {
                    FolderItem::Folder(tree) => open.push((Some(here), *tree)),
                    FolderItem::Plan if here != *path => return Ok(true),
                    FolderItem::Plan => {}
                }
            }
        }
        Ok(false)
    }

    fn folder(&mut self, source: &mut dyn Source, tree: ObjectId) -> Result<&[(Vec<u8>, FolderItem)]> {
        if !self.folders.contains_key(&tree) {
            let mut buffer = Vec::new();
            let mut contents = Vec::new();
            for (name, entry) in read_tree(source, &tree, &mut buffer)? {
                if entry.is_directory() {
                    contents.push((name.to_vec(), FolderItem::Folder(entry.id)));
                } else if name.ends_with(b".json") && self.is_plan(source, &entry)? {
                    contents.push((name.to_vec(), FolderItem::Plan));
                }
            }
            self.folders.insert(tree, contents);
        }
        Ok(&self.folders[&tree])
    }

    fn is_plan(&mut self, source: &mut dyn Source, entry: &Entry) -> Result<bool> {
        if !entry.is_file() {
            return Ok(false);
        }
        if let Some(&known) = self.plans.get(&entry.id) {
            return Ok(known);
        }
        let mut data = Vec::new();
        source.read(&entry.id, ObjectKind::Blob, &mut data)?;
        let is_plan = memchr::memmem::find(&data, b"\"nodes\"").is_some()
            && OutlineReader::default().read(data).is_some();
        self.plans.insert(entry.id, is_plan);
        Ok(is_plan)
    }
}
