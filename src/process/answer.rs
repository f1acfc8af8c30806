//! Asks a program a small question.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use super::call::{CallLimit, call};

/// How long the program may take.
const LIMIT: Duration = Duration::from_secs(5);

/// What a program prints to standard output, if it succeeds within seconds.
#[must_use]
pub fn answer_of(program: &Path, args: &[OsString]) -> Option<String> {
    let mut command = Command::new(program);
    command.args(args);
    let finished = call(command, Vec::new(), &CallLimit::within(LIMIT)).ok()?;
    finished.status.success().then(|| String::from_utf8_lossy(&finished.stdout).into_owned())
}
