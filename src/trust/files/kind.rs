//! What files can be for.

/// What a file is for, as far as its path tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// Code that contains tests.
    Test,
    /// What tests need: fixtures, helpers, expected output.
    TestData,
    /// Expected output that the test runner writes itself.
    Snapshot,
    /// Configuration of a test runner or of coverage.
    TestConfig,
    /// A definition of what a CI service runs.
    Ci,
    /// Anything in `.arborist/`.
    Arborist,
    /// Everything else.
    Other,
}

impl FileKind {
    /// What such a file is called in messages, in the singular.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Test => "test",
            Self::TestData => "test data",
            Self::Snapshot => "snapshot",
            Self::TestConfig => "test configuration",
            Self::Ci => "CI definition",
            Self::Arborist => "instructions of git-arborist",
            Self::Other => "source",
        }
    }

    /// Whether such a file belongs to the tests and not to the source: it moves with the tests when those of one commit
    /// are combined with the source of another.
    #[must_use]
    pub fn is_test_side(self) -> bool {
        matches!(self, Self::Test | Self::TestData | Self::Snapshot | Self::TestConfig)
    }
}
