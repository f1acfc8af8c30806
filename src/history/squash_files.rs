//! Compares the changes of a commit with those of a run.

use std::collections::{BTreeSet, HashSet};

use git2::Patch;

use super::raw::{Entry, ObjectId};
use super::source::{ObjectKind, Source};
use super::tree_diff::differing_paths;
use super::tree_file::file_at;
use crate::error::Result;

/// Whether a commit makes the changes of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Agreement {
    /// It makes other ones.
    None,
    /// It changes the same files, some of which were changed elsewhere as well, so it is not known whether it does.
    Possible,
    /// It does.
    Certain,
}

/// The files of a run and of a commit, as root trees.
#[derive(Clone, Copy)]
pub(super) struct SquashTrees {
    /// Those on which the run began.
    pub(super) base: ObjectId,
    /// Those at its end.
    pub(super) tip: ObjectId,
    /// Those before the commit.
    pub(super) before: ObjectId,
    /// Those of the commit.
    pub(super) after: ObjectId,
    /// Those of the branch now.
    pub(super) now: ObjectId,
}

impl SquashTrees {
    /// Whether the commit makes the changes of the run, generated files aside. If nothing of them is there any more, it does not.
    pub(super) fn agreement(
        &self,
        source: &mut dyn Source,
        generated: &HashSet<Vec<u8>>,
    ) -> Result<Agreement> {
        let mut differing = |one, other| -> Result<BTreeSet<Vec<u8>>> {
            let mut paths = differing_paths(source, Some(one), other)?;
            paths.retain(|path| !generated.contains(path));
            Ok(paths)
        };
        let made = differing(self.before, self.after)?;
        let by_run = if made.is_empty() { BTreeSet::new() } else { differing(self.base, self.tip)? };
        if made.is_disjoint(&by_run) || differing(self.before, self.now)?.is_disjoint(&made) {
            return Ok(Agreement::None);
        }
        let other = differing(self.tip, self.after)?;
        if other.is_empty() {
            return Ok(Agreement::Certain);
        }
        if made != by_run {
            return Ok(Agreement::None);
        }
        let by_others = differing(self.base, self.before)?;
        let still_changed = differing(self.base, self.after)?;
        let mut agreement = Agreement::Certain;
        for path in other.intersection(&made) {
            if !by_others.contains(path) || !still_changed.contains(path) {
                return Ok(Agreement::None);
            }
            if !self.is_changed_alike(source, path)? {
                agreement = Agreement::Possible;
            }
        }
        Ok(agreement)
    }

    /// Whether the run and the commit change the same lines of a file in the same way, whatever else is in the file.
    fn is_changed_alike(&self, source: &mut dyn Source, path: &[u8]) -> Result<bool> {
        let mut at = |tree| -> Result<Option<Entry>> { Ok(file_at(source, tree, path)?.map(|file| file.0)) };
        let run = [at(self.base)?, at(self.tip)?];
        let commit = [at(self.before)?, at(self.after)?];
        let ([Some(base), Some(tip)], [Some(before), Some(after)]) = (run, commit) else { return Ok(false) };
        let all = [base, tip, before, after];
        if !all.iter().all(Entry::is_file) || !base.has_mode_of(&before) || !tip.has_mode_of(&after) {
            return Ok(false);
        }
        let by_run = changed_lines(source, &base, &tip)?;
        Ok(by_run.is_some() && by_run == changed_lines(source, &before, &after)?)
    }
}

/// A line of a patch.
#[derive(PartialEq, Eq)]
struct PatchLine {
    /// How it begins: `+`, `-`, or a blank.
    origin: char,
    content: Vec<u8>,
}

/// The lines of the patch between two versions of a file, with the lines around them, wherever in the file they are; `None` if
/// they are not text, or the same.
fn changed_lines(source: &mut dyn Source, old: &Entry, new: &Entry) -> Result<Option<Vec<PatchLine>>> {
    let mut read = |entry: &Entry| -> Result<Vec<u8>> {
        let mut content = Vec::new();
        source.read(&entry.id, ObjectKind::Blob, &mut content)?;
        Ok(content)
    };
    let (old, new) = (read(old)?, read(new)?);
    Ok(patch_lines(&old, &new).filter(|lines| !lines.is_empty()))
}

/// `None` where libgit2 makes no patch.
fn patch_lines(old: &[u8], new: &[u8]) -> Option<Vec<PatchLine>> {
    let patch = Patch::from_buffers(old, None, new, None, None).ok()?;
    let mut lines = Vec::new();
    for hunk in 0..patch.num_hunks() {
        for line in 0..patch.num_lines_in_hunk(hunk).ok()? {
            let line = patch.line_in_hunk(hunk, line).ok()?;
            lines.push(PatchLine { origin: line.origin(), content: line.content().to_vec() });
        }
    }
    Some(lines)
}
