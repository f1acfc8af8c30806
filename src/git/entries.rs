//! Reads the entries of trees and the index at given paths, and writes them to the index without looking at the work
//! tree.

use std::collections::{HashMap, HashSet};
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;

use super::Git;
use super::output::{names_in, paths_in};
use super::staging::{Selection, terminated};
use super::temporary_index::TemporaryIndex;
use crate::error::Result;
use crate::record::CommitId;
use serde::{Deserialize, Serialize};

/// The entry of a tree or of the index for a path that is not a folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Its kind.
    pub kind: EntryKind,
    /// The id of its object.
    pub id: String,
}

/// The kinds of entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum EntryKind {
    /// A file.
    File,
    /// A file that may be executed.
    Executable,
    /// A link; its object is the path that it points at.
    Link,
    /// A submodule; its object is a commit of another repository.
    Submodule,
}

impl EntryKind {
    /// The kind with this mode; `None` for a folder or nothing.
    #[must_use]
    pub(super) fn of_mode(mode: &[u8]) -> Option<Self> {
        match mode {
            b"100755" => Some(Self::Executable),
            b"120000" => Some(Self::Link),
            b"160000" => Some(Self::Submodule),
            [b'1', b'0', b'0', ..] => Some(Self::File),
            _ => None,
        }
    }

    fn mode(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Link => "120000",
            Self::Submodule => "160000",
        }
    }
}

impl Entry {
    /// The entry with this mode and object; `None` if the mode is that of a folder or nothing.
    pub(super) fn parse(mode: &[u8], id: &[u8]) -> Option<Self> {
        Some(Self { kind: EntryKind::of_mode(mode)?, id: String::from_utf8_lossy(id).into_owned() })
    }
}

/// A path and the entry that it should get, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PathEntry {
    /// From the top of the work tree, as the bytes that git uses.
    pub path: Vec<u8>,
    /// The entry; `None` if the path should have none.
    pub entry: Option<Entry>,
}

impl Git {
    /// Whether the newest commit has this file, or something in this folder.
    pub fn is_in_head(&self, path: &[u8]) -> bool {
        let args = ["ls-tree", "-z", "--full-tree", "HEAD", "--"].map(OsString::from);
        // Without a commit, nothing is in it.
        let listed = self.demand(args.into_iter().chain([OsStr::from_bytes(path).to_owned()]));
        listed.is_ok_and(|listed| !listed.is_empty())
    }

