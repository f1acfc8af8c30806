//! Finds out where a tree file was before it was moved: the commit removed it there and added its content at another
//! path.

use super::graph::Graph;
use super::path::RepoPath;
use super::raw::{Entry, ObjectId};
use super::trees::differences;
use crate::error::Result;

/// How many removed files are read to see whether they are an older version of the plan.
const MAX_FILES: usize = 100;

/// A tree file that exists in one tree and not in another.
pub(super) struct Arrival<'a> {
    /// Its path.
    pub(super) path: &'a RepoPath,
    /// Its entry.
    pub(super) entry: Entry,
    /// The tree that contains it.
    pub(super) tree: ObjectId,
    /// The tree before, which lacks it.
    pub(super) before: ObjectId,
}

/// A file that one tree contains and another does not.
pub(super) struct Removed {
    pub(super) path: RepoPath,
    pub(super) entry: Entry,
}

/// The file that became the tree file: a removed file with the same content, or otherwise with an earlier version of
/// the plan. Among several, one with the same name comes first, then the first by path.
pub(super) fn moved_from(graph: &mut Graph<'_>, arrival: &Arrival<'_>) -> Result<Option<Removed>> {
    let removed = differences(graph.source, Some(arrival.before), Some(arrival.tree))?.into_iter();
    let removed = removed.filter(|difference| difference.after.is_none());
    let mut removed: Vec<Removed> = removed
        .filter_map(|file| Some(Removed { path: RepoPath::new(&file.path)?, entry: file.before? }))
        .collect();
    let name = arrival.path.name();
    removed.sort_by(|a, b| (a.path.name() != name, &a.path).cmp(&(b.path.name() != name, &b.path)));
    if let Some(same) = removed.iter().position(|removed| removed.entry.id == arrival.entry.id) {
        return Ok(Some(removed.swap_remove(same)));
    }
    removed.retain(|removed| removed.path.name() == name || removed.path.name().ends_with(b".json"));
    // Most plans begin without one before them, and to read a large plan takes time.
    if removed.is_empty() {
        return Ok(None);
    }
    let Some(now) = graph.outline(&arrival.entry)? else { return Ok(None) };
    for removed in removed.into_iter().take(MAX_FILES) {
        if graph.outline(&removed.entry)?.is_some_and(|before| now.continues(&before)) {
            return Ok(Some(removed));
        }
    }
    Ok(None)
}
