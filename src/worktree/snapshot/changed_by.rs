//! The repository that is compared, and the program that worked there between two snapshots.

use crate::git::{Git, Head, WorkTree};
use crate::history::Repository;

/// The repository that a snapshot is taken of.
#[derive(Clone, Copy)]
pub(crate) struct SnapshotSource<'a> {
    /// git, called at the top of the work tree.
    pub(crate) git: &'a Git,
    /// The work tree.
    pub(crate) work_tree: &'a WorkTree,
    /// Its history.
    pub(crate) repository: &'a Repository,
}

/// The program that may have changed the repository, and the branch before it worked.
#[derive(Clone, Copy)]
pub(crate) struct ChangedBy<'a> {
    /// For messages: `the runner`.
    pub(crate) who: &'a str,
    /// The head of our branch.
    pub(crate) head: &'a Head,
    /// What became of the step.
    pub(crate) fate: StepFate,
}

/// What became of a step after which the repository is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StepFate {
    /// It was not committed.
    NotCommitted,
    /// Its commit was made, and then the run was killed.
    Committed,
}

impl StepFate {
    /// A sentence for messages about files and settings that start programs.
    pub(super) fn sentence(self) -> &'static str {
        match self {
            Self::NotCommitted => "The step was not committed, and nothing was run for them.",
            Self::Committed => "The step was committed before its run was killed.",
        }
    }
}
