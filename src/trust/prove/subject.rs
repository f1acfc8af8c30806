//! What is to be proven.

use crate::plan::{Expect, PathPattern, TestCommand};
use crate::record::{AwaitedTests, CommitId, Counts};

/// What is to be proven.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The commit whose files are judged.
    pub head: CommitId,
    /// The commits of the change itself, oldest first. What others committed between them is not undone.
    pub own: Vec<OwnChange>,
    /// The commands that judge it.
    pub commands: Vec<TestCommand>,
    /// What kind of change it is.
    pub expect: Expect,
    /// Patterns of files that judge the task and that it may change.
    pub may_change: Vec<PathPattern>,
    /// Patterns of further files that judge (`arborist.protect`).
    pub protected: Vec<PathPattern>,
    /// Files that are not part of the change, from the top: the plan.
    pub without: Vec<String>,
    /// The number of tests before the change, as the first step of the task records it.
    pub before: Option<Counts>,
    /// The tests that may fail, because a later task writes their code.
    pub awaited: AwaitedTests,
    /// The number of tests that the task's test step counted.
    pub recorded: Option<Counts>,
    /// The installed packages, as paths from the top, that were changed while the task was worked on.
    pub packages: Vec<String>,
}

impl Subject {
    /// The files of a commit, with nothing that would be undone.
    #[must_use]
    pub fn of_commit(head: CommitId, commands: Vec<TestCommand>) -> Self {
        Self {
            head,
            own: Vec::new(),
            commands,
            expect: Expect::default(),
            may_change: Vec::new(),
            protected: Vec::new(),
            without: Vec::new(),
            before: None,
            awaited: AwaitedTests::default(),
            recorded: None,
            packages: Vec::new(),
        }
    }
}

/// A part of a change: what happened between two commits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OwnChange {
    /// The commit before.
    pub before: CommitId,
    /// The commit with the change.
    pub after: CommitId,
}
