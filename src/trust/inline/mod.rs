//! Splits files of source that contain tests into the tests and the source.
//!
//! In Rust, tests are items marked with `#[cfg(test)]` or `#[test]`. Examples in documentation belong to what they
//! document, so they stay with the source. In the other languages that the checks know, tests have files of their own.

mod attributes;
mod code;
mod items;
#[cfg(test)]
mod tests;

use std::ops::Range;

use code::code;
use items::{Container, TestItem, read};

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
    let file = read(&code(bytes))?;
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
    let code = code(bytes);
    let (Some(stem), Some(file)) = (path.strip_suffix(".rs"), read(&code)) else { return Vec::new() };
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
        let source = rebuilt(bytes, &test_part(path, bytes)?, Vec::new());
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
    let (Some(tests), Some(source)) = (read(&code(tests_of)), read(&code(source_of))) else {
        return Combined::NotApplicable("its braces do not match");
    };
    if tests.is_all_tests || source.is_all_tests {
        return Combined::File(tests_of.to_vec());
    }
    if tests.inside_items != source.inside_items {
        return Combined::NotApplicable("it has tests inside other items");
    }
    let Some(places) = places(&tests.tests, &source.modules) else {
        return Combined::NotApplicable("a module that contains tests is only in one version");
    };
    let removed: Vec<Range<usize>> =
        source.tests.into_iter().map(|item| widened(source_of, item.bytes)).collect();
    let added: Vec<Insertion<'_>> = tests
        .tests
        .into_iter()
        .zip(places)
        .map(|(item, at)| Insertion {
            at: at.unwrap_or(source_of.len()),
            text: &tests_of[widened(tests_of, item.bytes)],
        })
        .collect();
    Combined::File(rebuilt(source_of, &removed, added))
}

/// A text that goes in at a place.
struct Insertion<'a> {
    at: usize,
    text: &'a [u8],
}

/// For each test, the end of the module that it belongs to; the inner none is the end of the file. None if there is no
/// such module.
fn places(tests: &[TestItem], modules: &[Container]) -> Option<Vec<Option<usize>>> {
    let place = |item: &TestItem| {
        if item.module.is_empty() {
            return Some(None);
        }
        modules.iter().find(|module| module.path == item.module).map(|module| Some(module.end))
    };
    tests.iter().map(place).collect()
}

/// A text without some ranges and with some insertions.
fn rebuilt(text: &[u8], removed: &[Range<usize>], mut added: Vec<Insertion<'_>>) -> Vec<u8> {
    added.sort_by_key(|insertion| insertion.at);
    let mut added = added.into_iter().peekable();
    let mut result = Vec::with_capacity(text.len());
    let mut removed = removed.iter().peekable();
    let mut at = 0;
    loop {
        let next_gap = removed.peek().map(|gap| gap.start);
        let next_text = added.peek().map(|insertion| insertion.at);
        match (next_gap, next_text) {
            (None, None) => break,
            (Some(gap), text_at) if text_at.is_none_or(|text_at| gap < text_at) => {
                result.extend_from_slice(&text[at.min(gap)..gap]);
                at = at.max(removed.next().map_or(gap, |gap| gap.end));
            }
            (_, Some(place)) => {
                result.extend_from_slice(&text[at.min(place)..place]);
                at = at.max(place);
                if !result.is_empty() && !result.ends_with(b"\n") {
                    result.push(b'\n');
                }
                result.extend(added.next().map_or(&b""[..], |insertion| insertion.text));
            }
            (Some(_), None) => {}
        }
    }
    result.extend_from_slice(&text[at..]);
    result
}

/// An item with the lines of comments above it and the rest of its last line.
fn widened(bytes: &[u8], item: Range<usize>) -> Range<usize> {
    let line_start = |at: usize| memchr::memrchr(b'\n', &bytes[..at]).map_or(0, |end| end + 1);
    let mut start = item.start;
    if bytes[line_start(start)..start].trim_ascii().is_empty() {
        start = line_start(start);
        while start > 0 {
            let above = line_start(start - 1);
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
