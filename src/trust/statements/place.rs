//! A statement with what is around it, and a replacement in a source.

use std::ops::Range;

use super::super::scan::{TEXT, words};
use super::lines::Lines;

/// A replacement in a source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct SourceEdit {
    range: Range<usize>,
    text: Vec<u8>,
}

impl SourceEdit {
    pub(super) fn new(range: Range<usize>, text: impl Into<Vec<u8>>) -> Self {
        Self { range, text: text.into() }
    }

    /// The source with the replacement.
    pub(super) fn applied(&self, source: &[u8]) -> Vec<u8> {
        [&source[..self.range.start], &self.text, &source[self.range.end..]].concat()
    }
}

/// A statement, and what is around it.
pub(super) struct Place<'a> {
    pub(super) lines: &'a Lines<'a>,
    /// Its code, without what is blank around it.
    pub(super) range: Range<usize>,
    /// The code that follows begins with a closing brace.
    pub(super) is_last: bool,
}

impl Place<'_> {
    pub(super) fn code(&self) -> &[u8] {
        &self.lines.code[self.range.clone()]
    }

    /// Where a word is in the statement.
    pub(super) fn find(&self, word: &str) -> Option<usize> {
        words(self.code(), word).next().map(|at| self.range.start + at)
    }
}

/// The first place outside of brackets for which `is_it` holds.
pub(super) fn depth_zero(code: &[u8], is_it: impl Fn(usize) -> bool) -> Option<usize> {
    let mut depth = 0i32;
    for (at, byte) in code.iter().enumerate() {
        if depth == 0 && is_it(at) {
            return Some(at);
        }
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth < 0 {
            return None;
        }
    }
    None
}

/// Whether a text is one quoted text.
pub(super) fn is_text(code: &[u8]) -> bool {
    !code.is_empty() && code.iter().all(|byte| *byte == TEXT)
}

/// A value in a statement.
pub(super) struct Value {
    pub(super) range: Range<usize>,
    /// The statement does nothing but give the value back.
    pub(super) is_result: bool,
    /// A function returns it.
    pub(super) is_returned: bool,
}
