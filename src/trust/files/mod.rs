//! Tells from its path what a file is for: a test, data of tests, configuration that decides what tests do, or anything
//! else.

mod kind;
mod table;

#[cfg(test)]
mod tests;

use std::path::Path;

use super::scan::is_listed;
use crate::plan::PathPattern;
use table::{CODE, FOLDERS_OF_SCRIPTS, FOLDERS_OF_SOURCE, ROWS, SCRIPTS};

pub use kind::FileKind;

/// What the file at `path`, from the top of the work tree, is for.
#[must_use]
pub fn kind_of(path: &str) -> FileKind {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let is_code = name.rsplit_once('.').is_some_and(|(_, ending)| is_listed(CODE, ending));
    // Among the data of tests, a note for people may be what a test reads.
    let is_data = ["fixture", "testdata", "golden", "snapshot", "data", "cases"]
        .iter()
        .any(|word| folder.contains(word));
    let whole = format!("/{path}");
    let source = folder.split('/').position(|part| is_listed(FOLDERS_OF_SOURCE, part));
    let above = source.map_or_else(
        || whole.clone(),
        |source| whole.split_inclusive('/').take(source + 1).collect::<String>(),
    );
    let fits = |pattern: &str| match pattern.strip_prefix('!') {
        Some(pattern) => matches_name(pattern, &above),
        None => matches_name(pattern, if pattern.contains('/') { &whole } else { name }),
    };
    let is_it = |(kind, patterns): &&(FileKind, &str)| {
        // Names are those of tests only where they are of code.
        let may_be = |pattern: &str| match kind {
            FileKind::Test => is_code || pattern.contains('/'),
            FileKind::Other => !is_data,
            _ => true,
        };
        patterns.split_ascii_whitespace().any(|pattern| may_be(pattern) && fits(pattern))
    };
    match ROWS.iter().find(is_it) {
        Some((FileKind::Test, _)) if !is_code => FileKind::TestData,
        Some((kind, _)) => *kind,
        None if is_script(folder, name) => FileKind::Recipe,
        None => FileKind::Other,
    }
}

/// Whether a script has a name by which people run all tests.
fn is_script(folder: &str, name: &str) -> bool {
    (folder.is_empty() || is_listed(FOLDERS_OF_SCRIPTS, folder))
        && SCRIPTS.split_ascii_whitespace().any(|pattern| matches_name(pattern, name))
}

/// Whether a file judges: by its path, or because the user says so.
#[must_use]
pub fn judges(path: &str, protected: &[PathPattern]) -> bool {
    kind_of(path).judges() || protected.iter().any(|pattern| pattern.matches(path))
}

/// The same for a file that a change touches: a module that was there before the change is source of the program, whatever
/// its name.
#[must_use]
pub fn kind_in_change(path: &str, was_there: bool) -> FileKind {
    match kind_of(path) {
        FileKind::Shadow if was_there => FileKind::Other,
        kind => kind,
    }
}

/// Whether a file is written for people and has no effect on what programs do.
#[must_use]
pub fn is_documentation(path: &str) -> bool {
    let path = Path::new(path);
    let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
    let ending = path.extension().and_then(|ending| ending.to_str());
    let known = ["md", "markdown", "rst", "adoc", "asciidoc"];
    let names = ["LICENSE", "LICENCE", "COPYING", "NOTICE", "AUTHORS", "CHANGELOG", "CONTRIBUTING", "README"];
    ending.is_some_and(|ending| known.iter().any(|known| ending.eq_ignore_ascii_case(known)))
        || names.contains(&name) && ending.is_none_or(|ending| ending == "txt")
}

/// Whether the file at `path` belongs to the tests. Fixtures, helpers, snapshots and the configuration of test runners
/// do. A file that is only partly about tests, such as `package.json`, does not.
#[must_use]
pub fn is_test_side(path: &str) -> bool {
    kind_of(path).is_test_side()
}

/// Whether a name has the form of `pattern`, in which each `*` stands for any characters.
pub(super) fn matches_name(pattern: &str, name: &str) -> bool {
    let Some((first, mut pattern)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    while let Some((piece, more)) = pattern.split_once('*') {
        let Some(at) = rest.find(piece) else { return false };
        (rest, pattern) = (&rest[at + piece.len()..], more);
    }
    rest.ends_with(pattern)
}
