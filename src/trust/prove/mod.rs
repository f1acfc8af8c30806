//! Repeats the proof that a task is done, from its commits alone, with the task's test commands, in a scratch work tree that
//! is switched from one combination of versions to the next.
//!
//! - **clean**: the files of the commit as they are in git. The tests pass: nothing depends on files that are not committed.
//! - **old**: the changed source with the files that judge as they were before the task. Every test passes that passed then:
//!   none was weakened, shadowed or replaced to make the change pass.
//! - **red**: the changed tests with the source from before the task. A test fails that passes in clean: the tests test this
//!   change. Where nothing can be loaded without the change, what it adds gives empty values instead.
//! - **canary**: one more test, which fails. The commands fail and count it: runner, assertion and exit status work.
//!
//! What is undone is the change of the task alone ([`OwnChange`]): other commits that came between its own, by people or by
//! other tasks, stay. Nothing here reads what a test or a source file says, apart from where a test can be added, or a
//! value changed.

mod before;
mod canary;
mod files;
mod hollow;
mod judged;
mod looks;
mod noticing;
mod prover;
mod report;
mod traces;

use crate::plan::{Expect, PathPattern, TestCommand};
use crate::record::{AwaitedTests, CommitId, Counts};

pub use canary::Trial;
pub use prover::{ProofStage, ProofWatcher, Prover, ProverParts};
pub use report::{JudgingFiles, NothingRan, Proof, ProofRunReport, ProofSeverity};

/// What is to be proven.
#[derive(Clone, Debug)]
pub struct ProofSubject {
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
    /// The number of tests before the change, if this run has seen it.
    pub before: Option<Counts>,
    /// The tests that may fail, because a later task writes their code.
    pub awaited: AwaitedTests,
    /// The number of tests that the task's test step counted.
    pub recorded: Option<Counts>,
    /// Whether tests of the task that failed in an attempt were changed since.
    pub has_rewritten_tests: bool,
    /// The installed packages, as paths from the top, that were changed while the task was worked on.
    pub packages: Vec<String>,
}

impl ProofSubject {
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
            has_rewritten_tests: false,
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
