//! Changes what tests expect, so that a run shows whether they compare anything.
//!
//! If a test passes although it expects another number or text, an object equals everything, a comparison was patched, or a
//! helper swallows what it finds.
//!
//! No language is read. Names, brackets, quotes and indentation look the same in nearly all of them, and a wrong guess costs little:
//! what is not understood stays as it is, and one changed value that a test notices is enough.

mod expected;
mod scope;
mod source;
#[cfg(test)]
mod tests;

use expected::{Place, compared_names, expected_in, keyed, last_in};
use scope::{Scope, definitions, scope_of};
use source::Source;

use super::canary::TestFile;
use super::language::Language;

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
    let mut edits: Vec<&Place<'_>> = Vec::new();
    let mut changed = Vec::new();
    for (round, (test, places)) in (0..most).flat_map(|round| found.iter().map(move |found| (round, found))) {
        let Some(place) = places.get(round).filter(|_| edits.len() < most) else { continue };
        let overlaps = |other: &&&Place<'_>| {
            let (one, two) = (&other.range, &place.range);
            std::ptr::eq(other.source, place.source) && one.start < two.end && two.start < one.end
        };
        match edits.iter().find(overlaps) {
            // Tests can share a value.
            Some(other) if other.range == place.range => {}
            Some(_) => continue,
            None => edits.push(place),
        }
        let line = place.source.text[..place.range.start].matches('\n').count() + 1;
        changed.push(ChangedLiteral {
            test: String::clone(test),
            place: format!("{}:{line}", place.source.path),
        });
    }
    // From the end, so that the ranges before stay right.
    edits.sort_by_key(|place| std::cmp::Reverse(place.range.start));
    let files = sources.iter().filter_map(|source| {
        let mut text = source.text.to_owned();
        for place in edits.iter().filter(|place| std::ptr::eq(place.source, source)) {
            text.replace_range(place.range.clone(), &place.new);
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
        let name = source.path.rsplit('/').next().unwrap_or(source.path);
        Language::of(source.path).is_none() && scopes.iter().any(|scope| scope.text().contains(name))
    };
    let mut read: Vec<&Source<'_>> = sources.iter().filter(is_read).collect();
    // Of what goes in and what comes out, the latter.
    let words = ["expect", "golden", "snap", "want", "out", "result"];
    read.sort_by_key(|source| !words.iter().any(|word| source.path.contains(word)));
    let value = |source: &&'s Source<'_>| {
        let all = Scope::whole(source);
        names.iter().rev().find_map(|name| keyed(&all, name)).or_else(|| last_in(source, all.range))
    };
    read.iter().find_map(value).into_iter().collect()
}
