//! The text of a tree file: decodes it, and converts positions to lines.

use std::cell::OnceCell;

use super::problem::Problem;

/// A decoded file.
pub(super) struct Source<'a> {
    /// The text, without the byte order mark.
    pub(super) text: &'a str,
    line_ends: OnceCell<Vec<usize>>,
}

impl<'a> Source<'a> {
    /// Decodes UTF-8, with or without a byte order mark. `if_empty` is the advice for a file without any text.
    pub(super) fn decode(bytes: &'a [u8], if_empty: &str) -> Result<Self, Problem> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        if matches!(bytes, [0xFF, 0xFE, ..] | [0xFE, 0xFF, ..] | [0, _, ..] | [_, 0, ..]) {
            return Err(Problem::new(None, "the file is UTF-16, not UTF-8", "Save it as UTF-8."));
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let good = &bytes[..error.valid_up_to()];
            let line = 1 + good.iter().filter(|byte| **byte == b'\n').count();
            Problem::new(Some(line), "the file is not valid UTF-8 here", "Save it as UTF-8.")
        })?;
        if text.trim().is_empty() {
            return Err(Problem::new(None, "the file is empty", if_empty));
        }
        Ok(Self { text, line_ends: OnceCell::new() })
    }

    /// Where `part`, a slice of this text, begins, in bytes.
    pub(super) fn offset(&self, part: &str) -> usize {
        part.as_ptr().addr().saturating_sub(self.text.as_ptr().addr())
    }

    /// The line, from 1, of the byte at `offset`.
    pub(super) fn line(&self, offset: usize) -> usize {
        let ends = self.line_ends.get_or_init(|| self.text.match_indices('\n').map(|(at, _)| at).collect());
        1 + ends.partition_point(|end| *end < offset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_know_their_line() {
        let source = Source::decode(b"\xEF\xBB\xBFa\nbb\r\n\nc", "").unwrap();
        for (part, line) in [("a", 1), ("bb", 2), ("c", 4)] {
            let at = source.text.find(part).unwrap();
            assert_eq!(source.offset(&source.text[at..]), at);
            assert_eq!(source.line(at), line, "{part}");
        }
    }

    #[test]
    fn other_encodings_are_named() {
        let utf16: Vec<u8> = "{}".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let cases: [(&[u8], &str); 6] = [
            (b"\xFF\xFE{\0}\0", "the file is UTF-16, not UTF-8"),
            (b"\xFE\xFF\0{\0}", "the file is UTF-16, not UTF-8"),
            (&utf16, "the file is UTF-16, not UTF-8"),
            (b"", "the file is empty"),
            (b"\xEF\xBB\xBF \r\n", "the file is empty"),
            (b"{\n\"a\": \"\xE4\"}", "the file is not valid UTF-8 here"),
        ];
        for (bytes, what) in cases {
            let problem = Source::decode(bytes, "").err().unwrap();
            assert_eq!(problem.what, what);
        }
        assert_eq!(Source::decode(b"{\n\"a\": \"\xE4\"}", "").err().unwrap().line, Some(2));
    }
}
