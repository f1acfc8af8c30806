//! Tells whether two versions of a file differ only in layout and comments, as after a formatter has run.

use super::touched::Version;
use super::words::is_word;
use crate::trust::language::Language;
use crate::trust::lex::{Class, classes};

/// Comments with one of these in them mean something to a compiler or a test runner.
const DIRECTIVES: [&str; 13] = [
    "go:",
    "+build",
    "@jest",
    "@vitest",
    "istanbul",
    "c8 ignore",
    "v8 ignore",
    "pragma",
    "@ts-",
    "utput:",
    "type:",
    "#!",
    "frozen_string_literal",
];

/// Whether both versions are the same program. False for files whose language is unknown, or whose comments may mean
/// anything.
pub(super) fn same_code(version: &Version<'_>) -> bool {
    let (Some(before), Some(after)) = (version.before, version.after) else { return false };
    let Some(language) = Language::of(version.path) else { return false };
    if matches!(language, Language::Php | Language::Ruby | Language::Elixir | Language::Shell) {
        return false;
    }
    normal(language, before) == normal(language, after)
}

/// A form of the code that formatters do not change.
fn normal(language: Language, bytes: &[u8]) -> Vec<u8> {
    let mut writer = Writer { language, result: Vec::with_capacity(bytes.len()), ..Writer::default() };
    let classes = classes(language, bytes);
    let mut at = 0;
    while at < bytes.len() {
        let class = classes[at];
        let length = classes[at..].iter().take_while(|next| **next == class).count();
        let piece = &bytes[at..at + length];
        match class {
            Class::Code => piece.iter().for_each(|byte| writer.code(*byte)),
            Class::Text => writer.text(piece),
            Class::Comment => writer.comment(piece),
        }
        at += length;
    }
    writer.result
}

struct Writer {
    language: Language,
    result: Vec<u8>,
    depth: usize,
    /// There was a space or a line end since the last byte.
    spaced: bool,
    new_line: bool,
    /// How far the current line is indented, as long as it has nothing else.
    indent: usize,
    /// The indentations that are open, in Python.
    levels: Vec<usize>,
}

impl Default for Writer {
    fn default() -> Self {
        Self {
            language: Language::Python,
            result: Vec::new(),
            depth: 0,
            spaced: false,
            new_line: true,
            indent: 0,
            levels: Vec::new(),
        }
    }
}

impl Writer {
    fn code(&mut self, byte: u8) {
        match byte {
            b'\n' => {
                self.spaced = true;
                self.new_line = true;
                self.indent = 0;
            }
            b' ' | b'\r' => self.blank(1),
            b'\t' => self.blank(8),
            // A line that goes on.
            b'\\' if self.language == Language::Python => {}
            // Formatters add and remove these.
            b';' if self.language == Language::JavaScript => self.spaced = true,
            _ => {
                self.separate(byte);
                match byte {
                    b'(' | b'[' | b'{' => self.depth += 1,
                    b')' | b']' | b'}' => {
                        self.depth = self.depth.saturating_sub(1);
                        self.result.pop_if(|last| *last == b',');
                    }
                    _ => {}
                }
                self.result.push(byte);
            }
        }
    }

    fn blank(&mut self, width: usize) {
        self.spaced = true;
        if self.new_line {
            self.indent += width;
        }
    }

    /// Before `next`, writes what separates it from the last byte.
    fn separate(&mut self, next: u8) {
        let new_line = std::mem::take(&mut self.new_line);
        let spaced = std::mem::take(&mut self.spaced);
        if self.language == Language::Python {
            if new_line && self.depth == 0 {
                return self.python_line();
            }
        } else if new_line && ends_with_jump(&self.result) {
            self.result.push(b'\n');
            return;
        }
        if spaced && is_word(next) && self.result.last().is_some_and(|last| is_word(*last)) {
            self.result.push(b' ');
        }
    }

    /// The end of a line of Python, and how the next one is indented.
    fn python_line(&mut self) {
        self.result.push(b'\n');
        while self.levels.last().is_some_and(|level| *level > self.indent) {
            self.levels.pop();
            self.result.push(0x01);
        }
        if self.levels.last().copied().unwrap_or(0) < self.indent {
            self.levels.push(self.indent);
            self.result.push(0x02);
        }
    }

    /// Text in quotes. Which quotes it has is a matter of style, if none are inside.
    fn text(&mut self, text: &[u8]) {
        self.separate(b'"');
        let [b'"' | b'\'', inside @ .., b'"' | b'\''] = text else {
            return self.result.extend_from_slice(text);
        };
        if inside.iter().any(|byte| matches!(byte, b'"' | b'\'' | b'\\')) {
            return self.result.extend_from_slice(text);
        }
        self.result.push(b'"');
        self.result.extend_from_slice(inside);
        self.result.push(b'"');
    }

    fn comment(&mut self, comment: &[u8]) {
        let means = |word: &&str| memchr::memmem::find(comment, word.as_bytes()).is_some();
        // The output that Go's examples must have may be many lines of comments.
        if self.language == Language::Go || DIRECTIVES.iter().any(means) {
            self.separate(b'/');
            self.result.extend_from_slice(comment.trim_ascii());
        }
    }
}

/// Whether code ends with a word after which a line end ends the statement.
fn ends_with_jump(code: &[u8]) -> bool {
    ["return", "break", "continue", "throw", "yield"].iter().any(|word| code.ends_with(word.as_bytes()))
}
