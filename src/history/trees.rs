//! Reads entire folders of trees in order to compare two trees.

use std::collections::HashMap;

use super::raw::{Entry, ObjectId};
use super::source::{Source, read_tree};
use crate::error::Result;

/// The entries of a tree by name.
pub(super) struct Folder(HashMap<Vec<u8>, Entry>);

/// The entry of a name in a folder.
#[derive(Clone, Copy)]
pub(super) struct FolderSlot(Option<Entry>);

impl Folder {
    /// Reads a tree; a folder that is not there has no entries.
    pub(super) fn read(source: &mut dyn Source, tree: Option<ObjectId>) -> Result<Self> {
        let Some(tree) = tree else { return Ok(Self(HashMap::new())) };
        let mut buffer = Vec::new();
        let entries = read_tree(source, &tree, &mut buffer)?;
        Ok(Self(entries.into_iter().map(|(name, entry)| (name.to_vec(), entry)).collect()))
    }

    pub(super) fn at(&self, name: &[u8]) -> FolderSlot {
        FolderSlot(self.0.get(name).copied())
    }

    /// The names whose entry differs from that in the other folder or is missing there.
    pub(super) fn names_that_differ<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a [u8]> {
        let mine = self.0.iter().filter(|(name, entry)| other.0.get(*name) != Some(*entry));
        let new = other.0.keys().filter(|name| !self.0.contains_key(*name));
        mine.map(|(name, _)| name.as_slice()).chain(new.map(Vec::as_slice))
    }
}

impl FolderSlot {
    /// The entry, unless it is a folder.
    pub(super) fn file(self) -> Option<Entry> {
        self.0.filter(|entry| !entry.is_directory())
    }

    /// The entry, if it is a folder.
    pub(super) fn folder(self) -> Option<ObjectId> {
        self.0.filter(Entry::is_directory).map(|entry| entry.id)
    }
}
