//! Takes note of what a program has left behind when it ended: processes, and perhaps lock files.

use std::time::SystemTime;

use crate::agents::{ExitReason, JobResult};
use crate::engine::run_context::context::RunContext;

/// Records that a program was killed: a git command that it ran may have left lock files behind.
pub(super) fn note_killed(run: &RunContext<'_>, result: &JobResult, started: SystemTime) {
    let by_itself = matches!(result.exit_reason, ExitReason::Exited(_) | ExitReason::CouldNotStart(_));
    if !by_itself || !result.leaked.is_empty() {
        run.git.killed_programs().note(started);
    }
}

/// Names the processes that a program has left running.
pub(super) fn name_leaks(run: &RunContext<'_>, result: &JobResult, who: &str) {
    for process in &result.leaked {
        run.warn(&format!("{who} left {process} running; it has been ended"));
    }
    for process in &result.survivors {
        run.warn(&format!("{who} left {process} running, and it could not be ended"));
    }
}
