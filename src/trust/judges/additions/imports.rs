//! The imports of a file.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::trust::judges::words::{word_set, words};
use crate::trust::language::Language;

/// More imports than this are compared with too many others.
const MOST: usize = 200;

/// Words of imports that are no names.
const KEYWORDS: [&str; 14] = [
    "import", "from", "use", "as", "const", "let", "var", "require", "crate", "self", "super", "pub",
    "static", "using",
];

pub(super) struct Imports {
    /// Where they are.
    pub(super) ranges: Vec<Range<usize>>,
    /// The words of each.
    statements: Vec<BTreeSet<Vec<u8>>>,
    /// New names for what is imported (`import a as b`).
    renamed: BTreeSet<Vec<u8>>,
}

impl Imports {
    /// `code` is `bytes` without comments and quotes.
    pub(super) fn read(language: Language, bytes: &[u8], code: &[u8]) -> Self {
        let mut imports = Self { ranges: Vec::new(), statements: Vec::new(), renamed: BTreeSet::new() };
        let mut at = 0;
        while at < code.len() {
            let line_end = memchr::memchr(b'\n', &code[at..]).map_or(code.len(), |end| at + end);
            let mut end = line_end;
            if begins_import(language, &code[at..line_end]) {
                end = statement_end(code, at);
                imports.add(&bytes[at..end], at..end);
            }
            at = end.max(line_end) + 1;
        }
        imports
    }

    fn add(&mut self, text: &[u8], range: Range<usize>) {
        let mut last: &[u8] = b"";
        for word in words(text) {
            if last == b"as" {
                self.renamed.insert(word.to_vec());
            }
            last = word;
        }
        // `const { a: b } = require('c')`
        for renamed in text.split(|byte| *byte == b':').skip(1) {
            self.renamed.extend(words(renamed).next().map(<[u8]>::to_vec));
        }
        self.statements.push(word_set(text).into_iter().map(<[u8]>::to_vec).collect());
        self.ranges.push(range);
    }

    /// Whether these imports are `old` and more, and what is new has no name that the rest of the file has `used`.
    pub(super) fn extends(&self, old: &Self, used: &BTreeSet<Vec<u8>>) -> bool {
        if self.statements.len().max(old.statements.len()) > MOST {
            return false;
        }
        let kept = |statement: &BTreeSet<Vec<u8>>| self.statements.iter().any(|now| statement.is_subset(now));
        let renamed = self.renamed.iter().filter(|word| !old.renamed.contains(*word));
        old.statements.iter().all(kept)
            && self.statements.iter().all(|now| extra(now, old).all(|word| !used.contains(word)))
            && renamed.into_iter().all(|word| !used.contains(word))
    }
}

/// The names in a statement that were in none of the old statements that became it.
fn extra<'a>(now: &'a BTreeSet<Vec<u8>>, old: &'a Imports) -> impl Iterator<Item = &'a Vec<u8>> {
    let known: BTreeSet<&Vec<u8>> =
        old.statements.iter().filter(|statement| statement.is_subset(now)).flatten().collect();
    let is_keyword = |word: &[u8]| KEYWORDS.iter().any(|keyword| keyword.as_bytes() == word);
    now.iter().filter(move |word| !known.contains(word) && !is_keyword(word))
}

fn begins_import(language: Language, line: &[u8]) -> bool {
    let begins = |words: &[&str]| words.iter().any(|word| line.starts_with(word.as_bytes()));
    match language {
        Language::Python => begins(&["import ", "from "]),
        Language::JavaScript => {
            let is_require = || memchr::memmem::find(line, b"require(").is_some();
            begins(&["import ", "import{"]) || (begins(&["const ", "let ", "var "]) && is_require())
        }
        Language::Go => begins(&["import ", "import("]),
        Language::Rust => {
            let line = line.trim_ascii_start();
            line.starts_with(b"use ") || line.starts_with(b"pub use ")
        }
        Language::Java | Language::Swift => begins(&["import "]),
        Language::CSharp => begins(&["using "]),
        Language::Php => begins(&["use "]),
        Language::C | Language::Elixir | Language::Ruby | Language::Shell => false,
    }
}

/// The end of the line or the semicolon that ends a statement, outside of brackets.
fn statement_end(code: &[u8], start: usize) -> usize {
    let mut depth = 0usize;
    for (at, byte) in code.iter().enumerate().skip(start) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth = depth.saturating_sub(1),
            b';' if depth == 0 => return at + 1,
            b'\n' if depth == 0 => return at,
            _ => {}
        }
    }
    code.len()
}
