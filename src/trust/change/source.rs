//! A file of code, and how the checks look at it.

use crate::trust::language::Language;
use crate::trust::lex::{Class, classes, code};

/// A file whose language is known.
pub(super) struct Source<'a> {
    pub(super) language: Language,
    pub(super) bytes: &'a [u8],
    classes: Vec<Class>,
    pub(super) code: Vec<u8>,
    /// Where the lines begin.
    lines: Vec<usize>,
}

/// A name with what is directly around it, such as `t.Skip(`, `@pytest.mark.skip` or `#ignore`.
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) text: String,
}

impl<'a> Source<'a> {
    pub(super) fn new(language: Language, bytes: &'a [u8]) -> Self {
        let classes = classes(language, bytes);
        let code = code(bytes, &classes);
        let lines = std::iter::once(0).chain(memchr::memchr_iter(b'\n', bytes).map(|at| at + 1)).collect();
        Self { language, bytes, classes, code, lines }
    }

    /// The number of the line that `at` is in, from 1.
    pub(super) fn line(&self, at: usize) -> usize {
        self.lines.partition_point(|start| *start <= at)
    }

    /// Where the line of `at` begins.
    pub(super) fn line_start(&self, at: usize) -> usize {
        self.lines[self.line(at) - 1]
    }

    /// The next name from `at` on. Names that `.` or `::` joins are one.
    pub(super) fn token(&self, at: usize) -> Option<Token> {
        let code = &self.code;
        let start = at + code[at..].iter().position(|byte| is_name(*byte))?;
        let mut end = start;
        loop {
            end += code[end..].iter().take_while(|byte| is_name(**byte)).count();
            let joint = match &code[end..] {
                [b'.', next, ..] if is_name(*next) => 1,
                [b':', b':', next, ..] if is_name(*next) => 2,
                _ => break,
            };
            end += joint;
        }
        let name = String::from_utf8_lossy(&code[start..end]);
        let text = format!("{}{name}{}", self.sigil(start), self.next_sign(end));
        Some(Token { start, end, text })
    }

    /// What makes a name an attribute or an annotation.
    fn sigil(&self, start: usize) -> &'static str {
        match &self.code[..start] {
            [.., b'@'] => "@",
            [.., b'#', b'['] | [.., b'#', b'!', b'['] => "#",
            [.., b':', b':'] => "::",
            [.., b':'] => ":",
            [.., b'['] => "[",
            _ => "",
        }
    }

    /// The sign after a name, if it says what the name is used for.
    fn next_sign(&self, end: usize) -> &'static str {
        let blank = |byte: &u8| *byte == b' ';
        let rest = &self.code[end..];
        let spaces = rest.iter().take(4).take_while(|byte| blank(byte)).count();
        match rest.get(spaces) {
            Some(b'(') => "(",
            Some(b'!') if spaces == 0 && rest.get(1) != Some(&b'=') => "!",
            Some(b':') if rest.get(spaces + 1) != Some(&b':') => ":",
            Some(b'=') if rest.get(spaces + 1) != Some(&b'=') => "=",
            _ => "",
        }
    }

    /// The end of the statement that begins at `start`: the end of its line or a semicolon, outside all brackets.
    /// A line that begins with a point continues it.
    pub(super) fn statement_end(&self, start: usize) -> usize {
        let mut depth = 0usize;
        let mut at = start;
        while let Some(byte) = self.code.get(at) {
            match byte {
                _ if self.classes[at] != Class::Code => {}
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' | b';' if depth == 0 => return at,
                b')' | b']' | b'}' => depth -= 1,
                b'\n' if depth == 0 && !self.goes_on(at) => return at,
                _ => {}
            }
            at += 1;
        }
        self.code.len()
    }

    /// Whether the statement that has a line end at `at` goes on in the next line.
    fn goes_on(&self, at: usize) -> bool {
        let before =
            self.code[..at].iter().rev().take(200).find(|byte| !matches!(byte, b' ' | b'\r' | b'\t'));
        if before == Some(&b'\\') {
            return true;
        }
        let after = self.code[at..].iter().take(200).find(|byte| !byte.is_ascii_whitespace());
        after == Some(&b'.')
    }

    /// A part of the file without comments, and without spaces outside quotes.
    pub(super) fn compact(&self, start: usize, end: usize) -> Vec<u8> {
        let keep = |at: &usize| match self.classes[*at] {
            Class::Text => true,
            Class::Code => !self.bytes[*at].is_ascii_whitespace(),
            Class::Comment => false,
        };
        (start..end).filter(keep).map(|at| self.bytes[at]).collect()
    }

    /// The first text in quotes from `at` on, in the same statement and not far away.
    pub(super) fn text_after(&self, at: usize) -> Option<&'a [u8]> {
        let end = self.code.len().min(at + 300);
        let start = (at..end).find(|at| self.classes[*at] == Class::Text)?;
        let length = self.classes[start..].iter().take_while(|class| **class == Class::Text).count();
        Some(&self.bytes[start..start + length])
    }

    /// The next name in the code from `at` on, on one of the next lines.
    pub(super) fn name_after(&self, at: usize) -> &str {
        let rest = &self.code[at..self.code.len().min(at + 300)];
        let Some(start) = rest.iter().position(|byte| is_name(*byte)) else { return "" };
        let length = rest[start..].iter().take_while(|byte| is_name(**byte)).count();
        std::str::from_utf8(&rest[start..start + length]).unwrap_or_default()
    }
}

/// Whether a byte can be part of a name. All letters beyond ASCII can.
pub(super) fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}
