//! Splits files of source that contain tests into the tests and the source.
//!
//! In Rust, tests are items marked with `#[cfg(test)]` or `#[test]`. Examples in documentation belong to what they
//! document, so they stay with the source. In the other languages that the checks know, tests have files of their own.

mod items;
#[cfg(test)]
mod tests;

use std::ops::Range;

use items::{Container, File, TestItem};

use super::scan::{line_start, masked};

/// A file that was put together from the tests of one version and the source of another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Combined {
    /// Its contents.
    File(Vec<u8>),
    /// The file cannot be split; why, as a clause.
    NotApplicable(&'static str),
}

/// The tests of a file of source, as ranges of bytes in order. They cover whole items with the comments above them. None if
/// the file cannot be split; empty if it has no tests.
#[must_use]
pub fn test_part(path: &str, bytes: &[u8]) -> Option<Vec<Range<usize>>> {
    if !is_rust(path) {
        return (!has_foreign_tests(path, bytes)).then(Vec::new);
    }
    let file = File::read(&masked(path, bytes))?;
    if file.is_all_tests {
        return Some(std::iter::once(0..bytes.len()).collect());
    }
    Some(file.tests.into_iter().map(|item| widened(bytes, item.bytes)).collect())
}

/// Whether the tests in the file at `path` can be told from its source.
#[must_use]
pub fn is_rust(path: &str) -> bool {
    path.ends_with(".rs")
}

/// The files that may hold the modules which a file of source declares for tests alone, as `#[cfg(test)] mod x;` does.
#[must_use]
pub fn test_modules(path: &str, bytes: &[u8]) -> Vec<String> {
    let code = masked(path, bytes);
    let (Some(stem), Some(file)) = (path.strip_suffix(".rs"), File::read(&code)) else { return Vec::new() };
    let folder = match stem.rsplit_once('/') {
        Some((folder, "lib" | "main" | "mod")) => folder,
        None if ["lib", "main", "mod"].contains(&stem) => "",
        _ => stem,
    };
    let mut files = Vec::new();
    for item in file.tests {
        let text = String::from_utf8_lossy(&code[item.bytes]).into_owned();
        let words: Vec<&str> = text.trim_end_matches(';').split_whitespace().collect();
        if let [.., "mod", name] = words[..]
            && text.ends_with(';')
        {
            let inside = item.module.iter().map(String::as_str);
            let parts: Vec<&str> = std::iter::once(folder).chain(inside).chain([name]).collect();
            let place = parts.join("/").trim_start_matches('/').to_owned();
            files.extend([format!("{place}.rs"), format!("{place}/mod.rs")]);
        }
    }
    files
}

/// The file with only its tests: everything else is blank, lines stay where they are. None as for [`test_part`].
#[must_use]
pub fn only_tests(path: &str, bytes: &[u8]) -> Option<Vec<u8>> {
    let parts = test_part(path, bytes)?;
    let mut blank: Vec<u8> = bytes.iter().map(|byte| if *byte == b'\n' { b'\n' } else { b' ' }).collect();
    for part in parts {
        blank[part.clone()].copy_from_slice(&bytes[part]);
    }
    Some(blank)
}

/// Whether two versions of a file differ in nothing but their tests and blank lines. False if the file cannot be split.
#[must_use]
pub fn differ_only_in_tests(path: &str, before: &[u8], after: &[u8]) -> bool {
    let source = |bytes: &[u8]| -> Option<Vec<Vec<u8>>> {
        let tests = test_part(path, bytes)?.into_iter().map(|place| TextEdit { place, text: b"" });
        let source = rebuilt(bytes, tests.collect());
        let lines = source.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
        Some(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
    };
    source(before).is_some_and(|before| source(after) == Some(before))
}

/// The file with the tests of one version and the source of another.
#[must_use]
pub fn combine(path: &str, tests_of: &[u8], source_of: &[u8]) -> Combined {
    if !is_rust(path) {
        if has_foreign_tests(path, tests_of) || has_foreign_tests(path, source_of) {
            return Combined::NotApplicable("its tests cannot be told from its source");
        }
        return Combined::File(source_of.to_vec());
    }
    let file = |bytes| File::read(&masked(path, bytes));
    let (Some(tests), Some(source)) = (file(tests_of), file(source_of)) else {
        return Combined::NotApplicable("its braces do not match");
    };
    if tests.is_all_tests || source.is_all_tests {
        return Combined::File(tests_of.to_vec());
    }
    if tests.inside_items != source.inside_items {
        return Combined::NotApplicable("it has tests inside other items");
    }
    let ends: Option<Vec<usize>> =
        tests.tests.iter().map(|item| end_of(item, &source.modules, source_of.len())).collect();
    let Some(ends) = ends else {
        return Combined::NotApplicable("a module that contains tests is only in one version");
    };
    let removed =
        source.tests.into_iter().map(|item| TextEdit { place: widened(source_of, item.bytes), text: b"" });
    let added = tests
        .tests
        .into_iter()
        .zip(ends)
        .map(|(item, end)| TextEdit { place: end..end, text: &tests_of[widened(tests_of, item.bytes)] });
    Combined::File(rebuilt(source_of, removed.chain(added).collect()))
}

/// The end of the module that a test belongs to, or that of the file, which has `length` bytes. None if there is no such
/// module.
fn end_of(test: &TestItem, modules: &[Container], length: usize) -> Option<usize> {
    if test.module.is_empty() {
        return Some(length);
    }
    modules.iter().find(|module| module.path == test.module).map(|module| module.end)
}

/// A text that goes in the place of another one. One of the two is empty.
struct TextEdit<'a> {
    place: Range<usize>,
    text: &'a [u8],
}

/// A text with some edits. Each text that goes in begins on a line of its own.
fn rebuilt(text: &[u8], mut edits: Vec<TextEdit<'_>>) -> Vec<u8> {
    edits.sort_by_key(|edit| (edit.place.start, edit.text.is_empty()));
    let mut result = Vec::with_capacity(text.len());
    let mut at = 0;
    for TextEdit { place, text: new } in edits {
        result.extend_from_slice(&text[at.min(place.start)..place.start]);
        at = at.max(place.end);
        if !new.is_empty() && !result.is_empty() && !result.ends_with(b"\n") {
            result.push(b'\n');
        }
        result.extend_from_slice(new);
    }
    result.extend_from_slice(&text[at..]);
    result
}

/// An item with the lines of comments above it and the rest of its last line.
fn widened(bytes: &[u8], item: Range<usize>) -> Range<usize> {
    let mut start = item.start;
    if bytes[line_start(bytes, start)..start].trim_ascii().is_empty() {
        start = line_start(bytes, start);
        while start > 0 {
            let above = line_start(bytes, start - 1);
            if !bytes[above..start].trim_ascii_start().starts_with(b"//") {
                break;
            }
            start = above;
        }
    }
    let line_end = memchr::memchr(b'\n', &bytes[item.end..]).map_or(bytes.len(), |end| item.end + end + 1);
    let rest = bytes[item.end..line_end].trim_ascii();
    let end = if rest.is_empty() || rest.starts_with(b"//") { line_end } else { item.end };
    start..end
}

/// Whether a file has tests that no rule here can find the end of.
fn has_foreign_tests(path: &str, bytes: &[u8]) -> bool {
    let has = |text: &str| memchr::memmem::find(bytes, text.as_bytes()).is_some();
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("zig") => has("test \"") || has("test {"),
        Some("d") => has("unittest"),
        Some("js" | "ts" | "tsx" | "jsx" | "mjs" | "mts") => has("import.meta.vitest"),
        _ => false,
    }
}
