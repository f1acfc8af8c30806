//! Writes a test that fails, in the form and place of the tests of a task.
//!
//! A command that passes in spite of it cannot fail: its runner, its assertions or its exit status do not work. So the test
//! is added to a file whose tests ran, and asserts in the way that this file does most often.

mod command;
mod compiled;
mod form;
mod javascript;
mod python;
mod scripts;
mod source;
#[cfg(test)]
mod tests;

use super::scan::names_path;
use crate::suite::{Framework, TestNames, TestOutcome};

use command::TestSelection;
use form::Form;
pub use form::{Canary, TestFile};
pub use scripts::{SCRIPT_SAYS, script_canary};
use source::Source;

const JAVASCRIPT: &[&str] = &["js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts"];

/// The preferred name of a framework, the endings of its test files, their form, and what is in the canary's name.
const ROWS: [(&str, &[&str], Form, &str); 9] = [
    ("pytest", &["py"], Form::Pytest, "test_arborist_canary"),
    ("unittest", &["py"], Form::Unittest, "test_arborist_canary"),
    ("node", JAVASCRIPT, Form::NodeTest, "arborist_canary"),
    ("jest", JAVASCRIPT, Form::Jest, "arborist_canary"),
    ("vitest", JAVASCRIPT, Form::Vitest, "arborist_canary"),
    ("go", &["go"], Form::Go, "TestArboristCanary"),
    ("cargo", &["rs"], Form::Rust, "arborist_canary"),
    ("nextest", &["rs"], Form::Rust, "arborist_canary"),
    ("tap", &["bats"], Form::Bats, "arborist_canary"),
];

impl Form {
    /// How to write a test for this file, and what is in the name of the canary.
    fn of(framework: Framework, path: &str) -> Option<(Self, &'static str)> {
        let ending = path.rsplit_once('.')?.1;
        let (_, _, form, name) = ROWS
            .iter()
            .find(|(name, endings, ..)| framework.names()[0] == *name && endings.contains(&ending))?;
        Some((*form, *name))
    }

    /// The file with a test that fails. None if this is not a file with tests, or if a test added to it might not run.
    fn added(self, source: &Source<'_>) -> Option<Vec<u8>> {
        match self {
            Self::Pytest | Self::Unittest => python::added(source, self == Self::Unittest),
            Self::NodeTest | Self::Jest | Self::Vitest => javascript::added(source),
            Self::Go => compiled::go(source),
            Self::Rust => compiled::rust(source),
            Self::Bats => scripts::bats(source),
        }
    }

    /// The name and the text of a new file beside this one. None if a new file would not run without being named somewhere.
    fn new_file(self, beside: &Source<'_>) -> Option<(String, String)> {
        match self {
            Self::Pytest => Some(("test_arborist_canary.py".to_owned(), python::NEW_PYTEST.to_owned())),
            Self::Unittest => Some(("test_arborist_canary.py".to_owned(), python::NEW_UNITTEST.to_owned())),
            Self::NodeTest | Self::Jest | Self::Vitest => javascript::new_file(self, beside),
            _ => None,
        }
    }
}

/// A test that fails, for a command whose output shows `framework`. `names` are the tests that the command has named, and
/// `files` the files with tests, the preferred ones first. None if no file fits, or if the command selects tests by name.
#[must_use]
pub fn canary(
    framework: Framework,
    files: &[TestFile<'_>],
    names: &TestNames,
    command: &str,
) -> Option<Canary> {
    let selection = TestSelection::read(framework, command, files);
    if selection.is_by_name {
        return None;
    }
    let passed: Vec<&str> = names.with(TestOutcome::Passed).collect();
    let mut ranked: Vec<(u8, Source<'_>)> = files
        .iter()
        .filter(|file| selection.covers(file.path))
        .filter_map(Source::read)
        .map(|source| (rank(&source, &passed), source))
        .collect();
    // The sort is stable: what the caller prefers stays first.
    ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    let added = ranked.iter().filter(|(rank, _)| *rank > 0).find_map(|(_, source)| {
        let (form, name) = Form::of(framework, source.path)?;
        let content = form.added(source)?;
        Some(Canary { path: source.path.into(), content, name, is_new_file: false, is_executable: false })
    });
    added.or_else(|| {
        let (form, name, beside) =
            ranked.iter().filter(|_| !selection.names_a_file).find_map(|(_, source)| {
                Form::of(framework, source.path).map(|(form, name)| (form, name, source))
            })?;
        let (file, text) = form.new_file(beside)?;
        let path = format!("{}{file}", beside.folder());
        Some(Canary { path, content: text.into_bytes(), name, is_new_file: true, is_executable: false })
    })
}

/// How sure it is that the tests of a file ran: 3 if a name has its path, 2 if it contains what a name ends with, 1 if no
/// test was named at all.
fn rank(source: &Source<'_>, passed: &[&str]) -> u8 {
    if passed.is_empty() {
        return 1;
    }
    let ranks = passed.iter().map(|name| match () {
        () if has_path(name, source.path) => 3,
        () if source.contains_title(name) => 2,
        () => 0,
    });
    ranks.max().unwrap_or(0)
}

/// Whether the name of a test begins with the path of its file: `tests/test_a.py::test_x`, `a.test.ts > x`, or
/// `tests.test_a.TestA.test_x`.
fn has_path(name: &str, path: &str) -> bool {
    if names_path(name, path) {
        return true;
    }
    let is_same = |long: &str, short: &str| {
        long.strip_suffix(short).is_some_and(|rest| rest.is_empty() || rest.ends_with('/'))
    };
    // The class and the method follow the module.
    let stem = path.strip_suffix(".py").map(|path| path.replace('/', "."));
    stem.is_some_and(|stem| {
        let module = name.rsplitn(3, '.').nth(2);
        module.is_some_and(|module| is_same(&stem.replace('.', "/"), &module.replace('.', "/")))
    })
}
