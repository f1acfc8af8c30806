//! What is known of a phase, or of another node with tasks below it.

use serde::Serialize;

use super::figures::Figures;
use super::step::Moment;
use super::{InPlan, RunTask, TaskCounts};
use crate::plan::NodeIx;
use crate::record::{CommitId, Finding};

/// A phase: a root of the tree and everything below it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RunPhase<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its name.
    pub name: &'a str,
    /// The id of the node above it; `None` for a phase.
    pub parent: Option<&'a str>,
    /// The ids of the nodes on which it depends.
    pub depends_on: Vec<&'a str>,
    /// Its tasks.
    pub total: usize,
    /// Its complete tasks.
    pub complete: usize,
    /// Whether a commit marks it as complete.
    pub marked: bool,
    /// The commit that marks it.
    pub marker: Option<MarkCommit>,
    /// The commit that says that its tests, or the suite after them, have failed.
    pub failed_tests: Option<MarkCommit>,
    /// What its end has found: what fails, or what is only a warning.
    pub findings: &'a [Finding],
    /// Which commands failed there, and the end of their output; `None` if its tests have not failed.
    pub output: Option<&'a str>,
    /// The branch of the phase, as long as it is not merged into the base branch.
    pub branch: Option<&'a str>,
    /// What a report adds.
    #[serde(flatten)]
    pub(crate) report: Option<PhaseReport<'a>>,
    /// What the plan says about it, where that is asked for.
    #[serde(flatten)]
    pub in_plan: Option<InPlan<'a>>,
    /// The tasks below it, where it is shown alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Vec<RunTask<'a>>>,
    #[serde(skip)]
    pub(crate) node: NodeIx,
    #[serde(skip)]
    pub(crate) counts: TaskCounts,
}

/// The commit of a step of a phase.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct MarkCommit {
    /// Its id.
    pub commit: CommitId,
    /// Its committer date.
    pub time: Moment,
}

/// What a report says of a phase besides.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct PhaseReport<'a> {
    /// All the tasks together.
    pub(crate) figures: Figures,
    /// The nodes below it, depth first, which are no tasks.
    pub(crate) groups: Vec<Group<'a>>,
}

/// A node between a phase and its tasks.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Group<'a> {
    /// Its id.
    pub(crate) id: &'a str,
    /// Its name.
    pub(crate) name: &'a str,
    /// The id of the node above it.
    pub(crate) parent: &'a str,
}

impl<'a> RunPhase<'a> {
    /// All its tasks together, in a report.
    ///
    /// # Panics
    /// If it is not part of a report.
    pub(crate) fn figures(&self) -> &Figures {
        &self.report.as_ref().expect("a view of a report is given a report").figures
    }
}
