//! Runs whose branch accepts no pushes: what is merged is collected on another branch, from which a pull request is opened. As soon
//! as the remote repository has this branch, all workers take it for the branch of the run, until the request is merged.

use crate::error::Result;
use crate::git::{Git, RemoteTips};
use crate::record::CommitId;
use crate::run::MERGED_BRANCH;
use crate::session::Session;

/// The branch of the remote repository to which merges are pushed.
#[derive(Clone, Debug)]
pub(super) struct MergeTarget {
    /// Its name.
    pub(super) branch: String,
    /// What it names.
    pub(super) tip: CommitId,
    /// Whether it has something that the branch of the run does not have.
    pub(super) is_ahead: bool,
}

/// The branch that collects what is merged, if the branch of the run is moved only by pull requests. The branches of the run are in
/// this folder.
pub(super) fn collecting_branch(folder: &str) -> String {
    format!("{folder}/{MERGED_BRANCH}")
}

/// What is collected on a branch of its own.
#[derive(Clone, Copy)]
pub(crate) struct Collected<'a> {
    /// The clone, in which both branches are.
    pub(crate) session: &'a Session,
    /// git there, with the logins of this call.
    pub(crate) git: &'a Git,
    /// The branch that collects.
    pub(crate) branch: &'a str,
    /// The branch of the run.
    pub(crate) base: &'a str,
    /// The name of the remote repository in the clone.
    pub(crate) remote: &'a str,
}

/// Opens or updates the request for what is collected.
pub(crate) type Deliver<'d> = &'d dyn Fn(Collected<'_>) -> Result<()>;

impl MergeTarget {
    /// The branch of the run itself, which has this tip.
    pub(super) fn run(branch: &str, tip: CommitId) -> Self {
        Self { branch: branch.to_owned(), tip, is_ahead: false }
    }

    /// The branch that collects what is merged, if there is one among those of the remote repository; otherwise, this one.
    pub(super) fn or_collecting(self, git: &Git, folder: Option<&str>, tips: &RemoteTips) -> Result<Self> {
        let Some(folder) = folder else { return Ok(self) };
        let branch = collecting_branch(folder);
        Ok(match tips.get(&branch).copied() {
            Some(tip) => Self { branch, tip, is_ahead: !git.is_ancestor(&tip, &self.tip)? },
            None => self,
        })
    }
}
