//! Why tests that were written before the code fail.

/// Why tests that were written before the code fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RedKind {
    /// A test failed.
    Test,
    /// The code of a test could not be built or loaded.
    Build,
}

impl RedKind {
    /// The words of all of them.
    pub(super) const WORDS: [&'static str; 2] = [Self::Test.word(), Self::Build.word()];

    /// The word in the trailer.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::Build => "build",
        }
    }
}
