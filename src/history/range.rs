//! The commits of a run: what is reachable from one commit and not from another.

use super::linear::{End, Until};
use super::path::RepoPath;
use crate::record::CommitId;

/// The commits of a run, `anchor..head` with git's meaning, or all of `head` where there is no anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    head: CommitId,
    until: Until,
}

impl Range {
    /// All commits that `head` can reach.
    #[must_use]
    pub fn whole(head: CommitId) -> Self {
        Self { head, until: Until::Root }
    }

    /// What `head` can reach and `start` cannot.
    #[must_use]
    pub fn behind(start: CommitId, head: CommitId) -> Self {
        Self { head, until: Until::Anchor(start) }
    }

    /// The commit that the history was read from.
    #[must_use]
    pub fn head(&self) -> CommitId {
        self.head
    }

    /// The commit that began the run and is no part of it: the last that changed the tree file, step commits aside.
    ///
    /// `None` if the tree file was never committed; and if it is not in the tree of `head` and every task was decided
    /// before a commit that removed it came into sight: then nothing older could change any answer.
    #[must_use]
    pub fn anchor(&self) -> Option<CommitId> {
        match self.until {
            Until::Anchor(id) => Some(id),
            Until::Change(_) | Until::Root => None,
        }
    }

    /// What is known of the range before reading: it begins behind the last change of `tree_file`.
    pub(super) fn to_find(head: CommitId, tree_file: Option<&RepoPath>) -> Self {
        Self { head, until: tree_file.map_or(Until::Root, |path| Until::Change(path.clone())) }
    }

    /// The range behind `anchor`, or all of `head`.
    pub(super) fn known(head: CommitId, anchor: Option<CommitId>) -> Self {
        Self { head, until: anchor.map_or(Until::Root, Until::Anchor) }
    }

    /// Whether it is certain where the range begins.
    pub(super) fn is_known(&self) -> bool {
        !matches!(self.until, Until::Change(_))
    }

    /// The range from the same beginning to another head, which descends from this one.
    pub(super) fn moved_to(&self, head: CommitId) -> Self {
        Self { head, until: self.until.clone() }
    }

    pub(super) fn until(&self) -> &Until {
        &self.until
    }

    /// What is known after a pass that ended at `end`.
    pub(super) fn ended(self, end: End) -> Self {
        let until = match end {
            End::Anchor(id) => Until::Anchor(id),
            End::Root => Until::Root,
            End::Unsought | End::NeedsGraph => self.until,
        };
        Self { until, ..self }
    }
}
