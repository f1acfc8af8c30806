//! Writes a test that fails, in the form and place of the tests of a task.
//!
//! A command that passes in spite of it cannot fail: its runner, its assertions or its exit status do not work. So the test
//! is added to a file whose tests ran, and asserts in the way that this file does most often.

mod forms;
mod scripts;
mod selection;
mod source;
#[cfg(test)]
mod tests;

use super::scan::{is_listed, names_path};
use crate::suite::{FailingTest, Framework, TestNames, TestOutcome};

pub use scripts::{SCRIPT_SAYS, script_canary};
use selection::TestSelection;
use source::Source;
pub use source::{Canary, TestFile};

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
    let FailingTest { name, endings, form } = framework.failing_test();
    let has_ending = |file: &&TestFile<'_>| {
        file.path.rsplit_once('.').is_some_and(|(_, ending)| is_listed(endings, ending))
    };
    let passed: Vec<&str> = names.with(TestOutcome::Passed).collect();
    let mut ranked: Vec<(u8, Source<'_>)> = files
        .iter()
        .filter(has_ending)
        .filter(|file| selection.covers(file.path))
        .filter_map(Source::read)
        .map(|source| (rank(&source, &passed), source))
        .collect();
    // The sort is stable: what the caller prefers stays first.
    ranked.sort_by_key(|(rank, _)| std::cmp::Reverse(*rank));
    let canary = |path, content, is_new_file| Canary { path, content, name, is_new_file };
    let mut likely = ranked.iter().filter(|(rank, _)| *rank > 0);
    let added = likely.find_map(|(_, source)| {
        forms::added(*form, source).map(|content| canary(source.path.to_owned(), content, false))
    });
    added.or_else(|| {
        let (_, beside) = ranked.first().filter(|_| !selection.names_a_file)?;
        let (file, text) = forms::new_file(*form, beside)?;
        Some(canary(format!("{}{file}", beside.folder()), text.into_bytes(), true))
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
