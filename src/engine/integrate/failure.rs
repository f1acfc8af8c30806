//! A task that could not be integrated, and why. The next attempt at it learns that.

use super::parts::Candidate;
use crate::engine::integration_failure::IntegrationFailure;
use crate::plan::NodeIx;
use crate::record::{CommitId, TaskId};
use crate::suite::TestRun;
use crate::text::tail;

/// How many characters of the output of a failed command the next attempt gets.
const OUTPUT: usize = 8000;

/// A task whose branch could not be merged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FailedIntegration {
    /// The task.
    pub leaf: NodeIx,
    /// Its id.
    pub task: TaskId,
    /// The tip of its branch.
    pub tip: CommitId,
    /// The commit into which it was merged.
    pub onto: CommitId,
    /// Why that failed.
    pub why: IntegrationFailure,
}

impl FailedIntegration {
    pub(super) fn of_conflicts(
        candidate: &Candidate,
        task: TaskId,
        onto: CommitId,
        files: Vec<String>,
    ) -> Self {
        let (leaf, tip) = (candidate.leaf, candidate.branch.tip);
        Self { leaf, task, tip, onto, why: IntegrationFailure::Conflicts(files) }
    }

    pub(super) fn of_run(candidate: &Candidate, task: TaskId, onto: CommitId, failed: &TestRun) -> Self {
        let output = [&failed.result.stdout, &failed.result.stderr]
            .map(|captured| crate::text::clean(&captured.to_bytes_with_note()))
            .into_iter()
            .filter(|text| !text.trim().is_empty())
            .collect::<Vec<_>>()
            .join("\n");
        let why = IntegrationFailure::Tests {
            command: failed.command.clone(),
            status: failed.status(),
            output: tail(&output, OUTPUT),
        };
        Self { leaf: candidate.leaf, task, tip: candidate.branch.tip, onto, why }
    }

    /// Why it failed, as a clause.
    #[must_use]
    pub fn clause(&self) -> String {
        self.why.clause()
    }
}
