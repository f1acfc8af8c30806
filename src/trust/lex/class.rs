//! What the bytes of a file are.

/// What a byte belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Code,
    Comment,
    /// Text in quotes, with the quotes.
    Text,
}
