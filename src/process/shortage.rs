//! Recognises programs that have failed because the machine is short of processes, memory or disk space.

use std::fmt;
use std::io;

use rustix::io::Errno;

use super::result::{ExitReason, JobResult};
use super::start_error::StartError;

/// What a machine is short of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shortage {
    /// No further process or thread can be made.
    Processes,
    /// No memory is free.
    Memory,
    /// A disk is full.
    Disk,
}

/// How many of the last lines of an output are looked at.
const LINES: usize = 5;

/// The words by which the system says so, in lower case. A line has to contain all words of a row and to end with the last one, apart
/// from a place or a number: who speaks about such errors goes on.
const WORDS: &[(Shortage, &[&str])] = &[
    (Shortage::Processes, &["cannot fork"]),
    (Shortage::Processes, &["can't fork"]),
    (Shortage::Processes, &["fork", "resource temporarily unavailable"]),
    (Shortage::Processes, &["thread", "resource temporarily unavailable"]),
    (Shortage::Processes, &["spawn ", " eagain"]),
    (Shortage::Processes, &["blockingioerror", "resource temporarily unavailable"]),
    (Shortage::Memory, &["cannot allocate memory"]),
    (Shortage::Memory, &["spawn ", " enomem"]),
    (Shortage::Disk, &["no space left on device"]),
    (Shortage::Disk, &["disk quota exceeded"]),
];

impl Shortage {
    /// The shortage of which a program speaks in its last lines that has failed by itself.
    #[must_use]
    pub fn told_by(result: &JobResult) -> Option<Self> {
        if !matches!(result.exit_reason, ExitReason::Exited(status) if status != 0) {
            return None;
        }
        let tails = [&result.stderr, &result.stdout].map(|output| output.tail_lossy(4096).to_lowercase());
        let lines = |tail: &'_ str| -> Option<Self> {
            let mut lines = tail.lines().rev().filter(|line| !line.trim().is_empty()).take(LINES);
            lines.find_map(|line| {
                WORDS.iter().find(|(_, words)| says(line.trim(), words)).map(|(shortage, _)| *shortage)
            })
        };
        tails.iter().find_map(|tail| lines(tail))
    }

    /// What a person can do about it, as a sentence.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        match self {
            Self::Processes => {
                "End other programs, raise the limit (`ulimit -u`), or work on fewer tasks at the same time (--jobs)."
            }
            Self::Memory => "Free some memory, or work on fewer tasks at the same time (--jobs).",
            Self::Disk => "Make room on the disk.",
        }
    }
}

/// Whether a line contains these words and ends with the last one.
fn says(line: &str, words: &[&str]) -> bool {
    let last = words.last().expect("every row has words");
    let Some((_, rest)) = line.rsplit_once(last) else { return false };
    let is_end = rest.is_empty() || [": ", " (os error "].iter().any(|start| rest.starts_with(start));
    is_end && words.iter().all(|word| line.contains(word))
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Processes => "processes",
            Self::Memory => "memory",
            Self::Disk => "disk space",
        })
    }
}

impl StartError {
    /// The shortage because of which a program could not be started, if that is why.
    #[must_use]
    pub fn shortage(&self) -> Option<Shortage> {
        let (Self::NoHelper(error) | Self::Other(error)) = self else { return None };
        of_error(error)
    }
}

fn of_error(error: &io::Error) -> Option<Shortage> {
    Some(match Errno::from_io_error(error)? {
        Errno::AGAIN => Shortage::Processes,
        Errno::NOMEM => Shortage::Memory,
        Errno::NOSPC | Errno::DQUOT => Shortage::Disk,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Captured;

    fn told(status: i32, stdout: &str, stderr: &str) -> Option<Shortage> {
        let result = JobResult {
            stdout: Captured::whole(stdout.as_bytes()),
            stderr: Captured::whole(stderr.as_bytes()),
            ..JobResult::without_start(ExitReason::Exited(status))
        };
        Shortage::told_by(&result)
    }

    #[test]
    fn the_last_lines_of_a_program_that_has_failed_say_what_is_short() {
        for (stderr, expected) in [
            ("sh: 1: Cannot fork", Some(Shortage::Processes)),
            ("bash: fork: retry: Resource temporarily unavailable", Some(Shortage::Processes)),
            ("Error: spawn /bin/sh EAGAIN", Some(Shortage::Processes)),
            ("fork: Cannot allocate memory\n\n", Some(Shortage::Memory)),
            ("cp: error writing 'x': No space left on device", Some(Shortage::Disk)),
            ("OSError: [Errno 28] No space left on device: 'x'", Some(Shortage::Disk)),
            ("Error: No space left on device (os error 28)", Some(Shortage::Disk)),
            ("read: Resource temporarily unavailable", None),
            ("The test covers ENOSPC: no space left on device.", None),
            ("No space left on device\n1\n2\n3\n4\n5", None),
            ("", None),
        ] {
            assert_eq!(told(1, "", stderr), expected, "{stderr}");
            assert_eq!(told(2, stderr, ""), expected, "{stderr}");
            assert_eq!(told(0, "", stderr), None, "{stderr}");
        }
    }

    #[test]
    fn a_program_that_could_not_be_started_says_why() {
        let of = |errno: Errno| StartError::Other(errno.into()).shortage();
        assert_eq!(of(Errno::AGAIN), Some(Shortage::Processes));
        assert_eq!(of(Errno::NOMEM), Some(Shortage::Memory));
        assert_eq!(of(Errno::NOENT), None);
        assert_eq!(StartError::NulByte.shortage(), None);
    }
}
