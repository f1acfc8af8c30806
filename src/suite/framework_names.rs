//! The test frameworks, as the `framework` field of the task tree names them (docs/plans.md).

use std::fmt;
use std::path::{Component, Path, PathBuf};

use crate::suggest;

/// The prefix of a framework whose counts are read from a report, and variants that people write.
const WITH_PATH: &str = "junit:PATH";
const WITHOUT_PATH: &str = "junit";

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

    /// The names that the `framework` field may use, the preferred one first.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        match self {
            Self::Pytest => &["pytest", "py.test"],
            Self::Unittest => &["unittest", "python-unittest"],
            Self::Jest => &["jest"],
            Self::Vitest => &["vitest"],
            Self::Go => &["go", "go-test", "gotest"],
            Self::CargoTest => &["cargo", "cargo-test", "libtest"],
            Self::Nextest => &["nextest", "cargo-nextest"],
            Self::NodeTest => &["node", "node-test", "node:test"],
            Self::Tap => &["tap", "bats", "tape"],
        }
    }

    /// The framework with this name, in any case, with blanks or underscores for hyphens.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = canonical(name);
        Self::ALL.into_iter().find(|framework| framework.names().contains(&name.as_str()))
    }
}

impl fmt::Display for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.names()[0])
    }
}

fn canonical(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace([' ', '_'], "-")
}

/// The source of the counts of a test command.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum CountSource {
    /// The output of the command: [`super::read_counts`].
    Printed(Framework),
    /// A `JUnit` XML report that the command writes: [`super::read_junit`].
    JunitReport(ReportPath),
}

impl CountSource {
    /// Reads the value of a `framework` field: a framework's name, or `junit:PATH`.
    ///
    /// # Errors
    /// If the name is unknown, or the path is not inside the work tree.
    pub fn parse(name: &str) -> Result<Self, SourceProblem> {
        let trimmed = name.trim();
        if let Some((scheme, path)) = trimmed.split_once(':')
            && scheme.eq_ignore_ascii_case("junit")
        {
            return ReportPath::parse(path.trim()).map(Self::JunitReport);
        }
        Framework::from_name(trimmed).map(Self::Printed).ok_or_else(|| unknown(trimmed))
    }
}

impl fmt::Display for CountSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Printed(framework) => framework.fmt(f),
            Self::JunitReport(path) => write!(f, "junit:{}", path.as_path().display()),
        }
    }
}

fn unknown(name: &str) -> SourceProblem {
    let names = Framework::ALL.into_iter().flat_map(|framework| framework.names().iter().copied());
    let nearest = suggest::nearest(&canonical(name), names.chain([WITHOUT_PATH, WITH_PATH]));
    let nearest = nearest.map(|name| if name == WITHOUT_PATH { WITH_PATH } else { name });
    SourceProblem::Unknown { name: name.into(), nearest }
}

/// The path of a report, relative to the work tree's root and never leading out of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ReportPath(PathBuf);

impl ReportPath {
    /// Checks `path` and makes it a report path.
    ///
    /// # Errors
    /// If it is empty or absolute, or contains `..` or a NUL.
    pub fn parse(path: &str) -> Result<Self, SourceProblem> {
        let mut parts = Path::new(path).components().peekable();
        if parts.peek().is_none() {
            return Err(SourceProblem::NoReport);
        }
        let inside = parts.all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if inside && !path.contains('\0') {
            Ok(Self(path.into()))
        } else {
            Err(SourceProblem::ReportOutside { path: path.into() })
        }
    }

    /// The path, relative to the work tree's root.
    #[must_use]
    pub fn as_path(&self) -> &Path {
        &self.0
    }
}

/// Why a `framework` field does not name a source of counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SourceProblem {
    /// There is no framework with this name.
    Unknown {
        /// The value of the field.
        name: Box<str>,
        /// The most similar known name, if there is one.
        nearest: Option<&'static str>,
    },
    /// `junit:` without a path.
    NoReport,
    /// `junit:` with a path that does not stay in the work tree.
    ReportOutside {
        /// The path.
        path: Box<str>,
    },
}

impl SourceProblem {
    /// What to write instead, in whole sentences.
    #[must_use]
    pub fn remedy(&self) -> String {
        match self {
            Self::Unknown { nearest, .. } => {
                let hint = suggest::question(*nearest);
                let known = Framework::ALL.map(|framework| framework.names()[0]).join(", ");
                format!("{hint}Known are {known} and junit:PATH.")
            }
            Self::NoReport => {
                "Write the path of the report after it, as in junit:reports/junit.xml.".to_owned()
            }
            Self::ReportOutside { .. } => {
                "Use a path relative to the work tree's root, without `..`.".to_owned()
            }
        }
    }
}

impl fmt::Display for SourceProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown { name, .. } => write!(f, "the test framework {name:?} is not known"),
            Self::NoReport => write!(f, "the test framework `junit:` names no report"),
            Self::ReportOutside { path } => {
                write!(f, "the JUnit report {path:?} is not inside the work tree")
            }
        }
    }
}

impl std::error::Error for SourceProblem {}

#[cfg(test)]
mod tests;
