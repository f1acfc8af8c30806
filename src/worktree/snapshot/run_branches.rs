//! Watches the other branches of a run. Only the run itself moves them, so what anybody else has done to them is taken back.

use super::changed_by::ChangedBy;
use super::changed_by::SnapshotSource;
use super::references::References;
use crate::error::Result;
use crate::files;
use crate::git::Head;
use crate::worktree::moved_ref::{MovedRef, refused};
use crate::worktree::other_runs::{ActiveRun, active_runs};
use crate::worktree::task_commits::is_on_top_without_claims;
use serde::{Deserialize, Serialize};

/// The branches of a run that nobody else moves while one of its steps is in progress.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct RunBranches {
    /// The folder of the branches of its phases and tasks, such as `refs/heads/arborist/plan/`.
    pub(crate) folder: String,
    /// The full name of the branch into which phases are merged. People may commit there.
    pub(crate) base: Option<String>,
}

impl RunBranches {
    /// Puts branches of the run back that are not as before, and keeps what they named. While another run is at work in this
    /// repository, nothing is known about who moves them.
    ///
    /// # Errors
    /// [`Kind::Unsafe`], naming them.
    pub(super) fn put_back(
        &self,
        before: &References,
        now: &References,
        source: SnapshotSource<'_>,
        changed_by: ChangedBy<'_>,
    ) -> Result<()> {
        let is_own = |name: &str| name == changed_by.head.branch;
        let is_watched = |name: &str| {
            !is_own(name) && (name.starts_with(&self.folder) || self.base.as_deref() == Some(name))
        };
        let mut strange = before.changed(now, is_watched);
        strange.retain(|moved| self.base.as_deref() != Some(moved.name) || !may_be_a_persons(moved, source));
        let is_other = |run: &ActiveRun| run.git_dir != source.work_tree.git_dir;
        if strange.is_empty() || active_runs(source.work_tree).iter().any(is_other) {
            return Ok(());
        }
        Err(refused(source.git, strange, changed_by.who))
    }
}

/// Whether a branch has nothing but new commits that claim nothing.
fn may_be_a_persons(moved: &MovedRef<'_>, source: SnapshotSource<'_>) -> bool {
    let (Some(old), Some(new)) = (moved.wanted, moved.now) else { return false };
    is_on_top_without_claims(source.git, source.repository, &old, &new)
}

/// What a branch leads to if it is a link to another reference.
pub(super) fn link_of(source: SnapshotSource<'_>, branch: &str) -> Option<String> {
    // In tables, only git could tell.
    let text = files::read(&source.work_tree.common_dir.join(branch), files::SMALL).ok()?;
    text.starts_with(b"ref:").then(|| String::from_utf8_lossy(&text).trim_end().to_owned())
}

/// Makes the branch of a step an ordinary branch again if it has become a link to another reference since: commits would go
/// there. `before` is what it led to.
///
/// # Errors
/// [`Kind::Unsafe`](crate::error::Kind::Unsafe) if it has.
pub(super) fn make_direct(
    source: SnapshotSource<'_>,
    head: &Head,
    before: Option<&str>,
    who: &str,
) -> Result<()> {
    let link = link_of(source, &head.branch);
    if link.is_none() || link.as_deref() == before {
        return Ok(());
    }
    let now = source.git.commit_named(&head.branch)?;
    let moved = MovedRef { name: &head.branch, wanted: Some(head.commit), now };
    Err(refused(source.git, vec![moved], who))
}
