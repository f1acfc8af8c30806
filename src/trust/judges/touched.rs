//! A change to a file, and what is said about it.

use std::fmt;

use crate::trust::change::TestChange;
use crate::trust::files::FileKind;

/// What happened to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// There was none before.
    Added,
    /// Its contents changed.
    Changed,
    /// It is gone, or has another name.
    Deleted,
}

/// Why a file judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Kind(FileKind),
    /// The user has said so.
    Protected,
    /// The test commands run it.
    Script,
    /// A part of it is about tests.
    Part,
    /// It is source with tests in it.
    Inline,
}

/// A change to what judges.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Touched {
    /// What the file is for. For a file that is only partly about tests, this is [`FileKind::Other`].
    pub kind: FileKind,
    /// The parts that changed, such as `scripts.test` of a `package.json`; empty if the whole file judges.
    pub parts: Vec<String>,
    /// What happened to the file.
    pub change: Change,
    /// What happened to the tests in it.
    pub facts: TestChange,
    /// This is new configuration. It matters only if there were tests before.
    pub only_if_tests: bool,
    pub(super) role: Role,
}

/// A sentence without its full stop: `The attempt changed tests (2 assertions removed, none added)`.
impl fmt::Display for Touched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let verb = match self.change {
            Change::Added => "added",
            Change::Changed => "changed",
            Change::Deleted => "deleted",
        };
        let object = match self.role {
            Role::Kind(FileKind::Test) => "tests",
            Role::Kind(FileKind::TestData) => "data of tests",
            Role::Kind(FileKind::Snapshot) => "a snapshot of tests",
            Role::Kind(FileKind::TestConfig) => "configuration of the tests",
            Role::Kind(FileKind::Ci) => "a definition of CI",
            Role::Kind(FileKind::Arborist) => "a file in .arborist",
            Role::Kind(FileKind::Other) | Role::Protected => "a protected file",
            Role::Script => "a script that a test command runs",
            Role::Part => "what decides how tests run",
            Role::Inline => "tests in a source file",
        };
        write!(f, "The attempt {verb} {object}")?;
        let mut details = self.parts.clone();
        if !self.facts.is_empty() {
            details.push(self.facts.to_string());
        }
        match details.is_empty() {
            true => Ok(()),
            false => write!(f, " ({})", details.join("; ")),
        }
    }
}

/// Two versions of a file; one is none if there was no file.
#[derive(Clone, Copy)]
pub(super) struct Version<'a> {
    pub(super) path: &'a str,
    pub(super) before: Option<&'a [u8]>,
    pub(super) after: Option<&'a [u8]>,
}

impl Version<'_> {
    /// The name of the file without its folders.
    pub(super) fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(self.path)
    }

    pub(super) fn facts(&self) -> TestChange {
        TestChange::between(self.path, self.before, self.after)
    }

    pub(super) fn touched(&self, role: Role) -> Touched {
        let change = match (self.before, self.after) {
            (None, _) => Change::Added,
            (_, None) => Change::Deleted,
            _ => Change::Changed,
        };
        let kind = match role {
            Role::Kind(kind) => kind,
            _ => FileKind::Other,
        };
        let facts = self.facts();
        Touched { kind, parts: Vec::new(), change, facts, only_if_tests: false, role }
    }

    /// Whether the file had tests in it before.
    pub(super) fn had_tests(&self) -> bool {
        let facts = TestChange::between(self.path, self.before, None);
        !facts.tests.removed.is_empty() || !facts.assertions.removed.is_empty()
    }

    /// Whether such a file makes Python run something else than was asked for.
    pub(super) fn replaces_programs(&self) -> bool {
        let name = self.name();
        ["pytest/", "_pytest/", "unittest/"].iter().any(|folder| self.path.starts_with(folder))
            || name == "entry_points.txt"
            || matches!(name, "sitecustomize.py" | "usercustomize.py" | "pytest.py")
            || name.strip_suffix(".pth").is_some()
    }
}
