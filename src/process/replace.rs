//! Replaces this process by another program, so that signals, terminal and exit status pass through.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::Command;

use crate::error::{Error, Kind};

/// Becomes `program`. It returns only if that is not possible, with the reason.
#[must_use]
pub fn become_program(program: &Path, args: &[OsString]) -> Error {
    let error = Command::new(program).args(args).exec();
    Error::new(
        Kind::Environment,
        format!("{} could not be started: {error}", program.display()),
        "Check that the file is a program for this machine.",
    )
}
