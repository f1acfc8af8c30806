//! What a change does to a file of tests, a script or a configuration: the tests, assertions and skips that it removes or
//! adds, by line.

mod escapes;
mod facts;
mod markers;
mod source;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::fmt;

pub use escapes::Escape;

use super::files::{FileKind, kind_of};
use facts::{Fact, What, facts_of};

/// Where something was removed and added: lines, from 1.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delta {
    /// Lines of the file as it was before.
    pub removed: Vec<usize>,
    /// Lines of the file as it is now.
    pub added: Vec<usize>,
}

/// What a change does to one file that tests something. Something that was changed counts as removed and as added.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestChange {
    /// Tests, by their names.
    pub tests: Delta,
    /// Assertions, by their text.
    pub assertions: Delta,
    /// Marks that skip a test or expect it to fail.
    pub skips: Delta,
    /// Marks that let only one test run, such as `.only`.
    pub focused: Delta,
    /// Lines of added assertions that always hold, such as `assert True`.
    pub always_hold: Vec<usize>,
    /// Ways to hide a failure that were added.
    pub escapes: Vec<Escape>,
    /// Lines of a snapshot that were there before and are not any more.
    pub snapshot: Vec<usize>,
}

impl TestChange {
    /// What happened to the file at `path` between two versions; a version is none if there was no such file.
    #[must_use]
    pub fn between(path: &str, before: Option<&[u8]>, after: Option<&[u8]>) -> Self {
        let (before, after) = (before.unwrap_or_default(), after.unwrap_or_default());
        if kind_of(path) == FileKind::Snapshot {
            return Self { snapshot: lost_lines(before, after), ..Self::default() };
        }
        let old = facts_of(path, before);
        let new = facts_of(path, after);
        let delta = |what| difference(&old, &new, what);
        let always_hold = difference(&old, &new, What::AlwaysHolds).added;
        Self {
            tests: delta(What::Test),
            assertions: delta(What::Assertion),
            skips: delta(What::Skip),
            focused: delta(What::Focus),
            always_hold,
            escapes: escapes::added(path, before, after),
            snapshot: Vec::new(),
        }
    }

    /// Whether the change takes something away that could have failed. Adding tests and assertions does not.
    #[must_use]
    pub fn weakens(&self) -> bool {
        let taken = [&self.tests, &self.assertions].iter().any(|delta| !delta.removed.is_empty());
        let added = [&self.skips, &self.focused].iter().any(|delta| !delta.added.is_empty());
        taken
            || added
            || !self.always_hold.is_empty()
            || !self.escapes.is_empty()
            || !self.snapshot.is_empty()
    }

    /// Whether nothing that the checks know has changed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// One clause: `2 assertions removed, none added; 1 test skipped`.
impl fmt::Display for TestChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut clauses: Vec<String> = Vec::new();
        clauses.extend(removed_and_added(&self.tests, "test"));
        clauses.extend(removed_and_added(&self.assertions, "assertion"));
        let mut counted = |lines: &[usize], one: &str, many: &str| match lines.len() {
            0 => {}
            1 => clauses.push(format!("1 {one}")),
            count => clauses.push(format!("{count} {many}")),
        };
        counted(&self.always_hold, "added assertion always holds", "added assertions always hold");
        counted(&self.skips.added, "test skipped", "tests skipped");
        counted(&self.skips.removed, "skip removed", "skips removed");
        counted(&self.focused.added, "test run alone", "tests run alone");
        counted(&self.snapshot, "line of the snapshot changed", "lines of the snapshot changed");
        clauses.extend(self.escapes.iter().map(|escape| format!("`{}` added", escape.text)));
        if clauses.is_empty() {
            return f.write_str("no test, assertion or skip changed");
        }
        f.write_str(&clauses.join("; "))
    }
}

fn removed_and_added(delta: &Delta, word: &str) -> Option<String> {
    let count = |count: usize| match count {
        1 => format!("1 {word}"),
        _ => format!("{count} {word}s"),
    };
    match (delta.removed.len(), delta.added.len()) {
        (0, 0) => None,
        (0, added) => Some(format!("{} added", count(added))),
        (removed, 0) => Some(format!("{} removed, none added", count(removed))),
        (removed, added) => Some(format!("{} removed, {added} added", count(removed))),
    }
}

/// The facts of one sort that are only in one of two versions. A text that occurs several times counts as often.
fn difference(old: &[Fact], new: &[Fact], what: What) -> Delta {
    let mut left: BTreeMap<&[u8], Vec<usize>> = BTreeMap::new();
    for fact in old.iter().filter(|fact| fact.what == what) {
        left.entry(&fact.text).or_default().push(fact.line);
    }
    let mut added = Vec::new();
    for fact in new.iter().filter(|fact| fact.what == what) {
        if left.get_mut(fact.text.as_slice()).and_then(Vec::pop).is_none() {
            added.push(fact.line);
        }
    }
    let mut removed: Vec<usize> = left.into_values().flatten().collect();
    removed.sort_unstable();
    Delta { removed, added }
}

/// The lines of `before` that `after` does not have any more, in the same order.
fn lost_lines(before: &[u8], after: &[u8]) -> Vec<usize> {
    let mut left: BTreeMap<&[u8], usize> = BTreeMap::new();
    for line in after.split(|byte| *byte == b'\n') {
        *left.entry(line).or_default() += 1;
    }
    let mut lost = Vec::new();
    for (at, line) in before.split(|byte| *byte == b'\n').enumerate() {
        match left.get_mut(line).filter(|count| **count > 0) {
            Some(count) => *count -= 1,
            None => lost.push(at + 1),
        }
    }
    lost
}
