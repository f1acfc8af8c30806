//! Tells code of Rust from comments and from text in quotes, so that no brace and no attribute is found where it means
//! nothing.

/// The code of a file: comments and the text in quotes are replaced by spaces of the same length, lines stay. The first
/// quote of a text stays as well, so that the code still shows that there is one. Every byte is read a bounded number of
/// times, and an opening without an end reaches to the end of the file.
pub(super) fn code(bytes: &[u8]) -> Vec<u8> {
    let mut code = bytes.to_vec();
    let mut at = 0;
    while at < bytes.len() {
        let rest = Rest { bytes: &bytes[at..], before: at.checked_sub(1).map(|at| bytes[at]) };
        let (length, kept) = match (rest.comment(), rest.text()) {
            (Some(length), _) => (length, 0),
            (None, Some(length)) => (length, 1),
            (None, None) => (1, 1),
        };
        let end = at + length.clamp(1, rest.bytes.len());
        code[(at + kept).min(end)..end]
            .iter_mut()
            .filter(|byte| **byte != b'\n')
            .for_each(|byte| *byte = b' ');
        at = end;
    }
    code
}

/// A file from some place on.
struct Rest<'a> {
    bytes: &'a [u8],
    before: Option<u8>,
}

impl Rest<'_> {
    /// The length of the comment that begins here. Comments can be nested.
    fn comment(&self) -> Option<usize> {
        match self.bytes {
            [b'/', b'/', ..] => Some(memchr::memchr(b'\n', self.bytes).unwrap_or(self.bytes.len())),
            [b'/', b'*', ..] => {
                let (mut at, mut depth) = (2, 1);
                while at < self.bytes.len() && depth > 0 {
                    let step: (usize, i32) = match &self.bytes[at..] {
                        [b'*', b'/', ..] => (2, -1),
                        [b'/', b'*', ..] => (2, 1),
                        _ => (1, 0),
                    };
                    at += step.0;
                    depth += step.1;
                }
                Some(at)
            }
            _ => None,
        }
    }

    /// The length of the text that begins here, with its quotes.
    fn text(&self) -> Option<usize> {
        let follows_word = || self.before.is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        match self.bytes.first()? {
            b'"' => Some(self.closing(b'"', 1)),
            b'\'' => self.character(),
            b'r' | b'b' | b'c' if !follows_word() => self.prefixed(),
            _ => None,
        }
    }

    /// The place after the next `quote` that no backslash escapes.
    fn closing(&self, quote: u8, mut at: usize) -> usize {
        while let Some(byte) = self.bytes.get(at) {
            match *byte {
                b'\\' => at += 1,
                byte if byte == quote => return at + 1,
                _ => {}
            }
            at += 1;
        }
        self.bytes.len()
    }

    /// `r"..."`, `r#"..."#`, `b"..."`, `br"..."`, `b'x'` and so on.
    fn prefixed(&self) -> Option<usize> {
        let letters = if matches!(self.bytes, [b'b' | b'c', b'r', ..]) { 2 } else { 1 };
        let raw = self.bytes[letters - 1] == b'r';
        let hashes = self.bytes[letters..].iter().take_while(|byte| **byte == b'#').count();
        let quote = letters + hashes;
        match (self.bytes.get(quote)?, raw) {
            (b'"', true) => {
                let close = [b"\"".as_slice(), &b"#".repeat(hashes)].concat();
                let end = memchr::memmem::find(&self.bytes[quote + 1..], &close);
                Some(end.map_or(self.bytes.len(), |at| quote + 1 + at + close.len()))
            }
            (b'"', false) if hashes == 0 => Some(self.closing(b'"', quote + 1)),
            (b'\'', false) if hashes == 0 && self.bytes[0] == b'b' => Some(self.closing(b'\'', quote + 1)),
            _ => None,
        }
    }

    /// A character, and not a lifetime.
    fn character(&self) -> Option<usize> {
        let inside = &self.bytes[1..];
        let width = match inside.first()? {
            b'\\' => return Some(self.closing(b'\'', 1)),
            0xf0.. => 4,
            0xe0..0xf0 => 3,
            0xc0..0xe0 => 2,
            _ => 1,
        };
        (inside.get(width) == Some(&b'\'')).then_some(width + 2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_text_are_told_from_code() {
        for (source, expected) in [
            ("a // b\nc /* d /* e */ f */ g", "a c g"),
            ("x(\"a \\\" // b\", 'c', '\\'', '\"', b'x', 'ä') y", "x(\" , ' , ' , ' , b , ' ) y"),
            (
                "fn f<'a>(x: &'a str) -> &'static str { r#\"a\" }\"# }",
                "fn f<'a>(x: &'a str) -> &'static str { r }",
            ),
            ("let r#type = br\"\\\"; c(b\"x\")", "let r#type = b ; c(b )"),
            ("for x in y { 'l: loop { break 'l } }", "for x in y { 'l: loop { break 'l } }"),
        ] {
            let code = String::from_utf8(code(source.as_bytes())).unwrap();
            assert_eq!(code.split_whitespace().collect::<Vec<_>>().join(" "), expected, "{source}");
            assert_eq!(code.len(), source.len());
        }
    }
}
