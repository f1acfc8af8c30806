//! Changes what tests expect, so that a run shows whether their assertions compare anything.
//!
//! If a test passes although it expects another number or text, an object equals everything, or a comparison was patched.

mod assertions;
mod bodies;
mod replacement;
mod tables;
#[cfg(test)]
mod tests;

use std::ops::Range;

use assertions::Assertions;

use super::canary::TestFile;
use super::scan::{masked, names_path};
use crate::suite::Framework;

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

/// A file with tests, and the replacements in it.
struct Source<'a> {
    path: &'a str,
    text: &'a str,
    code: Vec<u8>,
    edits: Vec<(Range<usize>, String)>,
}

/// Changes up to `most` literals that assertions expect, each in another test of `evidence` (names as the framework prints
/// them). None if none is found.
#[must_use]
pub fn changed_literals(
    framework: Framework,
    files: &[TestFile<'_>],
    evidence: &[String],
    most: usize,
) -> Option<LiteralRun> {
    let mut sources: Vec<Source<'_>> = files.iter().filter_map(Source::read).collect();
    let mut changed = Vec::new();
    for test in evidence {
        if changed.len() == most {
            break;
        }
        // A name with a path is looked for in its file alone.
        let has_path = sources.iter().any(|source| names_path(test, source.path));
        let mut candidates = sources.iter_mut().filter(|source| !has_path || names_path(test, source.path));
        changed.extend(candidates.find_map(|source| source.change(framework, test)));
    }
    let files = sources.iter().filter(|source| !source.edits.is_empty());
    let files: Vec<(String, Vec<u8>)> =
        files.map(|source| (source.path.to_owned(), source.changed())).collect();
    (!changed.is_empty()).then_some(LiteralRun { files, changed })
}

impl<'a> Source<'a> {
    fn read(file: &TestFile<'a>) -> Option<Self> {
        let text = std::str::from_utf8(file.content).ok()?;
        Some(Self { path: file.path, text, code: masked(file.path, file.content), edits: Vec::new() })
    }

    /// Changes one literal in the test with this name, unless one was changed in its body before.
    fn change(&mut self, framework: Framework, test: &str) -> Option<ChangedLiteral> {
        let body = bodies::body(self.path, self.text, &self.code, test)?;
        let assertions = Assertions::of(framework)?;
        let (range, text) = assertions
            .expected(self.text, &self.code, body.clone())
            .or_else(|| tables::expected(self.text, &self.code, body, &assertions))?;
        if self.edits.iter().any(|(other, _)| *other == range) {
            return None;
        }
        let line = self.text[..range.start].matches('\n').count() + 1;
        self.edits.push((range, text));
        Some(ChangedLiteral { test: test.to_owned(), place: format!("{}:{line}", self.path) })
    }

    fn changed(&self) -> Vec<u8> {
        let mut text = self.text.to_owned();
        let mut edits: Vec<&(Range<usize>, String)> = self.edits.iter().collect();
        edits.sort_by_key(|(range, _)| std::cmp::Reverse(range.start));
        for (range, new) in edits {
            text.replace_range(range.clone(), new);
        }
        text.into_bytes()
    }
}
