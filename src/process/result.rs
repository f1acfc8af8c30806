//! The result of a job: how it ended, what it wrote, and which processes it left.

use super::{Captured, StartError};
use crate::text::{self, ellipsis, one_line};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;
use std::fmt;
use std::time::Duration;

/// The result of a job.
#[derive(Debug)]
pub struct JobResult {
    /// How it ended.
    pub exit_reason: ExitReason,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// The time from the start until the program and everything that it left behind had ended.
    pub duration: Duration,
    /// The processes that were still running a moment after the program had ended by itself. They have been ended.
    pub leaked: Vec<ProcessName>,
    /// The processes that not even SIGKILL could end, because they hang in the kernel or belong to another user.
    pub survivors: Vec<ProcessName>,
}

/// How a job ended.
#[derive(Debug)]
pub enum ExitReason {
    /// By itself, with this exit status.
    Exited(i32),
    /// By a signal that did not come from us.
    Signalled(i32),
    /// Unknown, because its helper was killed. The job has been ended.
    Unknown,
    /// It was ended after this time, its timeout.
    TimedOut {
        /// The timeout.
        after: Duration,
    },
    /// It was ended, or not even started, because its [`Cancel`](super::Cancel) was requested.
    Cancelled,
    /// It was ended because its [`Watcher`](super::Watcher) asked for it.
    EndedEarly,
    /// It was ended because it wrote more than this many bytes.
    Flooded {
        /// The limit, [`Limits::flood`](super::Limits::flood).
        limit: u64,
    },
    /// It never ran.
    CouldNotStart(StartError),
}

/// The name of a process in messages.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
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

impl fmt::Display for ExitReason {
    /// How the job ended, as a clause.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exited(status) => write!(f, "exit status {status}"),
            Self::Signalled(signal) => write!(f, "killed by signal {signal}"),
            Self::Unknown => f.write_str("ended with an unknown exit status"),
            Self::TimedOut { after } => write!(f, "ended after its timeout of {}", text::duration(*after)),
            Self::Flooded { limit } => write!(f, "ended because it printed more than {} MiB", limit >> 20),
            Self::EndedEarly => f.write_str("ended early"),
            Self::Cancelled => f.write_str("stopped"),
            Self::CouldNotStart(error) => write!(f, "it did not start: {error}"),
        }
    }
}

/// The exit statuses of programs that were ended by a signal and of shells whose program was: 128 and SIGHUP, SIGINT, SIGABRT,
/// SIGBUS, SIGKILL, SIGSEGV or SIGTERM.
const AFTER_SIGNAL: [i32; 7] = [129, 130, 134, 135, 137, 139, 143];

impl ExitReason {
    /// Whether a signal ended the job that did not come from us, as far as one can tell: it may have reached only a program
    /// that a shell had started.
    #[must_use]
    pub fn is_by_signal(&self) -> bool {
        match self {
            Self::Signalled(_) | Self::Unknown => true,
            Self::Exited(status) => AFTER_SIGNAL.contains(status),
            _ => false,
        }
    }

    /// The exit status, if it ended by itself.
    #[must_use]
    pub fn status(&self) -> Option<i32> {
        match self {
            Self::Exited(status) => Some(*status),
            _ => None,
        }
    }
}

/// How much of a last line is shown, in characters.
const LINE: usize = 200;

impl JobResult {
    /// The last line that the program printed on standard error, or on standard output if standard error is empty.
    #[must_use]
    pub fn last_line(&self) -> Option<String> {
        self.last_line_that(|_| true)
    }

    /// The last line of them of which this is true.
    #[must_use]
    pub fn last_line_that(&self, is_wanted: impl Fn(&str) -> bool) -> Option<String> {
        let of =
            |text: String| text.lines().rev().map(one_line).find(|line| !line.is_empty() && is_wanted(line));
        let line = of(self.stderr.tail_lossy(4096)).or_else(|| of(self.stdout.tail_lossy(4096)))?;
        Some(ellipsis(&line, LINE))
    }

    /// The same result with its outputs transformed.
    #[must_use]
    pub fn map_outputs(self, change: impl Fn(&[u8]) -> Cow<'_, [u8]>) -> Self {
        let own = |output: &[u8]| change(output).into_owned();
        Self { stdout: self.stdout.map(own), stderr: self.stderr.map(own), ..self }
    }

    /// A job that never ran.
    pub(super) fn without_start(exit_reason: ExitReason) -> Self {
        Self {
            exit_reason,
            stdout: Captured::default(),
            stderr: Captured::default(),
            duration: Duration::ZERO,
            leaked: Vec::new(),
            survivors: Vec::new(),
        }
    }
}
