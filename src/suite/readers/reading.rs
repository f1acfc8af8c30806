//! What a reader finds in one text.

use crate::suite::Counts;

/// What one text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reading {
    /// Nothing that looks like a summary.
    Absent,
    /// Something does, but it is broken off, contradicts itself or may be quoted by a test.
    Unsure,
    /// The counts.
    Sure(Counts),
}
