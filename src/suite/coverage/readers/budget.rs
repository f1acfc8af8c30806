//! Bounds what a report may make us remember, and says why one could not be read.

use std::fmt;

/// How many lines of code a report may name, over all files. Very few programs have so many, and a report of a few bytes
/// can claim to cover four billion.
const MOST_LINES: u64 = 5_000_000;

/// How many lines a report may still name.
pub(super) struct Budget(u64);

impl Default for Budget {
    fn default() -> Self {
        Self(MOST_LINES)
    }
}

impl Budget {
    /// Takes so many lines from the budget.
    pub(super) fn take(&mut self, lines: u64) -> Result<(), ReadError> {
        self.0 = self
            .0
            .checked_sub(lines)
            .ok_or_else(|| ReadError::new("names more than 5,000,000 lines of code"))?;
        Ok(())
    }
}

/// Why a coverage report could not be read, as the end of a sentence that begins with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(String);

impl ReadError {
    /// The report is not of the format that was expected, for this reason.
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}
