//! The error messages by which programs say that they could not work. Those of each agent are in its own file.
//!
//! A pattern matches a whole line, and `*` matches any text. The patterns come from the agents' sources, if these are
//! open (codex, gemini, opencode), from the documentation of errors (claude), and from users' reports with exit status
//! and stream.

use crate::agents::event::ErrorKind;
use ErrorKind::{DiskFull, NotLoggedIn, UsageLimit};

/// The messages that an agent prints if it could not work.
#[derive(Debug)]
pub(in crate::agents) struct ErrorPatterns {
    /// How many of the last lines of standard error count after a failure.
    pub(in crate::agents) look_back: usize,
    /// Last lines of an agent that gives up.
    pub(in crate::agents) finals: &'static [PatternGroup],
    /// Lines after which an agent may also continue, so they count only after a failure.
    pub(in crate::agents) passing: &'static [PatternGroup],
    /// Exit statuses with a meaning.
    pub(in crate::agents) statuses: &'static [(i32, ErrorKind)],
}

impl ErrorPatterns {
    /// Those of an agent that runs in Node.js, and whose stream tells all other errors.
    pub(in crate::agents) const USUAL: Self =
        Self { look_back: 3, finals: &[], passing: &[NODE_ERRORS], statuses: &[] };

    /// The kind of error that the last line of an agent means.
    pub(super) fn of_final(&self, line: &str) -> Option<ErrorKind> {
        of(self.finals, line)
    }

    /// The meaning of a line after a failure.
    pub(super) fn of_any(&self, line: &str) -> Option<ErrorKind> {
        self.of_final(line).or_else(|| of(self.passing, line))
    }

    /// The meaning of an exit status.
    pub(super) fn of_status(&self, status: i32) -> Option<ErrorKind> {
        self.statuses.iter().find(|(known, _)| *known == status).map(|(_, kind)| *kind)
    }
}

/// Patterns of lines with the same meaning.
#[derive(Debug)]
pub(in crate::agents) struct PatternGroup {
    kind: ErrorKind,
    patterns: &'static [&'static str],
}

impl PatternGroup {
    pub(in crate::agents) const fn of(kind: ErrorKind, patterns: &'static [&'static str]) -> Self {
        Self { kind, patterns }
    }
}

fn of(table: &[PatternGroup], line: &str) -> Option<ErrorKind> {
    let matches_pattern =
        |row: &&PatternGroup| row.patterns.iter().any(|pattern| matches_pattern(pattern, line));
    table.iter().find(matches_pattern).map(|row| row.kind)
}

/// The errors of agents that run in Node.js, as most of them do.
pub(in crate::agents) const NODE_ERRORS: PatternGroup = PatternGroup::of(
    DiskFull,
    &["Error: ENOSPC: no space left on device*", "ENOSPC: no space left on device*"],
);

/// Whether a line matches this pattern.
pub(super) fn matches_pattern(pattern: &str, line: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| line.strip_prefix(first)) else { return false };
    let mut parts: Vec<&str> = parts.collect();
    let Some(last) = parts.pop() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

/// Errors of other programs that use such services. For commands of users, they apply together with all patterns above.
pub(in crate::agents) const OTHERS: ErrorPatterns = ErrorPatterns {
    passing: &[
        PatternGroup::of(
            UsageLimit,
            &[
                "429 Too Many Requests*",
                "HTTP 429*",
                "Error: 429 *",
                "Error code: 429 *",
                "openai.RateLimitError: *",
                "anthropic.RateLimitError: *",
                "Error: *rate_limit_error*",
                "Rate limit exceeded*",
                "Error: Rate limit exceeded*",
            ],
        ),
        PatternGroup::of(
            NotLoggedIn,
            &[
                "401 Unauthorized*",
                "HTTP 401*",
                "Error: 401 *",
                "Error code: 401 *",
                "openai.AuthenticationError: *",
                "anthropic.AuthenticationError: *",
                "Not logged in*",
                "Error: not logged in*",
            ],
        ),
    ],
    ..ErrorPatterns::USUAL
};
