//! Describes in words how a program ended.

use crate::agents::{ExitReason, JobResult};
use crate::text::{ellipsis, one_line};

/// How much of a last line is shown, in characters.
const LINE: usize = 200;

/// How a program ended, as a clause.
#[must_use]
pub fn describe(exit_reason: &ExitReason) -> String {
    match exit_reason {
        ExitReason::Exited(status) => format!("exit status {status}"),
        ExitReason::Signalled(signal) => format!("killed by signal {signal}"),
        ExitReason::Unknown => "ended with an unknown exit status".to_owned(),
        ExitReason::TimedOut { after } => {
            format!("ended after its timeout of {}", crate::text::duration(*after))
        }
        ExitReason::Flooded { limit } => format!("ended because it printed more than {} MiB", limit >> 20),
        ExitReason::Cancelled => "stopped".to_owned(),
        ExitReason::CouldNotStart(error) => format!("it did not start: {error}"),
    }
}

/// The last line that a program printed on standard error, or on standard output if standard error is empty.
pub(in crate::engine) fn last_line(result: &JobResult) -> Option<String> {
    let of = |text: String| text.lines().rev().map(one_line).find(|line| !line.is_empty());
    let line = of(result.stderr.tail_lossy(4096)).or_else(|| of(result.stdout.tail_lossy(4096)))?;
    Some(ellipsis(&line, LINE))
}
