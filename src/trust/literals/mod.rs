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

use super::scan::Source;
use crate::suite::Language;
use expected::{Place, compared_names, expected_in, keyed, last_in};
use scope::{Scope, definitions, scope_of};

/// Files in which tests expect something else than they did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LiteralRun {
    /// Path and contents of the files that were changed.
    pub files: Vec<(String, String)>,
    /// Where they were changed: `tests/test_a.py:12`.
    pub changed: Vec<String>,
}

/// How many tests are looked for.
const MOST_TESTS: usize = 100;

/// Changes up to `most` literals that tests expect, the first of each test in `evidence` (names as the framework prints them)
/// before the second of any. `beside` are data and helpers. None if none is found.
#[must_use]
pub fn changed_literals(
    tests: &[Source],
    beside: &[Source],
    evidence: &[String],
    most: usize,
) -> Option<LiteralRun> {
    let sources: Vec<&Source> = tests.iter().chain(beside).collect();
    // The cases of one table are one test here.
    let mut scopes: Vec<Scope<'_>> = Vec::new();
    for test in evidence.iter().take(MOST_TESTS) {
        let has_room = scopes.len() < 4 * most;
        let Some(scope) = has_room.then(|| scope_of(&sources, test)).flatten() else { continue };
        let is_it = |last: &Scope<'_>| std::ptr::eq(last.source, scope.source) && last.range == scope.range;
        if !scopes.last().is_some_and(is_it) {
            scopes.push(scope);
        }
    }
    let mut found: Vec<Vec<Place<'_>>> = scopes.iter().map(|scope| in_code(&sources, scope)).collect();
    // A whole file that differs is noticed even by a comparison that lets single values pass.
    if found.iter().all(Vec::is_empty) {
        found = scopes.iter().map(|scope| in_data(&sources, scope)).collect();
    }
    let mut edits: Vec<&Place<'_>> = Vec::new();
    for place in (0..most).flat_map(|round| found.iter().filter_map(move |places| places.get(round))) {
        // Tests can share a value.
        let overlaps = |other: &&Place<'_>| {
            let (one, two) = (&other.range, &place.range);
            std::ptr::eq(other.source, place.source) && one.start < two.end && two.start < one.end
        };
        if edits.len() < most && !edits.iter().any(overlaps) {
            edits.push(place);
        }
    }
    let changed = edits.iter().map(|place| {
        let line = place.source.text[..place.range.start].matches('\n').count() + 1;
        format!("{}:{line}", place.source.path)
    });
    let changed: Vec<String> = changed.collect();
    // From the end, so that the ranges before stay right.
    edits.sort_by_key(|place| std::cmp::Reverse(place.range.start));
    let files = sources.iter().filter_map(|source| {
        let mut own = edits.iter().filter(|place| std::ptr::eq(place.source, *source)).peekable();
        own.peek()?;
        let mut text = source.text.clone();
        own.for_each(|place| text.replace_range(place.range.clone(), &place.new));
        Some((source.path.clone(), text))
    });
    let files: Vec<_> = files.collect();
    (!changed.is_empty()).then_some(LiteralRun { files, changed })
}

/// What the comparisons of a test expect, the last one first; where it has none, those of the helpers that it calls.
fn in_code<'s>(sources: &[&'s Source], own: &Scope<'s>) -> Vec<Place<'s>> {
    let used = definitions(sources, own);
    let around: Vec<&Scope<'_>> = std::iter::once(own).chain(&used).collect();
    let found = expected_in(own, &around, None);
    let helpers = used.iter().filter(|scope| own.text().contains(&format!("{}(", scope.name)));
    let in_helpers = || helpers.flat_map(|scope| expected_in(scope, &[scope, own], Some(scope.name)));
    if found.is_empty() { in_helpers().collect() } else { found }
}

/// What the data that a test compares with has: at the name that a comparison gives, or last.
fn in_data<'s>(sources: &[&'s Source], own: &Scope<'s>) -> Vec<Place<'s>> {
    let mut scopes = vec![own.clone()];
    scopes.extend(definitions(sources, own));
    let inner: Vec<_> = scopes[1..].iter().flat_map(|scope| definitions(sources, scope)).collect();
    scopes.extend(inner);
    let Some(names) = scopes.iter().find_map(compared_names) else { return Vec::new() };
    let is_read = |source: &&Source| {
        let name = source.path.rsplit('/').next().unwrap_or_default();
        Language::of(&source.path).is_none() && scopes.iter().any(|scope| scope.text().contains(name))
    };
    let mut data: Vec<&Source> = sources.iter().copied().filter(is_read).collect();
    // Of what goes in and what comes out, the latter.
    let words = ["expect", "golden", "snap", "want", "out", "result"];
    data.sort_by_key(|source| !words.iter().any(|word| source.path.contains(word)));
    let value = |source: &&'s Source| {
        let all = Scope::whole(source);
        names.iter().rev().find_map(|name| keyed(&all, name)).or_else(|| last_in(source, all.range))
    };
    data.iter().find_map(value).into_iter().collect()
}
