//! How a run has ended, for those who read its events.

use serde::{Deserialize, Serialize};

use crate::record::UsageTotal;

/// What is known at the end of a run. After an error, only the first fields are known.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct StreamEnd {
    /// The exit status of the command.
    pub status: u8,
    /// Why the run ended; `None` for an error.
    #[cfg_attr(test, schemars(extend("enum" = ["complete", "failed", "phase-failed", "suite-failed", "waiting", "question", "approval", "until", "max-time", "max-cost", "max-tokens", "task-budget", "max-tasks", "gate", "stop", null])))]
    pub reason: Option<String>,
    /// The error, or why the run ended before everything was complete; `None` if there is nothing to say.
    pub message: Option<String>,
    /// What to do next; `None` if there is nothing to say.
    pub remedy: Option<String>,
    /// How many tasks are complete; `None`, like the other counts, if the run ended before this was known.
    pub complete: Option<usize>,
    /// How many tasks there are.
    pub total: Option<usize>,
    /// The failed tasks.
    pub failed: Option<Vec<String>>,
    /// The phases whose own tests failed.
    pub failed_phases: Option<Vec<String>>,
    /// The tasks that are neither complete nor failed.
    pub open: Option<Vec<String>>,
    /// What the agents of the run have used.
    pub used: Option<UsageTotal>,
    /// How many attempts the run has made.
    pub attempts: Option<usize>,
    /// How long it has taken, in seconds.
    pub duration: Option<f64>,
}
