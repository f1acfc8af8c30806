//! What is landed from.

use crate::git::{Git, WorkTree};
use crate::history::{Repository, Run};
use crate::run::Plan;

/// The repository, the plan and the run.
#[derive(Clone, Copy)]
pub struct LandInputs<'a> {
    /// git, called at the top of the work tree.
    pub git: &'a Git,
    /// The work tree, which is not touched.
    pub work_tree: &'a WorkTree,
    /// Its history.
    pub repository: &'a Repository,
    /// The plan.
    pub plan: &'a Plan,
    /// Its run, as [`crate::run::read_run`] reads it.
    pub run: &'a Run,
}