    /// The entries of a commit for those of these paths that it contains.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub fn entries(&self, commit: &CommitId, paths: &[Vec<u8>]) -> Result<HashMap<Vec<u8>, Entry>> {
        if paths.is_empty() {
            return Ok(HashMap::new());
        }
        let mut trees = self.trees(commit);
        let mut found = HashMap::new();
        for path in paths {
            if let Some(entry) =
                trees.at(path)?.and_then(|it| Entry::parse(it.mode.as_bytes(), it.id.as_bytes()))
            {
                found.insert(path.clone(), entry);
            }
        }
        Ok(found)
    }

    /// The paths of all files in a commit.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub fn paths_in(&self, commit: &CommitId) -> Result<Vec<Vec<u8>>> {
        let commit = commit.to_string();
        Ok(paths_in(&self.demand(["ls-tree", "-r", "-z", "--name-only", "--full-tree", &commit])?))
    }

    /// The ids of the objects of all files in a commit.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub fn object_ids_in(&self, commit: &CommitId) -> Result<HashSet<String>> {
        let listed = self.demand(["ls-tree", "-r", "-z", "--full-tree", &commit.to_string()])?;
        Ok(names_in(&listed).filter_map(parse).map(|(_, entry)| entry.id).collect())
    }

    /// The paths of the submodules that `.gitmodules` names in a commit.
    ///
    /// # Errors
    /// If git cannot read the file.
    pub fn submodules_named_in(&self, commit: &CommitId) -> Result<HashSet<Vec<u8>>> {
        if self.entries(commit, &[b".gitmodules".to_vec()])?.is_empty() {
            return Ok(HashSet::new());
        }
        let blob = format!("--blob={commit}:.gitmodules");
        let listed = self.call(["config", &blob, "--null", "--get-regexp", r"^submodule\..*\.path$"])?;
        // git ends with 1 if there is no such key.
        if !matches!(listed.status.code(), Some(0 | 1)) {
            return Err(listed.into_error());
        }
        let value = |record: &[u8]| {
            let end = record.iter().position(|byte| *byte == b'\n')?;
            Some(record[end + 1..].to_vec())
        };
        Ok(names_in(&listed.stdout).filter_map(value).collect())
    }

    /// Puts entries into the index without looking at the work tree.
    ///
    /// # Errors
    /// If git cannot write the index.
    pub fn set_index(&self, entries: &[PathEntry]) -> Result<()> {
        self.set_index_in(None, entries)
    }

    /// The same for another index.
    pub(super) fn set_index_in(&self, index: Option<&TemporaryIndex>, entries: &[PathEntry]) -> Result<()> {
        let gone = entries.iter().filter(|entry| entry.entry.is_none());
        let mut records: Vec<Vec<u8>> = entries.iter().filter_map(record).collect();
        let Some(entry) = entries.iter().find_map(|entry| entry.entry.as_ref()) else {
            let gone = gone.map(|entry| entry.path.clone()).collect();
            return self.stage_in(index, &Selection { there: Vec::new(), gone });
        };
        // What is removed comes first: a file may be where a folder was, and the other way round. The mode 0 removes a path.
        let no_object = "0".repeat(entry.id.len());
        let removal = |entry: &PathEntry| [format!("0 {no_object}\t").as_bytes(), &entry.path].concat();
        records.splice(0..0, gone.map(removal));
        let call = self.command(["update-index", "-z", "--index-info"]);
        call.on_index(index).stdin(terminated(&records)).demand().map(drop)
    }

    /// Resets paths in the index to their state in a commit. The work tree stays as it is.
    ///
    /// # Errors
    /// If git cannot write the index.
    pub fn unstage(&self, commit: &CommitId, selection: &Selection) -> Result<()> {
        let paths: Vec<Vec<u8>> = selection.paths().map(<[u8]>::to_vec).collect();
        self.set_index(&self.entries_or_none(commit, &paths)?)
    }

    fn entries_or_none(&self, commit: &CommitId, paths: &[Vec<u8>]) -> Result<Vec<PathEntry>> {
        let mut known = self.entries(commit, paths)?;
        let entry = |path: &Vec<u8>| PathEntry { path: path.clone(), entry: known.remove(path) };
        Ok(paths.iter().map(entry).collect())
    }

    /// Resets paths in the index and the work tree to their state in a commit. Paths that the commit does not contain
    /// are removed from the index.
    ///
    /// # Errors
    /// If git cannot write one of them.
    pub fn restore(&self, commit: &CommitId, paths: &[Vec<u8>]) -> Result<()> {
        let entries = self.entries_or_none(commit, paths)?;
        self.set_index(&entries)?;
        let there = entries.into_iter().filter(|entry| entry.entry.is_some());
        self.check_out_index(&there.map(|entry| entry.path).collect::<Vec<_>>())
    }

    /// The changes of a commit compared with its first parent; all its entries if it has no parent.
    ///
    /// # Errors
    /// If the commit cannot be read.
    pub fn changed_entries(&self, commit: &CommitId) -> Result<Vec<PathEntry>> {
        let parent = self.commit_named(&format!("{commit}^1"))?.map(|parent| parent.to_string());
        let id = commit.to_string();
        let mut args = vec!["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", "--root"];
        args.extend(parent.as_deref());
        args.push(&id);
        Ok(differences(&self.demand(args)?, Side::New))
    }

    /// The new entries of the paths that these commits changed, each compared with its parent. Merges are left out,
    /// because others made the changes that they bring in.
    ///
    /// # Errors
    /// If a commit cannot be read.
    pub fn entries_made_by(&self, commits: &[CommitId]) -> Result<Vec<PathEntry>> {
        let list: String = commits.iter().map(|commit| format!("{commit}\n")).collect();
        let args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-commit-id", "--root", "--stdin"];
        Ok(differences(&self.command(args).stdin(list).demand()?, Side::New))
    }

    /// The entries of HEAD at paths where the index differs.
    ///
    /// # Errors
    /// If git cannot compare them.
    pub(super) fn committed_beside_index(&self) -> Result<Vec<PathEntry>> {
        let args =
            ["diff-index", "--cached", "-z", "--raw", "--no-renames", "--ignore-submodules=none", "HEAD"];
        Ok(differences(&self.demand(args)?, Side::Old))
    }

    /// Writes paths from the index to the work tree, replacing what is there.
    ///
    /// # Errors
    /// If git cannot write one of them.
    pub fn check_out_index(&self, paths: &[Vec<u8>]) -> Result<()> {
        if paths.is_empty() {
            return Ok(());
        }
        let args = ["checkout-index", "--force", "--index", "--quiet", "-z", "--stdin"];
        self.command(args).stdin(terminated(paths)).demand().map(drop)
    }
}

