//! The commits of a run: what is reachable from one commit and not from another.

use super::path::RepoPath;
use super::plan_version::{AnchorRule, PlanFile, Scope};
use crate::record::CommitId;

/// The commits of a run, `anchor..head` with git's meaning, or all of `head` where there is no anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    head: CommitId,
    start: RangeStart,
    scope: Scope,
}

/// Where a range begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RangeStart {
    /// Behind this commit.
    Anchor(CommitId),
    /// Behind the commit that began the run of the plan, if there is one; it has to be found.
    RunBegins,
    /// Nowhere: all of the history belongs to it.
    Root,
}

impl Range {
    /// All commits that `head` can reach.
    #[must_use]
    pub fn whole(head: CommitId) -> Self {
        Self { head, start: RangeStart::Root, scope: Scope::Everything }
    }

    /// What `head` can reach and `start` cannot.
    #[must_use]
    pub fn behind(start: CommitId, head: CommitId) -> Self {
        Self { head, start: RangeStart::Anchor(start), scope: Scope::Everything }
    }

    /// The commit that the history was read from.
    #[must_use]
    pub fn head(&self) -> CommitId {
        self.head
    }

    /// The commit that began the run and is no part of it: the last that added the tree file, gave it another `spec_id` or
    /// replaced what was not a plan, step commits aside; or that changed it at all, where the configuration says so.
    ///
    /// `None` if the tree file was never committed; and if it is not in the tree of `head` and every task was decided
    /// before a commit that removed it came into sight: then nothing older could change any answer.
    #[must_use]
    pub fn anchor(&self) -> Option<CommitId> {
        match self.start {
            RangeStart::Anchor(id) => Some(id),
            RangeStart::RunBegins | RangeStart::Root => None,
        }
    }

    /// What is known of the range before reading: it begins where the run of the plan begins.
    pub(super) fn to_find(head: CommitId, tree_file: Option<&RepoPath>, rule: AnchorRule) -> Self {
        match tree_file {
            Some(path) => {
                let scope = Scope::Plan(PlanFile { path: path.clone(), rule });
                Self { head, start: RangeStart::RunBegins, scope }
            }
            None => Self { head, start: RangeStart::Root, scope: Scope::Outside },
        }
    }

    /// The same range, now that it is known where it begins.
    pub(super) fn found(self, anchor: Option<CommitId>) -> Self {
        Self { start: anchor.map_or(RangeStart::Root, RangeStart::Anchor), ..self }
    }

    /// Whose steps the range is about.
    pub(super) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Whether it is certain where the range begins.
    pub(super) fn is_known(&self) -> bool {
        self.start != RangeStart::RunBegins
    }

    /// The range from the same beginning to another head, which descends from this one.
    pub(super) fn moved_to(&self, head: CommitId) -> Self {
        Self { head, ..self.clone() }
    }

    pub(super) fn start(&self) -> RangeStart {
        self.start
    }
}
