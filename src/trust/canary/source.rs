//! A file that a test is added to, before and after it.

use crate::trust::scan::{is_word, masked, words};

/// A file with tests, as it is in the commit.
#[derive(Clone, Copy, Debug)]
pub struct TestFile<'a> {
    /// Its path, relative to the root of the repository.
    pub path: &'a str,
    /// Its contents.
    pub content: &'a [u8],
}

/// The failing test, and the file that has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canary {
    /// The path of the file.
    pub path: String,
    /// The file with the test in it.
    pub content: Vec<u8>,
    /// A text that is in the name of this test and of no other, as `test_arborist_canary`.
    pub name: &'static str,
    /// Whether the file has no other tests.
    pub is_new_file: bool,
}

/// A call that asserts, by its name, and how it is written so that it fails: `{}` stands for the name in the file.
pub(super) struct Fails {
    name: &'static str,
    fails: &'static str,
}

/// A row of a table of such calls.
pub(super) const fn fails(name: &'static str, fails: &'static str) -> Fails {
    Fails { name, fails }
}

/// A file with tests, read.
pub(super) struct Source<'a> {
    pub(super) path: &'a str,
    pub(super) text: &'a str,
    /// The text with blank comments and without quoted text ([`masked`]).
    pub(super) code: Vec<u8>,
}

impl<'a> Source<'a> {
    /// None if the file is no text.
    pub(super) fn read(file: &TestFile<'a>) -> Option<Self> {
        let text = std::str::from_utf8(file.content).ok().filter(|text| !text.contains('\0'))?;
        Some(Self { path: file.path, text, code: masked(file.path, file.content) })
    }

    /// The folder of the file, with a slash after it unless it is the root.
    pub(super) fn folder(&self) -> &str {
        self.path.rfind('/').map_or("", |slash| &self.path[..=slash])
    }

    /// Whether a word is in the code.
    pub(super) fn has(&self, word: &str) -> bool {
        words(&self.code, word).next().is_some()
    }

    /// Whether the text has the last part of a test's name.
    pub(super) fn contains_title(&self, name: &str) -> bool {
        let name =
            [" > ", " › "].iter().filter_map(|sign| name.rsplit_once(sign)).next().map_or(name, |(_, n)| n);
        let plain = name.split('[').next().unwrap_or(name);
        let method = plain.rsplit("::").next().unwrap_or(plain);
        let last = method.rsplit(['.', ' ']).next().unwrap_or(method);
        let main = name.split('/').next().unwrap_or(name).rsplit('.').next().unwrap_or(name);
        [name, method, last, main]
            .into_iter()
            .any(|part| !part.is_empty() && words(self.text.as_bytes(), part).next().is_some())
    }

    /// What is called, with everything before it that is part of the name: `assert.equal`, `assert_eq!`, `.toBe`.
    pub(super) fn calls(&self) -> impl Iterator<Item = &'a str> + '_ {
        let is_part = |byte: &u8| is_word(*byte) || matches!(byte, b'.' | b'!' | b'$' | b':' | b'@');
        memchr::memchr_iter(b'(', &self.code).filter_map(move |open| {
            let length = self.code[..open].iter().rev().take_while(|byte| is_part(byte)).count();
            self.text.get(open - length..open).filter(|name| !name.is_empty())
        })
    }

    /// The call in `rows` that the file makes most often, by the last part of its name, as a call that fails: `{}` stands
    /// for the whole name.
    pub(super) fn most_used(&self, rows: &[Fails]) -> Option<String> {
        let mut counts: Vec<(&str, &str, usize)> = Vec::new();
        for call in self.calls() {
            let is_call = |name: &str| {
                call.strip_suffix(name).is_some_and(|rest| !rest.bytes().next_back().is_some_and(is_word))
            };
            let Some(Fails { fails, .. }) = rows.iter().find(|row| is_call(row.name)) else { continue };
            match counts.iter_mut().find(|(known, ..)| *known == call) {
                Some((_, _, count)) => *count += 1,
                None => counts.push((call, fails, 1)),
            }
        }
        let most = counts.iter().map(|(_, _, count)| *count).max()?;
        let (call, fails, _) = counts.iter().find(|(_, _, count)| *count == most)?;
        Some(fails.replace("{}", call))
    }

    /// The file with lines at its end.
    pub(super) fn with_end(&self, lines: &str) -> Vec<u8> {
        self.with(self.text.len(), lines)
    }

    /// The file with lines at a place where a line begins, or at its end.
    pub(super) fn with(&self, at: usize, lines: &str) -> Vec<u8> {
        let (before, after) = self.text.split_at(at);
        let gap = if before.is_empty() || before.ends_with('\n') { "" } else { "\n" };
        let lines = format!("{gap}{lines}");
        let lines = if self.text.contains("\r\n") { lines.replace('\n', "\r\n") } else { lines };
        [before, &lines, after].concat().into_bytes()
    }
}
