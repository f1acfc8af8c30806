//! Reads the entries of an index: as `git ls-files` lists them, or from the file itself.
//!
//! A run reads the index before and after every program that it starts. When it always asked git, a third of the
//! processes in a run of three tasks were git listing the index or the settings. So libgit2 reads the file in this
//! process if it is certain to give the same answer as git. Unusual indexes are left to git: libgit2 refuses damaged,
//! split and sparse ones and those of SHA-256 repositories, and where paths are outside of a sparse checkout, git also
//! looks at the work tree.

use std::path::Path;

use super::entries::{Entry, EntryKind};

/// A path in the index.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct IndexEntry {
    pub(super) path: Vec<u8>,
    /// Whether git was told to overlook changes to it.
    pub(super) is_overlooked: bool,
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
    pub(super) fn is_submodule(&self) -> bool {
        self.entry.as_ref().is_some_and(|entry| entry.kind == EntryKind::Submodule)
    }

    /// An entry as libgit2 has read it; `None` if the path is outside of a sparse checkout, where git also looks at the
    /// work tree.
    fn of_file(found: &git2::IndexEntry) -> Option<Self> {
        if found.flags_extended & git2::IndexEntryExtendedFlag::SKIP_WORKTREE.bits() != 0 {
            return None;
        }
        Some(Self {
            path: found.path.clone(),
            is_overlooked: found.flags & git2::IndexEntryFlag::VALID.bits() != 0,
            entry: Entry::parse(format!("{:06o}", found.mode).as_bytes(), found.id.to_string().as_bytes()),
        })
    }
}

/// The entries of an index file, in its order; `None` if git should read it.
pub(super) fn entries_in(file: &Path) -> Option<Vec<IndexEntry>> {
    // libgit2 takes a missing file for an empty index.
    let index = git2::Index::open(file).ok().filter(|_| file.is_file())?;
    index.iter().map(|entry| IndexEntry::of_file(&entry)).collect()
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
