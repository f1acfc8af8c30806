//! Why a report could not be read.

use std::fmt;

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
