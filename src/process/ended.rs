//! What became of a job: how it ended, what it wrote, and which processes it left.

use super::Captured;
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// The end of a job.
#[derive(Debug)]
pub struct Ended {
    /// How it ended.
    pub end: End,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// From the start to the end of the program and of all that it left behind.
    pub duration: Duration,
    /// What was still running a moment after the program had ended by itself. It has been ended.
    pub leaked: Vec<ProcessName>,
    /// What not even SIGKILL could end: it hangs in the kernel, or belongs to another user.
    pub survivors: Vec<ProcessName>,
    /// What became of the log.
    pub log: Logged,
}

/// How a job ended.
#[derive(Debug)]
pub enum End {
    /// By itself, with this exit status.
    Exited(i32),
    /// By a signal that did not come from us.
    Signalled(i32),
    /// It ended, but somebody else took its exit status: SIGCHLD is ignored in our process.
    Unknown,
    /// It was ended after this time, its timeout.
    TimedOut {
        /// The timeout.
        after: Duration,
    },
    /// It was ended, or not even started, because its [`Stop`](super::Stop) was asked.
    Stopped,
    /// It was ended because it wrote more than this many bytes.
    Flooded {
        /// The limit, [`Limits::flood`](super::Limits::flood).
        limit: u64,
    },
    /// It never ran.
    CouldNotStart(StartError),
}

/// Why a program could not be started.
#[derive(Debug)]
pub enum StartError {
    /// The path of the program is relative: which file it means would depend on the directory.
    NotAbsolute(PathBuf),
    /// There is no such file.
    NotFound(PathBuf),
    /// It is a directory or other thing, not permitted to be executed, or on a file system mounted `noexec`.
    NotExecutable(PathBuf),
    /// It is a text without a first line `#!...`, or empty. Some systems would run it as a shell script, others not.
    NoShebang(PathBuf),
    /// The interpreter in its first line does not exist, or for a binary the loader.
    BadInterpreter {
        /// The program.
        program: PathBuf,
        /// The interpreter as it is written there; `None` for a binary.
        interpreter: Option<String>,
    },
    /// The directory to run in does not exist, is no directory, or must not be entered.
    NoDirectory(PathBuf),
    /// Arguments and environment together are too long for the system.
    ArgumentsTooLong,
    /// An argument or a variable contains a NUL byte.
    NulByte,
    /// Any other error.
    Other(io::Error),
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
            Self::Other(error) => write!(f, "the program could not be started: {error}"),
        }
    }
}

impl std::error::Error for StartError {}

/// What became of a job's log.
#[derive(Debug)]
pub enum Logged {
    /// No log was asked for.
    None,
    /// Everything is in it.
    Whole,
    /// The beginning is in it, then a note.
    Cut {
        /// How many bytes are not in it.
        omitted: u64,
    },
    /// It could not be written; it ends at some point before.
    Failed(io::Error),
}

/// A process, as it is named to people.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ProcessName {
    /// Its process id.
    pub pid: i32,
    /// The short name that the system keeps (on Linux up to 15 characters), without control characters; never its
    /// arguments, in which there may be secrets.
    pub name: String,
}

impl fmt::Display for ProcessName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (process {})", self.name, self.pid)
    }
}

impl Ended {
    /// A job that never ran.
    pub(super) fn without_start(end: End) -> Self {
        Self {
            end,
            stdout: Captured::default(),
            stderr: Captured::default(),
            duration: Duration::ZERO,
            leaked: Vec::new(),
            survivors: Vec::new(),
            log: Logged::None,
        }
    }
}