/// One record of `git ls-tree -z`: `MODE TYPE ID<tab>PATH`.
fn parse(record: &[u8]) -> Option<(Vec<u8>, Entry)> {
    let tab = record.iter().position(|byte| *byte == b'\t')?;
    let mut fields = record[..tab].split(|byte| *byte == b' ');
    let (mode, id) = (fields.next()?, fields.nth(1)?);
    Some((record[tab + 1..].to_vec(), Entry::parse(mode, id)?))
}

/// One side of a comparison.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Old,
    New,
}

/// The entries on one side of a comparison, read from `-z --raw`: pairs of `:MODE MODE ID ID STATUS`, old before new,
/// and `PATH`.
fn differences(raw: &[u8], side: Side) -> Vec<PathEntry> {
    let fields: Vec<&[u8]> = names_in(raw).collect();
    let entry = |pair: &[&[u8]]| {
        let words: Vec<&[u8]> = pair[0].strip_prefix(b":")?.split(|byte| *byte == b' ').collect();
        let [old_mode, new_mode, old_id, new_id, _] = words[..] else { return None };
        let (mode, id) = if side == Side::Old { (old_mode, old_id) } else { (new_mode, new_id) };
        Some(PathEntry { path: pair[1].to_vec(), entry: Entry::parse(mode, id) })
    };
    fields.chunks_exact(2).filter_map(entry).collect()
}

fn record(entry: &PathEntry) -> Option<Vec<u8>> {
    let Entry { kind, id } = entry.entry.as_ref()?;
    Some([format!("{} {id}\t", kind.mode()).as_bytes(), &entry.path].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_of_a_comparison_are_read() {
        let (a, b, zeros) = ("a".repeat(40), "b".repeat(40), "0".repeat(40));
        let raw = format!(
            ":100644 100755 {a} {b} M\0one\0:000000 120000 {zeros} {b} A\0two\nlines\0:160000 000000 {a} {zeros} D\0sub\0"
        );
        let entry = |kind, id: &str| Some(Entry { kind, id: id.to_owned() });
        let of = |side| -> Vec<_> {
            differences(raw.as_bytes(), side).into_iter().map(|entry| entry.entry).collect()
        };
        assert_eq!(of(Side::Old), [entry(EntryKind::File, &a), None, entry(EntryKind::Submodule, &a)]);
        assert_eq!(of(Side::New), [entry(EntryKind::Executable, &b), entry(EntryKind::Link, &b), None]);
        assert_eq!(differences(raw.as_bytes(), Side::New)[1].path, b"two\nlines");
    }

    #[test]
    fn a_line_of_a_tree_is_read_and_folders_are_left_out() {
        let id = "c".repeat(40);
        let found = parse(format!("100644 blob {id}\ta\tb").as_bytes()).unwrap();
        assert_eq!(found, (b"a\tb".to_vec(), Entry { kind: EntryKind::File, id: id.clone() }));
        assert_eq!(parse(format!("040000 tree {id}\tfolder").as_bytes()), None);
    }
}
