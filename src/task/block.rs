//! Which lines of a commit message are trailers, decided exactly as git decides it.

/// One trailer as git reads it: key and value trimmed, folded lines joined by a space.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RawTrailer {
    /// The key as it is written, ASCII letters, digits and `-`.
    pub key: Vec<u8>,
    /// The value, which may be empty and need not be UTF-8.
    pub value: Vec<u8>,
}

/// The trailers of a stored commit's message, as `git log --format='%(trailers:only,unfold)'` gives them
/// under git's default configuration.
#[must_use]
pub fn trailers(_message: &[u8]) -> Vec<RawTrailer> {
    Vec::new()
}
