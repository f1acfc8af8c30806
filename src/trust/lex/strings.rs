//! How the languages write text in quotes.

use crate::trust::language::Language;

/// The length of the line that `rest` begins with, without its end.
pub(super) fn line_length(rest: &[u8]) -> usize {
    memchr::memchr(b'\n', rest).unwrap_or(rest.len())
}

/// A place where text in quotes may begin.
pub(super) struct Literal<'a> {
    pub(super) language: Language,
    pub(super) rest: &'a [u8],
    pub(super) before: Option<u8>,
}

impl Literal<'_> {
    /// The length of the text with its quotes; none if no text begins here.
    pub(super) fn length(&self) -> Option<usize> {
        let first = *self.rest.first()?;
        match self.language {
            Language::Rust => self.rust(first),
            Language::Python => self.triple(&["\"\"\"", "'''"]).or_else(|| self.one_line(first, b"\"'")),
            Language::Elixir => self.triple(&["\"\"\"", "'''"]).or_else(|| self.lines(first, b"\"")),
            Language::Java | Language::Swift => {
                self.triple(&["\"\"\""]).or_else(|| self.one_line(first, b"\"'"))
            }
            Language::CSharp => self
                .triple(&["\"\"\""])
                .or_else(|| self.verbatim(first))
                .or_else(|| self.one_line(first, b"\"'")),
            Language::Go => self.until(first, b'`').or_else(|| self.one_line(first, b"\"'")),
            Language::C => self.delimited().or_else(|| self.one_line(first, b"\"'")),
            Language::JavaScript => self.one_line(first, b"\"'"),
            Language::Php | Language::Ruby => self.lines(first, b"\"'"),
            Language::Shell => self.until(first, b'\'').or_else(|| self.lines(first, b"\"")),
        }
    }

    fn follows_word(&self) -> bool {
        self.before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    }

    /// Text with escapes that ends with its line at the latest.
    fn one_line(&self, first: u8, quotes: &[u8]) -> Option<usize> {
        if !quotes.contains(&first) {
            return None;
        }
        let mut at = 1;
        while let Some(byte) = self.rest.get(at) {
            match *byte {
                b'\\' => at += 1,
                b'\n' => return Some(at),
                byte if byte == first => return Some(at + 1),
                _ => {}
            }
            at += 1;
        }
        Some(self.rest.len())
    }

    /// Text with escapes that may have several lines.
    fn lines(&self, first: u8, quotes: &[u8]) -> Option<usize> {
        quotes.contains(&first).then(|| self.closing(first, 1))
    }

    /// The place after the next `quote` that no backslash escapes.
    fn closing(&self, quote: u8, mut at: usize) -> usize {
        while let Some(byte) = self.rest.get(at) {
            match *byte {
                b'\\' => at += 1,
                byte if byte == quote => return at + 1,
                _ => {}
            }
            at += 1;
        }
        self.rest.len()
    }

    /// Text without escapes.
    fn until(&self, first: u8, quote: u8) -> Option<usize> {
        let end = || memchr::memchr(quote, &self.rest[1..]).map_or(self.rest.len(), |at| at + 2);
        (first == quote).then(end)
    }

    fn triple(&self, quotes: &[&str]) -> Option<usize> {
        let quote = quotes.iter().find(|quote| self.rest.starts_with(quote.as_bytes()))?.as_bytes();
        let mut at = quote.len();
        while at < self.rest.len() {
            if self.rest[at] == b'\\' {
                at += 2;
            } else if self.rest[at..].starts_with(quote) {
                return Some(at + quote.len());
            } else {
                at += 1;
            }
        }
        Some(self.rest.len())
    }

    /// `@"..."` of C#, in which a quote is doubled.
    fn verbatim(&self, first: u8) -> Option<usize> {
        if first != b'"' || self.before != Some(b'@') {
            return None;
        }
        let mut at = 1;
        loop {
            let Some(next) = memchr::memchr(b'"', &self.rest[at..]) else { return Some(self.rest.len()) };
            at += next + 1;
            if self.rest.get(at) != Some(&b'"') {
                return Some(at);
            }
            at += 1;
        }
    }

    /// `R"x(...)x"` of C++.
    fn delimited(&self) -> Option<usize> {
        let inside = self.rest.strip_prefix(b"\"").filter(|_| self.before == Some(b'R'))?;
        let open = inside.iter().take(17).position(|byte| *byte == b'(')?;
        let close = [b")", &inside[..open], b"\""].concat();
        let end = memchr::memmem::find(inside, &close).map(|at| 1 + at + close.len());
        Some(end.unwrap_or(self.rest.len()))
    }

    fn rust(&self, first: u8) -> Option<usize> {
        match first {
            b'"' => Some(self.closing(b'"', 1)),
            b'\'' => self.character(),
            b'r' | b'b' | b'c' if !self.follows_word() => self.prefixed(),
            _ => None,
        }
    }

    /// `r"..."`, `r#"..."#`, `b"..."`, `br"..."`, `b'x'` and so on.
    fn prefixed(&self) -> Option<usize> {
        let letters = match self.rest {
            [b'b' | b'c', b'r', ..] => 2,
            _ => 1,
        };
        let raw = self.rest[letters - 1] == b'r';
        let hashes = self.rest[letters..].iter().take_while(|byte| **byte == b'#').count();
        let quote = letters + hashes;
        match (self.rest.get(quote)?, raw) {
            (b'"', true) => {
                let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
                let inside = &self.rest[quote + 1..];
                let end = memchr::memmem::find(inside, &close).map(|at| quote + 1 + at + close.len());
                Some(end.unwrap_or(self.rest.len()))
            }
            (b'"', false) if hashes == 0 => Some(self.closing(b'"', quote + 1)),
            (b'\'', false) if hashes == 0 && self.rest[0] == b'b' => Some(self.closing(b'\'', quote + 1)),
            _ => None,
        }
    }

    /// A character, and not a lifetime.
    fn character(&self) -> Option<usize> {
        let inside = &self.rest[1..];
        if inside.first() == Some(&b'\\') {
            return Some(self.closing(b'\'', 1));
        }
        let width = match inside.first()? {
            0xf0.. => 4,
            0xe0..0xf0 => 3,
            0xc0..0xe0 => 2,
            _ => 1,
        };
        (inside.get(width) == Some(&b'\'')).then_some(width + 2)
    }
}
