//! Splits files of source that contain tests into the tests and the source.
//!
//! In Rust, tests are items marked with `#[cfg(test)]` or `#[test]`. Examples in documentation belong to what they
//! document, so they stay with the source. In other languages, tests have files of their own.

mod items;
#[cfg(test)]
mod tests;

use std::ops::Range;

use items::File;
use regex_lite::Regex;

use super::scan::{line_start, masked};

/// The tests of a file of source, as ranges of bytes in order. They cover whole items with the comments above them. None if
/// the file cannot be split; empty if it has no tests.
#[must_use]
pub fn test_part(path: &str, bytes: &[u8]) -> Option<Vec<Range<usize>>> {
    if !is_rust(path) {
        return Some(Vec::new());
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

/// Whether a file of Rust declares this module for tests alone, as `#[cfg(test)] mod x;` does.
#[must_use]
pub fn is_test_module(parent: &str, name: &str) -> bool {
    let declaration = format!(
        r"#\[cfg\((?:all\()?test\b[^\]]*\]\s*(?:#\[[^\]]*\]\s*)*(?:pub(?:\(\w+\))?\s+)?mod\s+(?:r#)?{name}\s*;"
    );
    let is_name = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    is_name && Regex::new(&declaration).is_ok_and(|declaration| declaration.is_match(parent))
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
        let source = combine(path, b"", bytes).ok()?;
        let lines = source.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii_end);
        Some(lines.filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect())
    };
    source(before).is_some_and(|before| source(after) == Some(before))
}

/// The file of Rust with the tests of one version and the source of another.
///
/// # Errors
/// If the file cannot be split; why, as a clause.
pub fn combine(path: &str, tests_of: &[u8], source_of: &[u8]) -> Result<Vec<u8>, &'static str> {
    let file = |bytes| File::read(&masked(path, bytes)).ok_or("its braces do not match");
    let (tests, source) = (file(tests_of)?, file(source_of)?);
    if tests.is_all_tests || source.is_all_tests {
        return Ok(tests_of.to_vec());
    }
    if tests.inside_items != source.inside_items {
        return Err("it has tests inside other items");
    }
    let removed =
        source.tests.into_iter().map(|item| TextEdit { place: widened(source_of, item.bytes), text: b"" });
    let mut edits: Vec<TextEdit<'_>> = removed.collect();
    for item in tests.tests {
        let module = source.modules.iter().find(|module| module.path == item.module);
        let end = match module {
            _ if item.module.is_empty() => source_of.len(),
            Some(module) => module.end,
            None => return Err("a module that contains tests is only in one version"),
        };
        edits.push(TextEdit { place: end..end, text: &tests_of[widened(tests_of, item.bytes)] });
    }
    Ok(rebuilt(source_of, edits))
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
