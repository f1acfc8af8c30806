//! What files can be for.

/// What a file is for, as far as its path tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    /// Code that contains tests.
    Test,
    /// What tests need: fixtures, helpers, snapshots and other expected output.
    TestData,
    /// Configuration of a test runner or of coverage, and what is loaded before or in the place of tests.
    TestConfig,
    /// A module of Python at a place where it is loaded instead of a library for tests.
    Shadow,
    /// What runs tests: tox, nox, hooks, scripts such as `check.sh`.
    Recipe,
    /// Source, and what decides how tests run, in one file: `package.json`, a Makefile, a build file, configuration by
    /// which source is transformed. `mixed` says what the old run does with it.
    Mixed,
    /// A definition of what a CI service runs.
    Ci,
    /// Anything in `.arborist/`.
    Arborist,
    /// Instructions for agents.
    Instructions,
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
            Self::TestConfig => "test configuration",
            Self::Shadow => "module with the name of an installed one",
            Self::Recipe => "recipe",
            Self::Mixed => "build file",
            Self::Ci => "CI definition",
            Self::Arborist => "instructions of git-arborist",
            Self::Instructions => "instructions for agents",
            Self::Other => "source",
        }
    }

    /// Whether such a file belongs to the tests and not to the source: it moves with the tests when those of one commit
    /// are combined with the source of another. A step that writes tests may change it, and coverage leaves it out.
    #[must_use]
    pub fn is_test_side(self) -> bool {
        matches!(self, Self::Test | Self::TestData | Self::TestConfig)
    }

    /// Whether the whole file judges: the old run uses it as it was before the task, and not at all if the task added
    /// it. Of a [`FileKind::Mixed`] file, only a part judges.
    #[must_use]
    pub fn judges(self) -> bool {
        !matches!(self, Self::Mixed | Self::Other)
    }
}
