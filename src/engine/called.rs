//! The runner that has done a step.

use crate::agents::{Runner, RunnerResult};
use crate::record::Usage;

/// The runner that has done a step, and how.
pub(super) struct Called<'p> {
    /// The runner.
    pub(super) runner: &'p Runner,
    /// The result of its last call.
    pub(super) result: RunnerResult,
    /// What all calls have used.
    pub(super) usage: Usage,
}
