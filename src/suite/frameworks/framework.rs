//! The test frameworks.

use std::fmt;

/// A test framework whose printed output can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framework {
    /// pytest and its plugins.
    Pytest,
    /// Python's own `unittest`.
    Unittest,
    /// Jest.
    Jest,
    /// Vitest.
    Vitest,
    /// `go test -v` and `go test -json`; plain `go test` does not say how many tests passed.
    Go,
    /// `cargo test`, with libtest as the harness.
    CargoTest,
    /// `cargo nextest run`.
    Nextest,
    /// `node --test`, with the `spec` or the `tap` reporter.
    NodeTest,
    /// Programs that print the Test Anything Protocol: bats, tape, and others.
    Tap,
}

impl Framework {
    /// All frameworks.
    pub const ALL: [Self; 9] = [
        Self::Pytest,
        Self::Unittest,
        Self::Jest,
        Self::Vitest,
        Self::Go,
        Self::CargoTest,
        Self::Nextest,
        Self::NodeTest,
        Self::Tap,
    ];
}

impl fmt::Display for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.names()[0])
    }
}
