//! The result of putting two versions of a file together.

/// What becomes of a file that gets the judging keys of another version.
pub(super) enum Put {
    /// It has the same ones.
    Same,
    /// This.
    File(Vec<u8>),
}
