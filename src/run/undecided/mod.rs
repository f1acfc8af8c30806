//! Commits on the branch that a run must not continue from: the user takes them off the branch or accepts them first.

pub(crate) mod plan_commits;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Kind, Result};
use crate::git::Git;
use crate::history::Repository;
use crate::record::CommitId;
use crate::worktree::branch_watch::check_taken_off;
use crate::worktree::snapshot::SnapshotSource;
use plan_commits::{PlanBefore, PlanCommit, UnsettledPlan};

/// The commits about which the user has to decide before a run continues.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub(crate) struct Undecided {
    /// The ids of commits that a program of the run made and that claim to be steps.
    forged: Vec<String>,
    /// A commit that has to be taken back: it differs from the intended one, or it contains changes of the user.
    pub(crate) wrong: Option<WrongCommit>,
    /// Commits that may have changed the plan during a step that did not end well.
    plan: Option<UnsettledPlan>,
}

/// A commit on the branch that differs from the intended one. No run continues while it is there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct WrongCommit {
    /// Its id.
    pub commit: String,
    /// What is wrong with it, as a clause that follows "the commit".
    pub what: String,
    /// How to take it back.
    pub remedy: String,
}

impl Undecided {
    /// Refuses to continue while one of these commits is on the branch and the user has not decided.
    ///
    /// # Errors
    /// [`Kind::Unsafe`] or [`Kind::Repository`], naming the commit and what to do.
    pub(crate) fn check(&self, git: &Git, repository: &Repository) -> Result<()> {
        check_taken_off(git, repository, &self.forged())?;
        self.check_plan(git, repository)?;
        self.wrong.as_ref().map_or(Ok(()), |wrong| wrong.check_taken_back(git, repository))
    }

    /// Refuses to continue while the branch has a plan that a step has changed and that the user has not accepted.
    ///
    /// # Errors
    /// [`Kind::Repository`], naming the commit.
    pub(crate) fn check_plan(&self, git: &Git, repository: &Repository) -> Result<()> {
        self.plan.as_ref().map_or(Ok(()), |plan| plan.check_decided(git, repository))
    }

    /// The commits that claim to be steps.
    pub(crate) fn forged(&self) -> Vec<CommitId> {
        self.forged.iter().filter_map(|id| CommitId::from_hex(id.as_bytes())).collect()
    }

    /// Records the commits that claim to be steps.
    pub(crate) fn note_forged(&mut self, commits: &[CommitId]) {
        self.forged = commits.iter().map(ToString::to_string).collect();
    }

    /// Whether the commits since a step began may have changed the plan.
    pub(crate) fn has_plan(&self) -> bool {
        self.plan.is_some()
    }

    /// Records the commits since a step began, which may have changed the plan. No program is started for that.
    pub(crate) fn note_plan(&mut self, before: PlanBefore, tip: CommitId) {
        self.plan = UnsettledPlan::new(before, tip);
    }

    /// Forgets the commits that may have changed the plan, because they have not.
    pub(crate) fn forget_plan(&mut self) {
        self.plan = None;
    }

    /// The commit that has changed the plan, among those that are recorded.
    ///
    /// # Errors
    /// If history cannot be read.
    pub(crate) fn commit_with_plan(&self, source: SnapshotSource<'_>) -> Result<Option<PlanCommit>> {
        match (&self.plan, source.repository.head()?) {
            (Some(plan), Some(head)) => plan.commit_in(source.git, source.repository, &head),
            _ => Ok(None),
        }
    }
}

impl WrongCommit {
    /// Refuses to continue as long as the commit is on the branch.
    ///
    /// # Errors
    /// [`Kind::Unsafe`] if it is there.
    pub(crate) fn check_taken_back(&self, git: &Git, repository: &Repository) -> Result<()> {
        let Some(id) = CommitId::from_hex(self.commit.as_bytes()) else { return Ok(()) };
        if !git.is_still_in(&id, &repository.branch()?.commit)? {
            return Ok(());
        }
        let what = format!("a commit of an earlier run is still there: {} {}", id.short(), self.what);
        Err(Error::new(Kind::Unsafe, what, self.remedy.clone()))
    }
}
