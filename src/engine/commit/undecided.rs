//! Commits on the branch that a run must not continue from: the user takes them off the branch or accepts them first.

use serde::{Deserialize, Serialize};

use super::WrongCommit;
use crate::engine::plan::commits::{PlanBefore, PlanCommit, UnsettledPlan};
use crate::error::Result;
use crate::git::Git;
use crate::history::Repository;
use crate::record::CommitId;
use crate::worktree::guard::check_taken_off;
use crate::worktree::snapshot::SnapshotSource;

/// The commits about which the user has to decide before a run continues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(in crate::engine) struct Undecided {
    /// The ids of commits that a program of the run made and that claim to be steps.
    // The names in the journal are those of older versions.
    #[serde(rename = "refused")]
    forged: Vec<String>,
    /// A commit that has to be taken back: it differs from the intended one, or it contains changes of the user.
    pub(in crate::engine) wrong: Option<WrongCommit>,
    /// Commits that may have changed the plan during a step that did not end well.
    #[serde(rename = "unsettled_plan")]
    plan: Option<UnsettledPlan>,
}

impl Undecided {
    /// Refuses to continue while one of these commits is on the branch and the user has not decided.
    ///
    /// # Errors
    /// [`Kind::Unsafe`](crate::error::Kind::Unsafe) or [`Kind::Repository`](crate::error::Kind::Repository), naming the
    /// commit and what to do.
    pub(in crate::engine) fn check(&self, git: &Git, repository: &Repository) -> Result<()> {
        check_taken_off(git, repository, &self.forged())?;
        self.check_plan(git, repository)?;
        self.wrong.as_ref().map_or(Ok(()), |wrong| wrong.check_taken_back(git, repository))
    }

    /// Refuses to continue while the branch has a plan that a step has changed and that the user has not accepted.
    ///
    /// # Errors
    /// [`Kind::Repository`](crate::error::Kind::Repository), naming the commit.
    pub(in crate::engine) fn check_plan(&self, git: &Git, repository: &Repository) -> Result<()> {
        self.plan.as_ref().map_or(Ok(()), |plan| plan.check_decided(git, repository))
    }

    /// The commits that claim to be steps.
    pub(in crate::engine) fn forged(&self) -> Vec<CommitId> {
        self.forged.iter().filter_map(|id| CommitId::from_hex(id.as_bytes())).collect()
    }

    /// Records the commits that claim to be steps.
    pub(in crate::engine) fn note_forged(&mut self, commits: &[CommitId]) {
        self.forged = commits.iter().map(ToString::to_string).collect();
    }

    /// Whether the commits since a step began may have changed the plan.
    pub(in crate::engine) fn has_plan(&self) -> bool {
        self.plan.is_some()
    }

    /// Records the commits since a step began, which may have changed the plan. No program is started for that.
    pub(in crate::engine) fn note_plan(&mut self, before: PlanBefore, tip: CommitId) {
        self.plan = UnsettledPlan::new(before, tip);
    }

    /// Forgets the commits that may have changed the plan, because they have not.
    pub(in crate::engine) fn forget_plan(&mut self) {
        self.plan = None;
    }

    /// The commit that has changed the plan, among those that are recorded.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(in crate::engine) fn commit_with_plan(
        &self,
        source: SnapshotSource<'_>,
    ) -> Result<Option<PlanCommit>> {
        match (&self.plan, source.repository.head()?) {
            (Some(plan), Some(head)) => plan.commit_in(source.git, source.repository, &head),
            _ => Ok(None),
        }
    }
}
