//! Finds the program of this process.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};

/// The path of the program that this process is running. If the system does not tell, as Linux without `/proc`, it is the
/// one that was called: by its path, or by its name on `PATH`.
///
/// # Errors
/// If it is not found.
pub fn own_program() -> Result<PathBuf> {
    std::env::current_exe().or_else(|error| {
        let why = || {
            Error::new(error.kind(), format!("{error} Start git-arborist by its full path, or mount /proc"))
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
