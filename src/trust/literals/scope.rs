//! Finds the parts of files that belong to a test: itself, its helpers and its tables.

use std::ops::Range;

use super::super::canary::TestFile;
use super::super::language::Language;
use super::super::scan::{TEXT, is_listed, is_word, line_start, masked, names_path, words};

/// A file whose values can be changed.
pub(super) struct Source<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    /// The text without comments, and with nothing in its quotes.
    pub(super) code: Vec<u8>,
}

pub(super) fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn stem(path: &str) -> &str {
    file_name(path).split('.').next().unwrap_or_default()
}

impl<'a> Source<'a> {
    pub(super) fn read(file: &TestFile<'a>) -> Option<Self> {
        let text = std::str::from_utf8(file.content).ok()?;
        Some(Self { path: file.path, text, code: masked(file.path, file.content) })
    }
}

/// A part of a file: a test with the decorators above it, a helper, a table.
#[derive(Clone)]
pub(super) struct Scope<'s> {
    pub(super) source: &'s Source<'s>,
    pub(super) range: Range<usize>,
    pub(super) name: &'s str,
    /// Where its statements begin, behind its name.
    pub(super) from: usize,
}

impl<'s> Scope<'s> {
    pub(super) fn text(&self) -> &'s str {
        &self.source.text[self.range.clone()]
    }

    /// What belongs to the name at `at`: its line, the lines that are indented deeper, and the decorators above.
    fn around(source: &'s Source<'s>, at: usize, length: usize) -> Self {
        let code = &source.code;
        let depth = |line: &[u8]| line.len() - line.trim_ascii_start().len();
        let start = line_start(code, at);
        let mut end = start;
        for line in code[start..].split_inclusive(|byte| *byte == b'\n') {
            let is_inside = matches!(line.trim_ascii_start().first(), None | Some(b')' | b']' | b'}' | b'{'));
            if end > at && depth(line) <= depth(&code[start..]) && !is_inside {
                break;
            }
            end += line.len();
        }
        let mut head = statement_start(code, at);
        while head > 0 {
            let above = statement_start(code, head - 1);
            if !matches!(code[above..].trim_ascii_start(), [b'@' | b'[', ..] | [b'#', b'[', ..]) {
                break;
            }
            head = above;
        }
        // Behind a title is a comma.
        let from = at + length + if code[at] == TEXT { 2 } else { 0 };
        let from = (from..end).find(|at| source.text.is_char_boundary(*at)).unwrap_or(end);
        Self { source, range: head..end, name: &source.text[at..at + length], from }
    }
}

/// The beginning of the first line that the brackets before `end` reach back to.
fn statement_start(code: &[u8], end: usize) -> usize {
    let mut depth = 0usize;
    for at in (0..end).rev() {
        match code[at] {
            b')' | b']' | b'}' => depth += 1,
            b'(' | b'[' | b'{' => depth = depth.saturating_sub(1),
            b'\n' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    0
}

/// The test with this name, or where it has another one in the text, as the case of a table has, what its name
/// says is around it: a group, or its file.
pub(super) fn scope_of<'s>(sources: &'s [Source<'_>], test: &str) -> Option<Scope<'s>> {
    let has_path = sources.iter().any(|source| names_path(test, source.path));
    let mut parts = test
        .split("::")
        .flat_map(|part| part.split(" > "))
        .flat_map(|part| part.split(" › "))
        .collect::<Vec<_>>();
    while let Some(part) = parts.pop() {
        let word = part.split(['[', '/']).next().unwrap_or(part);
        let (outer, word) = word.rsplit_once(['.', ' ']).unwrap_or((parts.last().unwrap_or(&""), word));
        let outer = outer.rsplit(['.', ' ', '/']).next().unwrap_or(outer);
        let found =
            sources.iter().filter(|source| !has_path || names_path(test, source.path)).find_map(|source| {
                [part, word].into_iter().find_map(|name| {
                    let places: Vec<usize> = declared(source, name).collect();
                    let around = words(source.text.as_bytes(), outer).next().unwrap_or(0);
                    let at = places.iter().find(|at| **at > around).or(places.first())?;
                    Some(Scope::around(source, *at, name.len()))
                })
            });
        if found.is_some() {
            return found;
        }
    }
    let source = sources.iter().find(|source| names_path(test, source.path))?;
    Some(Scope { source, range: 0..source.text.len(), name: "", from: 0 })
}

/// Where a function or a value with this name is declared, or a test with this title.
fn declared<'s>(source: &'s Source<'_>, name: &'s str) -> impl Iterator<Item = usize> + 's {
    let (text, code) = (source.text.as_bytes(), &source.code);
    words(text, name).filter(move |at| {
        let before = code[line_start(code, *at)..*at].trim_ascii();
        let end = at + name.len();
        if code[*at] == TEXT {
            let is_whole = *at > 0 && text.get(end) == Some(&text[at - 1]) && text[end] != b' ';
            let before = before.trim_ascii_end();
            let before = before.strip_suffix(b"\"").unwrap_or(before).trim_ascii_end();
            return is_whole && before.last().is_some_and(|byte| is_word(*byte) || *byte == b'(');
        }
        let after = &code[end..memchr::memchr(b'\n', &code[end..]).map_or(code.len(), |length| end + length)];
        let set = after.trim_ascii_start();
        let is_set = matches!(set, [b'=', next, ..] if *next != b'=')
            || set.starts_with(b":=")
            || set.starts_with(b":") && memchr::memmem::find(set, b" = ").is_some();
        let last = before.rsplit(|byte| *byte == b' ').next().unwrap_or_default();
        let is_function = after.starts_with(b"(")
            && !last.is_empty()
            && !is_listed("return await assert new not in yield if", last);
        (is_set || is_function || before.is_empty() && after.starts_with(b"() {"))
            && before.iter().all(|byte| is_word(*byte) || *byte == b' ')
    })
}

/// What a scope names, where that is declared: in its own file, in one that its file names, beside it, or in fixtures that need no name.
pub(super) fn definitions<'s>(sources: &'s [Source<'_>], scope: &Scope<'s>) -> Vec<Scope<'s>> {
    let own = scope.source;
    let folder = |path: &'s str| &path[..path.len() - file_name(path).len()];
    let is_near = |source: &&Source<'s>| {
        Language::of(source.path).is_some()
            && (folder(own.path) == folder(source.path)
                || stem(source.path) == "conftest"
                || own.text.contains(stem(source.path)))
    };
    let near: Vec<&Source<'_>> = std::iter::once(own).chain(sources.iter().filter(is_near)).collect();
    let mut names: Vec<&str> =
        scope.text().split(|sign: char| !sign.is_alphanumeric() && sign != '_').collect();
    names.retain(|name| name.len() > 1 && *name != scope.name);
    names.sort_unstable();
    names.dedup();
    let declared = |name: &&'s str| {
        near.iter().find_map(|source| {
            let is_inside = |at: &usize| std::ptr::eq(*source, own) && scope.range.contains(at);
            let at = declared(source, name).find(|at| source.code[*at] != TEXT && !is_inside(at))?;
            Some(Scope::around(source, at, name.len()))
        })
    };
    names.iter().filter_map(declared).collect()
}
