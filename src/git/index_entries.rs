//! Reads the flags of the index: in which files git overlooks changes, and which folders belong to submodules.

use std::collections::{BTreeSet, HashMap};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::entries::{Entry, EntryKind};
use super::output::names_in;
use super::{Git, Variable};
use crate::error::Result;

impl Git {
    /// The tracked paths in which git overlooks changes: those that are marked as assumed unchanged, or as not in the
    /// work tree, as in sparse checkouts.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub fn overlooked_paths(&self) -> Result<Vec<Vec<u8>>> {
        let overlooked = self.index_entries()?.into_iter().filter(|entry| entry.is_overlooked);
        Ok(overlooked.map(|entry| entry.path).collect())
    }

    /// Those of them at which something is in the work tree `top`. Git may not see a change there.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub fn overlooked_files(&self, top: &Path) -> Result<Vec<Vec<u8>>> {
        let mut paths = self.overlooked_paths()?;
        paths.retain(|path| top.join(OsStr::from_bytes(path)).symlink_metadata().is_ok());
        Ok(paths)
    }

    /// The folders of submodules.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub fn submodule_paths(&self) -> Result<Vec<Vec<u8>>> {
        Ok(self.index_entries()?.into_iter().filter(IndexEntry::is_submodule).map(|it| it.path).collect())
    }

    /// All paths that the index has, and whether each is the folder of a submodule.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub fn tracked_paths(&self) -> Result<HashMap<Vec<u8>, bool>> {
        Ok(self.index_entries()?.into_iter().map(|it| (it.path.clone(), it.is_submodule())).collect())
    }

    /// The paths whose entries or flags another index file has not as the index does; `None` if git cannot read that file.
    ///
    /// # Errors
    /// If git cannot read the index.
    pub fn paths_beside(&self, other: &Path) -> Result<Option<Vec<Vec<u8>>>> {
        let variable = Variable { name: "GIT_INDEX_FILE", value: other.into() };
        let listed = self.command(["ls-files", "-z", "-v", "--stage"]).env([variable]).output()?;
        if !listed.status.success() {
            return Ok(None);
        }
        let by_path = |entries: Vec<IndexEntry>| -> HashMap<Vec<u8>, IndexEntry> {
            entries.into_iter().map(|entry| (entry.path.clone(), entry)).collect()
        };
        let ours = by_path(self.index_entries()?);
        let theirs = by_path(names_in(&listed.stdout).filter_map(IndexEntry::parse).collect());
        let differs = |path: &&Vec<u8>| ours.get(*path) != theirs.get(*path);
        let paths: BTreeSet<&Vec<u8>> = ours.keys().chain(theirs.keys()).filter(differs).collect();
        Ok(Some(paths.into_iter().cloned().collect()))
    }

    pub(super) fn index_entries(&self) -> Result<Vec<IndexEntry>> {
        // Reading the index would start the monitor.
        let listed = self.demand(["-c", "core.fsmonitor=false", "ls-files", "-z", "-v", "--stage"])?;
        Ok(names_in(&listed).filter_map(IndexEntry::parse).collect())
    }
}

/// A path in the index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct IndexEntry {
    pub(super) path: Vec<u8>,
    /// Whether git was told to overlook changes to it.
    is_overlooked: bool,
    pub(super) entry: Option<Entry>,
}

impl IndexEntry {
    /// One record of `git ls-files -z -v --stage`: `MARK MODE ID STAGE<tab>PATH`.
    pub(super) fn parse(record: &[u8]) -> Option<Self> {
        let tab = record.iter().position(|byte| *byte == b'\t')?;
        let fields: Vec<&[u8]> = record[..tab].split(|byte| *byte == b' ').collect();
        let [mark, mode, id, _] = fields[..] else { return None };
        Some(Self {
            path: record[tab + 1..].to_vec(),
            is_overlooked: mark.first().is_some_and(|mark| mark.is_ascii_lowercase() || *mark == b'S'),
            entry: Entry::parse(mode, id),
        })
    }

    /// Whether it is the folder of a submodule.
    fn is_submodule(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.kind == EntryKind::Submodule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_modes_and_paths_are_read() {
        let id = "a".repeat(40);
        let read = |record: String| IndexEntry::parse(record.as_bytes());
        let kind = |record: String| read(record)?.entry.map(|entry| entry.kind);
        assert!(
            read(format!("S 100644 {id} 0\ta b\tc"))
                .is_some_and(|it| it.is_overlooked && it.path == b"a b\tc")
        );
        assert!(read(format!("h 100644 {id} 0\ta")).is_some_and(|it| it.is_overlooked));
        assert!(read(format!("H 100644 {id} 0\ta")).is_some_and(|it| !it.is_overlooked));
        let whole = read(format!("H 100755 {id} 0\ta")).unwrap().entry.unwrap();
        assert_eq!((whole.kind, whole.id.as_str()), (EntryKind::Executable, id.as_str()));
        assert_eq!(kind(format!("H 160000 {id} 0\tlib")), Some(EntryKind::Submodule));
        assert!(read("H a".to_owned()).is_none());
    }
}
