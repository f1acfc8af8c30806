//! Bounds what a report may make us remember.

use super::error::ReadError;

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
