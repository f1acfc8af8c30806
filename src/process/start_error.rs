//! Finds out exactly why a program cannot be started.
//!
//! The errors of the system are not enough: the same ENOENT means a missing program, a missing interpreter or a missing
//! directory. So these are checked beforehand.

use crate::files;
use rustix::fs::Access;
use rustix::io::Errno;
use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Why a program could not be started.
#[derive(Debug)]
pub enum StartError {
    /// The path of the program is relative: which file it means would depend on the directory.
    NotAbsolute(PathBuf),
    /// There is no such file.
    NotFound(PathBuf),
    /// It is not a file, may not be executed, or is on a file system mounted `noexec`.
    NotExecutable(PathBuf),
    /// It is a text without a first line `#!...`, or empty. Only some systems would run it as a shell script.
    NoShebang(PathBuf),
    /// The interpreter in its first line does not exist or, for a binary, the loader.
    BadInterpreter {
        /// The program.
        program: PathBuf,
        /// The interpreter as written in the first line; `None` for a binary.
        interpreter: Option<String>,
    },
    /// The directory to run in does not exist, is not a directory, or must not be entered.
    NoDirectory(PathBuf),
    /// Arguments and environment together are too long for the system.
    ArgumentsTooLong,
    /// An argument or a variable contains a NUL byte.
    NulByte,
    /// The helper for it could not be started, or ended at once.
    NoHelper(io::Error),
    /// Any other error.
    Other(io::Error),
}

impl StartError {
    /// What to do if a shell could not be started.
    #[must_use]
    pub fn remedy_for_shell(&self) -> &'static str {
        match self {
            Self::NoHelper(_) => {
                "This is not about the command. Correct that, then run the same command again."
            }
            Self::NoDirectory(_) => "Make the folder again, then run the same command again.",
            Self::ArgumentsTooLong | Self::NulByte => "Shorten or correct the command and its environment.",
            _ => "A POSIX shell `sh` is needed on PATH.",
        }
    }
}

impl fmt::Display for StartError {
    /// A clause without a full stop, as [`Error`](crate::error::Error) wants it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotAbsolute(path) => write!(f, "the program {path:?} is not given by its absolute path"),
            Self::NotFound(path) => write!(f, "the program {path:?} does not exist"),
            Self::NotExecutable(path) => write!(f, "{path:?} cannot be executed"),
            Self::NoShebang(path) => write!(f, "{path:?} is neither a binary nor begins with #!"),
            Self::BadInterpreter { program, interpreter: Some(name) } => {
                write!(f, "the interpreter {name:?} of {program:?} does not exist")
            }
            Self::BadInterpreter { program, interpreter: None } => {
                write!(f, "the binary {program:?} needs a loader that does not exist here")
            }
            Self::NoDirectory(path) => write!(f, "the directory {path:?} cannot be entered"),
            Self::ArgumentsTooLong => write!(f, "arguments and environment are too long"),
            Self::NulByte => write!(f, "an argument or a variable contains a NUL byte"),
            Self::NoHelper(error) => {
                write!(f, "the helper that watches over it could not be started: {error}")
            }
            Self::Other(error) => write!(f, "the program could not be started: {error}"),
        }
    }
}

impl std::error::Error for StartError {}

/// Checks a program, and the directory in which it should run, before it is started.
pub(super) fn check(program: &Path, directory: &Path, args: &[OsString]) -> Result<(), StartError> {
    check_directory(directory)?;
    check_program(program)?;
    let paths = [program.as_os_str(), directory.as_os_str()].into_iter();
    if paths.chain(args.iter().map(OsString::as_os_str)).any(|text| text.as_encoded_bytes().contains(&0)) {
        return Err(StartError::NulByte);
    }
    Ok(())
}

fn check_directory(directory: &Path) -> Result<(), StartError> {
    let enterable = directory.is_dir() && rustix::fs::access(directory, Access::EXEC_OK).is_ok();
    if enterable { Ok(()) } else { Err(StartError::NoDirectory(directory.to_owned())) }
}

fn check_program(program: &Path) -> Result<(), StartError> {
    if !program.is_absolute() {
        return Err(StartError::NotAbsolute(program.to_owned()));
    }
    let metadata = fs::metadata(program).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => StartError::NotFound(program.to_owned()),
        io::ErrorKind::PermissionDenied => StartError::NotExecutable(program.to_owned()),
        _ => StartError::Other(error),
    })?;
    if !metadata.is_file() || rustix::fs::access(program, Access::EXEC_OK).is_err() {
        return Err(StartError::NotExecutable(program.to_owned()));
    }
    match beginning(program) {
        // The C library may run such a file with /bin/sh; an empty one would then succeed at everything.
        Some(bytes) if !bytes.starts_with(b"#!") && !bytes.contains(&0) => {
            Err(StartError::NoShebang(program.to_owned()))
        }
        _ => Ok(()),
    }
}

/// The meaning of an error of the system, given that directory and program exist.
pub(super) fn explain(error: io::Error, program: &Path) -> StartError {
    match error.kind() {
        io::ErrorKind::NotFound => {
            StartError::BadInterpreter { program: program.to_owned(), interpreter: interpreter(program) }
        }
        io::ErrorKind::PermissionDenied => StartError::NotExecutable(program.to_owned()),
        io::ErrorKind::ArgumentListTooLong => StartError::ArgumentsTooLong,
        io::ErrorKind::InvalidInput => StartError::NulByte,
        _ if Errno::from_io_error(&error) == Some(Errno::NOEXEC) => StartError::NoShebang(program.to_owned()),
        _ => StartError::Other(error),
    }
}

/// The interpreter that a script names in its first line.
fn interpreter(program: &Path) -> Option<String> {
    let bytes = beginning(program)?;
    let line = bytes.strip_prefix(b"#!")?.split(|&byte| byte == b'\n').next()?;
    let words = String::from_utf8_lossy(line).into_owned();
    // A carriage return at the end is part of the name that the system looks for, and usually it is the mistake.
    words.trim_matches([' ', '\t']).split([' ', '\t']).next().map(str::to_owned)
}

/// The first bytes of a file; `None` if it cannot be read, because a program need not be readable.
fn beginning(program: &Path) -> Option<Vec<u8>> {
    files::open(program).ok()?.read_beginning(512).ok()
}
