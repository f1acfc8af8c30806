//! The commits of a run: those that are reachable from one commit but not from another.

use super::path::RepoPath;
use super::plan_version::{AnchorRule, PlanFile, Scope};
use crate::record::CommitId;

/// The commits of a run: `anchor..head` as git understands it, or everything reachable from `head` if there is no
/// anchor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Range {
    head: CommitId,
    /// Further commits from which it is read.
    beside: Vec<CommitId>,
    start: RangeStart,
    scope: Scope,
}

/// Where a range begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RangeStart {
    /// After this commit.
    Anchor(CommitId),
    /// After the commit that began the run of the plan, if there is one. It still has to be found.
    RunBegins,
    /// Nowhere: the whole history belongs to it.
    Root,
}

impl Range {
    /// All commits that `head` can reach.
    #[must_use]
    pub fn whole(head: CommitId) -> Self {
        Self { head, beside: Vec::new(), start: RangeStart::Root, scope: Scope::Everything }
    }

    /// All commits that `head` can reach and `start` cannot.
    #[must_use]
    pub fn behind(start: CommitId, head: CommitId) -> Self {
        Self { head, beside: Vec::new(), start: RangeStart::Anchor(start), scope: Scope::Everything }
    }

    /// The same of a run of a plan that was landed.
    pub(super) fn of_landed(base: CommitId, tip: CommitId, plan: Option<RepoPath>) -> Self {
        let scope = plan.map_or(Scope::Outside, Scope::Naming);
        Self { scope, ..Self::behind(base, tip) }
    }

    /// The commit from which the history was read.
    #[must_use]
    pub fn head(&self) -> CommitId {
        self.head
    }

    /// The tips of other branches from which the history was read as well.
    #[must_use]
    pub fn beside(&self) -> &[CommitId] {
        &self.beside
    }

    /// The same range, read from these commits as well.
    #[must_use]
    pub fn with_beside(self, beside: Vec<CommitId>) -> Self {
        Self { beside, ..self }
    }

    /// The commit that began the run and is not part of it: the last commit, apart from steps, that added the tree
    /// file, changed its `spec_id` or replaced content that was not a plan; or, if the configuration says so, the last
    /// that changed the file at all.
    ///
    /// `None` if the tree file was never committed.
    #[must_use]
    pub fn anchor(&self) -> Option<CommitId> {
        match self.start {
            RangeStart::Anchor(id) => Some(id),
            RangeStart::RunBegins | RangeStart::Root => None,
        }
    }

    /// The range before reading, of which it is only known that it begins where the run of the plan begins.
    pub(super) fn to_find(head: CommitId, tree_file: Option<&RepoPath>, rule: AnchorRule) -> Self {
        let start = if tree_file.is_some() { RangeStart::RunBegins } else { RangeStart::Root };
        Self { head, beside: Vec::new(), start, scope: Scope::of(tree_file, rule) }
    }

    /// The same range with its beginning, which is now known.
    pub(super) fn found(self, anchor: Option<CommitId>) -> Self {
        Self { start: anchor.map_or(RangeStart::Root, RangeStart::Anchor), ..self }
    }

    /// The plan whose steps the range is about.
    pub(super) fn scope(&self) -> &Scope {
        &self.scope
    }

    /// The tree file of the plan whose steps the range is about, if that is a file of the work tree.
    pub(super) fn plan_path(&self) -> Option<&RepoPath> {
        match &self.scope {
            Scope::Plan(PlanFile { path, .. }) | Scope::Naming(path) => Some(path),
            Scope::Everything | Scope::Outside => None,
        }
    }

    /// The range from the same beginning to another head, which descends from this one.
    pub(super) fn moved_to(&self, head: CommitId) -> Self {
        Self { head, beside: Vec::new(), ..self.clone() }
    }

    pub(super) fn start(&self) -> RangeStart {
        self.start
    }
}
