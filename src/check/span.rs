//! Places in the file that was checked.

/// A part of one line of the file that was checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The line, from 1.
    pub line: usize,
    /// The first column, from 1, in characters.
    pub column: usize,
    /// The column after the last one.
    pub end: usize,
}
