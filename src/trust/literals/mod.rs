//! Changes what tests expect, so that a run shows whether they compare anything.
//!
//! If a test passes although it expects another number or text, an object equals everything, a comparison was patched, or a
//! helper swallows what it finds.
//!
//! No language is read. Names, brackets, quotes and indentation look the same in nearly all of them, and a wrong guess costs little:
//! what is not understood stays as it is, and one changed value that a test notices is enough.

mod expected;
#[cfg(test)]
mod tests;

use std::ops::Range;

use expected::{Place, compared_names, expected_in, keyed, last_in};

use super::canary::TestFile;
use super::language::Language;
use super::scan::{TEXT, is_listed, is_word, line_start, masked, names_path, words};

/// A literal that was changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangedLiteral {
    /// The name of its test, as the framework prints it.
    pub test: String,
    /// Where it is: `tests/test_a.py:12`.
    pub place: String,
}

/// Files in which tests expect something else than they did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralRun {
    /// Path and contents of the files that were changed.
    pub files: Vec<(String, Vec<u8>)>,
    /// What was changed in them.
    pub changed: Vec<ChangedLiteral>,
}

/// A file whose values can be changed.
struct Source<'a> {
    path: &'a str,
    text: &'a str,
    /// The text without comments, and with nothing in its quotes.
    code: Vec<u8>,
}

/// Changes up to `most` literals that tests expect, the first of each test in `evidence` (names as the framework prints them)
/// before the second of any. `beside` are data and helpers. None if none is found.
#[must_use]
pub fn changed_literals(
    tests: &[TestFile<'_>],
    beside: &[TestFile<'_>],
    evidence: &[String],
    most: usize,
) -> Option<LiteralRun> {
    let sources: Vec<Source<'_>> = tests.iter().chain(beside).filter_map(Source::read).collect();
    let mut scopes: Vec<(&String, Scope<'_>)> =
        evidence.iter().filter_map(|test| Some((test, scope_of(&sources, test)?))).collect();
    // The cases of one table are one test here.
    scopes
        .dedup_by(|(_, one), (_, other)| std::ptr::eq(one.source, other.source) && one.range == other.range);
    scopes.truncate(4 * most);
    let mut found: Vec<_> = scopes.iter().map(|(test, scope)| (test, in_code(&sources, scope))).collect();
    // A whole file that differs is noticed even by a comparison that lets single values pass.
    if found.iter().all(|(_, places)| places.is_empty()) {
        found = scopes.iter().map(|(test, scope)| (test, in_data(&sources, scope))).collect();
    }
    let mut edits: Vec<(Place<'_>, String)> = Vec::new();
    let mut changed = Vec::new();
    for (round, (test, places)) in (0..most).flat_map(|round| found.iter().map(move |found| (round, found))) {
        let Some(place) = places.get(round).filter(|_| edits.len() < most) else { continue };
        // Tests can share a value.
        match edits.iter().find(|(other, _)| other.overlaps(place)) {
            Some((other, _)) if other.range != place.range => continue,
            Some(_) => {}
            None => edits.extend(place.other().map(|new| (place.clone(), new))),
        }
        let line = place.source.text[..place.range.start].matches('\n').count() + 1;
        let place = format!("{}:{line}", place.source.path);
        changed.push(ChangedLiteral { test: String::clone(test), place });
    }
    // From the end, so that the ranges before stay right.
    edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.range.start));
    let files = sources.iter().filter_map(|source| {
        let mut text = source.text.to_owned();
        for (place, new) in edits.iter().filter(|(place, _)| std::ptr::eq(place.source, source)) {
            text.replace_range(place.range.clone(), new);
        }
        (text != source.text).then(|| (source.path.to_owned(), text.into_bytes()))
    });
    let files: Vec<_> = files.collect();
    (!changed.is_empty()).then_some(LiteralRun { files, changed })
}

/// What the comparisons of a test expect, the last one first; where it has none, those of the helpers that it calls.
fn in_code<'s>(sources: &'s [Source<'_>], own: &Scope<'s>) -> Vec<Place<'s>> {
    let used = definitions(sources, own);
    let around: Vec<&Scope<'_>> = std::iter::once(own).chain(&used).collect();
    let found = expected_in(own, &around, None);
    let helpers = used.iter().filter(|scope| own.text().contains(&format!("{}(", scope.name)));
    let in_helpers = || helpers.flat_map(|scope| expected_in(scope, &[scope, own], Some(scope.name)));
    if found.is_empty() { in_helpers().collect() } else { found }
}

/// What the data that a test compares with has: at the name that a comparison gives, or last.
fn in_data<'s>(sources: &'s [Source<'_>], own: &Scope<'s>) -> Vec<Place<'s>> {
    let mut scopes = vec![own.clone()];
    scopes.extend(definitions(sources, own));
    let inner: Vec<_> = scopes[1..].iter().flat_map(|scope| definitions(sources, scope)).collect();
    scopes.extend(inner);
    let Some(names) = scopes.iter().find_map(compared_names) else { return Vec::new() };
    let is_read = |source: &&Source<'_>| {
        let is_named = |scope: &Scope<'_>| scope.text().contains(file_name(source.path));
        Language::of(source.path).is_none() && scopes.iter().any(is_named)
    };
    let mut read: Vec<&Source<'_>> = sources.iter().filter(is_read).collect();
    // Of what goes in and what comes out, the latter.
    let words = ["expect", "golden", "snap", "want", "out", "result"];
    read.sort_by_key(|source| !words.iter().any(|word| source.path.contains(word)));
    let value = |source: &&'s Source<'_>| {
        let all = Scope { source, range: 0..source.text.len(), name: "", from: 0 };
        names.iter().rev().find_map(|name| keyed(&all, name)).or_else(|| last_in(source, all.range))
    };
    read.iter().find_map(value).into_iter().collect()
}

fn file_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

fn stem(path: &str) -> &str {
    file_name(path).split('.').next().unwrap_or_default()
}

impl<'a> Source<'a> {
    fn read(file: &TestFile<'a>) -> Option<Self> {
        let text = std::str::from_utf8(file.content).ok()?;
        Some(Self { path: file.path, text, code: masked(file.path, file.content) })
    }
}

/// A part of a file: a test with the decorators above it, a helper, a table.
#[derive(Clone)]
struct Scope<'s> {
    source: &'s Source<'s>,
    range: Range<usize>,
    name: &'s str,
    /// Where its statements begin, behind its name.
    from: usize,
}

impl<'s> Scope<'s> {
    fn text(&self) -> &'s str {
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
fn scope_of<'s>(sources: &'s [Source<'_>], test: &str) -> Option<Scope<'s>> {
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
fn definitions<'s>(sources: &'s [Source<'_>], scope: &Scope<'s>) -> Vec<Scope<'s>> {
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
