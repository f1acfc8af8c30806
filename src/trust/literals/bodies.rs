//! Finds the lines of a test by its name.

use std::ops::Range;

use super::super::language::Language;
use super::super::scan::{TEXT, closing, is_word, line_start, words};

/// The body of a test, from its name on.
pub(super) fn body(path: &str, text: &str, code: &[u8], test: &str) -> Option<Range<usize>> {
    let (_, title) = test.rsplit_once(" > ").or_else(|| test.rsplit_once(" › ")).unwrap_or(("", test));
    let plain = test.split('[').next().unwrap_or(test);
    // `TestX/case` is a part of the function `TestX`.
    let function = plain.rsplit("::").next().unwrap_or(plain).split('/').next().unwrap_or(plain);
    let function = function.rsplit(['.', ' ']).next().unwrap_or(function);
    let mut places = functions(code, function);
    // Of methods with the same name, the one whose class is in the name.
    let class_of = |at: usize| {
        let class = words(&code[..at], "class").last()? + "class".len();
        text[class..].split(|sign: char| !sign.is_alphanumeric() && sign != '_').find(|word| !word.is_empty())
    };
    places.sort_by_key(|at| !class_of(*at).is_some_and(|class| plain.contains(class)));
    let found = places.first().copied().or_else(|| titled(text, code, title));
    let at = found?;
    if Language::of(path) == Some(Language::Python) { indented(text, code, at) } else { braced(code, at) }
}

/// Where functions with this name are declared.
fn functions(code: &[u8], name: &str) -> Vec<usize> {
    let is_declared = |at: &usize| {
        let before = code[..*at].trim_ascii_end();
        let line = &code[line_start(code, *at)..*at];
        let is_called = before.last().is_some_and(|byte| matches!(byte, b'.' | b'(' | b'=' | b',' | b'!'));
        code.get(at + name.len()) == Some(&b'(') && !line.trim_ascii().is_empty() && !is_called
    };
    if name.is_empty() { Vec::new() } else { words(code, name).filter(is_declared).collect() }
}

/// Where a test with this title is called: `it('title', ...)`, `@test "title" {`. What a framework prints
/// may have the titles of groups in front.
fn titled(text: &str, code: &[u8], title: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(length) = code[at..].iter().position(|byte| *byte == TEXT) {
        let start = at + length;
        let end = start + code[start..].iter().take_while(|byte| **byte == TEXT).count();
        at = end;
        let before = code[..start].trim_ascii_end();
        let before = before.strip_suffix(b"(").unwrap_or(before);
        let word = &before[before.len() - before.iter().rev().take_while(|byte| is_word(**byte)).count()..];
        let written = text.get(start + 1..end.saturating_sub(1)).unwrap_or_default();
        let is_title = title == written || title.ends_with(&format!(" {written}"));
        if matches!(word, b"it" | b"test") && !written.is_empty() && is_title {
            return Some(start);
        }
    }
    None
}

/// From the line at `at` to the next one that is indented no deeper.
fn indented(text: &str, code: &[u8], at: usize) -> Option<Range<usize>> {
    let start = line_start(code, at);
    let depth = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let own = depth(&text[start..]);
    let mut lines = code[start..].split_inclusive(|byte| *byte == b'\n');
    let mut end = start + lines.next().map_or(0, <[u8]>::len);
    for line in lines {
        let is_closing = matches!(line.trim_ascii_start().first(), Some(b')' | b']' | b'}'));
        if !line.trim_ascii().is_empty() && !is_closing && depth(&text[end..]) <= own {
            break;
        }
        end += line.len();
    }
    Some(at..end)
}

/// The block that begins after `at`, or the call around it.
fn braced(code: &[u8], at: usize) -> Option<Range<usize>> {
    let before = code[..at].trim_ascii_end();
    if before.last() == Some(&b'(') {
        return Some(at..closing(code, before.len() - 1)?);
    }
    let open = at + memchr::memchr(b'{', &code[at..])?;
    Some(at..closing(code, open)?)
}
