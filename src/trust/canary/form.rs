//! Files with tests, the test that is added to one, and the forms in which frameworks want tests.

/// A file with tests, as it is in the commit.
#[derive(Clone, Copy, Debug)]
pub struct TestFile<'a> {
    /// Its path, relative to the root of the repository.
    pub path: &'a str,
    /// Its contents.
    pub content: &'a [u8],
}

/// The failing test, and the file that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canary {
    /// The path of the file.
    pub path: String,
    /// The file with the test in it.
    pub content: Vec<u8>,
    /// A text that is in the name of this test and of no other, as `test_arborist_canary`.
    pub name: &'static str,
    /// Whether the file has no other tests.
    pub is_new_file: bool,
    /// Whether the file has to be executable.
    pub is_executable: bool,
}

/// How a framework wants its tests to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    Pytest,
    Unittest,
    NodeTest,
    Jest,
    Vitest,
    Go,
    Rust,
    Bats,
}
