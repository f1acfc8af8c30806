//! Finds the parts of files that belong to a test: itself, its helpers and its tables.

use std::ops::Range;

use super::super::scan::{Source, TEXT, is_listed, is_word, line_start, names_path, words};
use crate::suite::Language;

/// A part of a file: a test with the decorators above it, a helper, a table.
#[derive(Clone)]
pub(super) struct Scope<'s> {
    pub(super) source: &'s Source,
    pub(super) range: Range<usize>,
    pub(super) name: &'s str,
    /// Where its statements begin, behind its name.
    pub(super) from: usize,
}

impl<'s> Scope<'s> {
    pub(super) fn whole(source: &'s Source) -> Self {
        Self { source, range: 0..source.text.len(), name: "", from: 0 }
    }

    pub(super) fn text(&self) -> &'s str {
        &self.source.text[self.range.clone()]
    }

    /// What belongs to the name at `at`: its line, the lines that are indented deeper, and the decorators above.
    fn around(source: &'s Source, at: usize, name: &'s str) -> Self {
        let code = &source.code;
        let depth = |line: &str| line.len() - line.trim_start().len();
        let start = line_start(code.as_bytes(), at);
        let mut end = start;
        for line in code[start..].split_inclusive('\n') {
            let is_inside = line.trim_start().chars().next().is_none_or(|sign| ")]}{".contains(sign));
            if end > at && depth(line) <= depth(&code[start..]) && !is_inside {
                break;
            }
            end += line.len();
        }
        // Decorators and tables stand directly above.
        let above = code[..start].split_inclusive('\n').rev().take_while(|line| !line.trim().is_empty());
        let head = start - above.map(str::len).sum::<usize>();
        // Behind a title is a comma.
        let from = at + name.len() + if code.as_bytes()[at] == TEXT { 2 } else { 0 };
        let from = (from..end).find(|at| code.is_char_boundary(*at)).unwrap_or(end);
        Self { source, range: head..end, name, from }
    }
}

/// The test with this name, or where it has another one in the text, as the case of a table has, what its name
/// says is around it: a group, or its file.
pub(super) fn scope_of<'s>(sources: &[&'s Source], test: &'s str) -> Option<Scope<'s>> {
    let all = || sources.iter().copied();
    let own: Vec<&'s Source> = all().filter(|source| names_path(test, &source.path)).collect();
    let own = if own.is_empty() { all().collect() } else { own };
    let parts = test.split("::").flat_map(|part| part.split(" > ")).flat_map(|part| part.split(" › "));
    let parts: Vec<&str> = parts.collect();
    let names = parts.into_iter().rev().flat_map(|part| {
        let word = part.split(['[', '/']).next().unwrap_or(part);
        [part, word.rsplit(['.', ' ']).next().unwrap_or(word)]
    });
    let mut found = names.filter(|name| !name.is_empty()).filter_map(|name| {
        let is_sign = |sign: char| !sign.is_alphanumeric() && sign != '_';
        let before = test[..test.rfind(name)?].trim_end_matches(is_sign);
        let outer = before.rsplit(is_sign).next()?;
        own.iter().find_map(|source| {
            let around = words(source.text.as_bytes(), outer).next().unwrap_or(0);
            let places: Vec<usize> = declared(source, name).collect();
            let at = places.iter().find(|at| **at > around).or(places.first())?;
            Some(Scope::around(source, *at, name))
        })
    });
    let whole =
        || own.iter().find(|source| names_path(test, &source.path)).map(|source| Scope::whole(source));
    found.next().or_else(whole)
}

/// Where a function or a value with this name is declared, or a test with this title.
fn declared<'s>(source: &'s Source, name: &'s str) -> impl Iterator<Item = usize> + 's {
    let (text, code) = (source.text.as_bytes(), &source.code);
    words(text, name).filter(move |at| {
        let before = code[line_start(code.as_bytes(), *at)..*at].trim_ascii();
        let end = at + name.len();
        if code.as_bytes()[*at] == TEXT {
            let is_whole = *at > 0 && text.get(end) == Some(&text[at - 1]) && text[end] != b' ';
            let before = before.strip_suffix('"').unwrap_or(before).trim_end();
            return is_whole && before.bytes().last().is_some_and(|byte| is_word(byte) || byte == b'(');
        }
        let line = code[end..].lines().next().unwrap_or_default();
        let after = line.trim_start();
        let is_set = after.starts_with('=') && !after.starts_with("==") || after.starts_with(":=");
        let is_typed = after.starts_with(':') && after.contains(" = ");
        let last = before.rsplit(' ').next().unwrap_or_default();
        let is_function = line.starts_with('(')
            && if before.is_empty() {
                line.starts_with("() {")
            } else {
                !is_listed("return await assert new not in yield if", last)
            };
        (is_set || is_typed || is_function) && before.bytes().all(|byte| is_word(byte) || byte == b' ')
    })
}

/// What a scope names, where that is declared: in its own file, in one that its file names, beside it, or in fixtures that need no name.
pub(super) fn definitions<'s>(sources: &[&'s Source], scope: &Scope<'s>) -> Vec<Scope<'s>> {
    let own = scope.source;
    let split = |path: &'s str| path.rsplit_once('/').unwrap_or(("", path));
    let is_near = |source: &&'s Source| {
        let (folder, name) = split(&source.path);
        let stem = name.split('.').next().unwrap_or_default();
        Language::of(&source.path).is_some()
            && (folder == split(&own.path).0 || stem == "conftest" || own.text.contains(stem))
    };
    let near: Vec<&'s Source> = std::iter::once(own).chain(sources.iter().copied().filter(is_near)).collect();
    let mut names: Vec<&str> =
        scope.text().split(|sign: char| !sign.is_alphanumeric() && sign != '_').collect();
    names.retain(|name| name.len() > 1 && *name != scope.name);
    names.sort_unstable();
    names.dedup();
    let declared = |name: &&'s str| {
        near.iter().find_map(|source| {
            let is_inside = |at: &usize| std::ptr::eq(*source, own) && scope.range.contains(at);
            let is_it = |at: &usize| source.code.as_bytes()[*at] != TEXT && !is_inside(at);
            Some(Scope::around(source, declared(source, name).find(is_it)?, name))
        })
    };
    names.iter().filter_map(declared).collect()
}
