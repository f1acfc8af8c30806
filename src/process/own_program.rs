//! Finds the program of this process, and replaces this process by another program, so that signals, terminal and exit status
//! pass through.

use std::ffi::OsString;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Kind};

/// The path of the program that this process is running. If the system does not tell, as Linux without `/proc`, it is the
/// one that was called: by its path, or by its name on `PATH`.
///
/// # Errors
/// If it is not found.
pub fn own_program() -> io::Result<PathBuf> {
    std::env::current_exe().or_else(|error| {
        let why = || {
            io::Error::new(
                error.kind(),
                format!("{error} Start git-arborist by its full path, or mount /proc"),
            )
        };
        called().ok_or_else(why)
    })
}

/// The program that the first argument names, which its caller may have chosen freely.
fn called() -> Option<PathBuf> {
    let name = std::env::args_os().next()?;
    let program = if Path::new(&name).components().count() > 1 {
        std::env::current_dir().ok()?.join(name)
    } else {
        which::which(name).ok()?
    };
    program.is_file().then_some(program)
}

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
