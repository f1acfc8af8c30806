//! The result of a finished git command.

use std::process::{ExitStatus, Output};

/// The result of a finished git command.
#[derive(Debug)]
pub struct GitOutput {
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: Vec<u8>,
    /// Its standard error, as text.
    pub stderr: String,
}

impl From<Output> for GitOutput {
    fn from(output: Output) -> Self {
        Self {
            status: output.status,
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}
