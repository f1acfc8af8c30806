//! Reads several branches as one history: as if a commit that no repository contains had merged them.

use super::range::Range;
use super::raw::ObjectId;
use super::source::{Facts, ObjectKind, Source, read_commit, unreadable};
use crate::error::Result;
use crate::record::CommitId;

/// Calls `read` with a source that has the commit at the top of a range. If the range has several tips, this is a commit
/// that merges them and has the files of the head.
pub(super) fn read_from_top<T>(
    source: &mut dyn Source,
    range: &Range,
    read: impl FnOnce(&mut dyn Source) -> Result<T>,
) -> Result<T> {
    if range.beside().is_empty() {
        return read(source);
    }
    read(&mut Merged::of(source, range)?)
}

/// A source with one more commit.
struct Merged<'s> {
    source: &'s mut dyn Source,
    id: CommitId,
    commit: Vec<u8>,
}

impl<'s> Merged<'s> {
    fn of(source: &'s mut dyn Source, range: &Range) -> Result<Self> {
        let head = range.head();
        let (mut raw, mut parents, mut newest, mut tree) = (Vec::new(), String::new(), 0, None);
        for tip in std::iter::once(&head).chain(range.beside()) {
            let commit = read_commit(source, tip, &mut raw)?;
            newest = newest.max(commit.time);
            tree = tree.or(commit.tree());
            parents.push_str(&format!("parent {tip}\n"));
        }
        let tree = tree.ok_or_else(|| unreadable(&head, "it names no tree"))?;
        let commit =
            format!("tree {tree}\n{parents}author A <> {newest} +0000\ncommitter A <> {newest} +0000\n\n");
        Ok(Self { source, id: range.top(), commit: commit.into_bytes() })
    }
}

impl Source for Merged<'_> {
    fn facts(&mut self) -> &mut dyn Facts {
        self.source.facts()
    }

    fn read(&mut self, id: &ObjectId, kind: ObjectKind, into: &mut Vec<u8>) -> Result<()> {
        if *id != self.id || kind != ObjectKind::Commit {
            return self.source.read(id, kind, into);
        }
        into.clear();
        into.extend_from_slice(&self.commit);
        Ok(())
    }
}
