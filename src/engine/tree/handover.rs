//! The result of the work on a unit: of a runner that the engine has called, or of somebody else.

use std::time::Duration;

use crate::agents::{ExitReason, Runner, RunnerResult};
use crate::record::Usage;

/// The result of a worker, handed over when the work on a unit is done.
#[derive(Debug)]
pub struct Handover {
    /// The name of the worker, for the `Arborist-Runner` trailer.
    pub worker: String,
    /// The words of the worker, including a reviewer's verdict.
    pub said: Vec<u8>,
    /// Whether they are certainly its answer, and not those of a program that could not begin: it reports its work as events.
    pub has_answered: bool,
    /// Whether it has ended well and printed something as its answer.
    pub has_spoken: bool,
    /// How the worker ended.
    pub exit_reason: ExitReason,
    /// Why the attempt has failed, as a clause; `None` if the worker has ended well.
    pub failure: Option<String>,
    /// The last line that the worker printed, for messages.
    pub last_line: Option<String>,
    /// How long it took.
    pub duration: Duration,
    /// What it has used, as far as it reports that.
    pub usage: Usage,
    /// The tools that it was not allowed to use, as far as it reports that.
    pub denied: Vec<String>,
}

impl Handover {
    /// Work that was not done by a program that we ran.
    #[must_use]
    pub fn by_hand(worker: &str, said: &[u8], duration: Duration) -> Self {
        Self {
            worker: worker.to_owned(),
            said: said.to_vec(),
            has_answered: true,
            has_spoken: true,
            exit_reason: ExitReason::Exited(0),
            failure: None,
            last_line: None,
            duration,
            usage: Usage::default(),
            denied: Vec::new(),
        }
    }

    /// The work of a program. Its words are `said` or, if that is empty, its standard error.
    pub(crate) fn of(called: Called<'_>) -> Self {
        let Called { runner, result, usage } = called;
        let denied = result.denied().map(str::to_owned).collect();
        let has_answered = result.activity.final_message.is_some();
        let (worker, failure, result) = (runner.label(), result.failure, result.job);
        let out = result.stdout.to_bytes_with_note();
        let has_spoken = failure.is_none() && !out.trim_ascii().is_empty();
        let said = if out.trim_ascii().is_empty() { result.stderr.to_bytes_with_note() } else { out };
        let last_line = result.last_line();
        let (duration, exit_reason) = (result.duration, result.exit_reason);
        Self {
            worker,
            said,
            has_answered,
            has_spoken,
            last_line,
            duration,
            exit_reason,
            failure,
            usage,
            denied,
        }
    }
}

/// The runner that has done a step, and how.
pub(crate) struct Called<'p> {
    /// The runner.
    pub(crate) runner: &'p Runner,
    /// The result of its last call.
    pub(crate) result: RunnerResult,
    /// What all calls have used.
    pub(crate) usage: Usage,
}
