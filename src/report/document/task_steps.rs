//! The steps of a task, and what shows that it is done.

use serde::{Serialize, Serializer};

use super::step::{Moment, RunAttempt};
use crate::record::{CommitId, Counts, Finding, ProofRecord, TaskWord};

/// The steps of a task, and what follows from them.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TaskSteps<'a> {
    /// The commit that has landed its work, if a landed commit is what completes it here.
    pub landed: Option<CommitId>,
    /// When its first step began.
    pub began: Option<Moment>,
    /// When its last step was committed.
    pub ended: Option<Moment>,
    /// What shows that the task is done. Of a task that is not complete, it is what its latest steps say.
    pub evidence: Evidence,
    /// The findings that still apply.
    pub findings: Vec<Finding>,
    /// Its attempts, oldest first, with all their steps in the run, also those that do not count any more.
    pub attempts: Vec<RunAttempt<'a>>,
    /// The files that its steps wrote besides the code.
    pub artifacts: Vec<Artifact<'a>>,
}

/// What shows that a task is done.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Evidence {
    /// What is known of it, if it is complete.
    pub word: Option<TaskWord>,
    /// Whether a person vouches for it.
    pub vouched: bool,
    /// The commit of the tests that passed since the last change.
    pub tested: Option<CommitId>,
    /// What these tests counted.
    pub tests: Option<Counts>,
    /// Why its tests failed before the code was written: `test` or `build`; only of test-first tasks.
    pub red: Option<String>,
    /// The coverage of all the code in percent, such as lines=85.3.
    pub coverage: Option<String>,
    /// How many of the changed lines the tests run, such as 37/41.
    pub changed_coverage: Option<String>,
    /// Whether its tests and its review are recorded in a run that is not here: a landed commit is all there is.
    pub landed: bool,
    /// The commit of the approval since the last change.
    pub reviewed: Option<CommitId>,
    /// Who approved it.
    pub reviewer: Option<String>,
    /// What the runs of the proof have shown.
    #[serde(serialize_with = "as_text")]
    #[cfg_attr(test, schemars(with = "Option<String>"))]
    pub proof: Option<ProofRecord>,
}

/// The proof as its trailer has it.
fn as_text<S: Serializer>(proof: &Option<ProofRecord>, serializer: S) -> Result<S::Ok, S::Error> {
    proof.as_ref().map(ToString::to_string).serialize(serializer)
}

/// A file that a step wrote besides the code.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Artifact<'a> {
    /// A description of it.
    pub kind: &'static str,
    /// Its path, relative to the top of the work tree.
    pub path: &'a str,
    /// The commit of its step.
    pub commit: CommitId,
}
