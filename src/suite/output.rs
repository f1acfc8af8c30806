//! What a test command printed, and its cleaned lines: no terminal escapes, no carriage returns, valid UTF-8.

/// What one stream of a test command printed, as far as it was kept.
#[derive(Clone, Copy, Debug)]
pub enum Captured<'a> {
    /// All of it.
    Whole(&'a [u8]),
    /// Its beginning and its end; what was between them was not kept.
    Cut {
        /// The beginning.
        head: &'a [u8],
        /// The end.
        tail: &'a [u8],
    },
}

impl Captured<'_> {
    /// A stream on which nothing was printed.
    pub const EMPTY: Self = Self::Whole(b"");
}

impl<'a> From<&'a [u8]> for Captured<'a> {
    fn from(whole: &'a [u8]) -> Self {
        Self::Whole(whole)
    }
}

/// What a test command printed.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// On standard output.
    pub stdout: Captured<'a>,
    /// On standard error.
    pub stderr: Captured<'a>,
}

/// The two streams as the readers see them.
pub(super) struct Streams {
    pub(super) stdout: Text,
    pub(super) stderr: Text,
}

impl Streams {
    pub(super) fn new(output: &Output<'_>) -> Self {
        Self { stdout: Text::new(output.stdout), stderr: Text::new(output.stderr) }
    }
}

/// The cleaned lines of one stream.
pub(super) struct Text {
    clean: String,
    completeness: Completeness,
}

/// Whether a stream was kept in full.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Completeness {
    Whole,
    Cut,
}

impl Text {
    pub(super) fn new(captured: Captured<'_>) -> Self {
        match captured {
            Captured::Whole(bytes) => Self { clean: clean(bytes), completeness: Completeness::Whole },
            Captured::Cut { head, tail } => {
                // The lines at the cut are halves: half of `12 passed` must not be read as `2 passed`.
                let head_end = head.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
                let tail_start = tail.iter().position(|&b| b == b'\n').map_or(tail.len(), |at| at + 1);
                let clean = clean(&head[..head_end]) + "\n" + &clean(&tail[tail_start..]);
                Self { clean, completeness: Completeness::Cut }
            }
        }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.clean.lines()
    }

    pub(super) fn completeness(&self) -> Completeness {
        self.completeness
    }
}

const ESC: u8 = 0x1b;
const BEL: u8 = 0x07;

/// `bytes` without escape sequences; a carriage return ends a line, with or without a newline behind it.
fn clean(bytes: &[u8]) -> String {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = rest.iter().position(|b| matches!(*b, ESC | b'\r')) {
        out.extend_from_slice(&rest[..at]);
        rest = if rest[at] == ESC {
            &rest[at + 1 + escape_len(&rest[at + 1..])..]
        } else {
            let after = rest[at..].iter().position(|&b| b != b'\r').map_or(rest.len(), |n| at + n);
            if rest.get(after) != Some(&b'\n') {
                out.push(b'\n');
            }
            &rest[after..]
        };
    }
    out.extend_from_slice(rest);
    match String::from_utf8(out) {
        Ok(text) => text,
        Err(bad) => String::from_utf8_lossy(bad.as_bytes()).into_owned(),
    }
}

/// The length of an escape sequence without its ESC (ECMA-48 §5.4, §5.6). One that is broken off ends before the
/// first byte that cannot belong to it, so that it never swallows a line.
fn escape_len(after: &[u8]) -> usize {
    match after.first() {
        Some(b'[') => ended_by(after, 1, |b| (0x20..=0x3f).contains(&b), |b| (0x40..=0x7e).contains(&b)),
        Some(b']' | b'P' | b'X' | b'^' | b'_') => control_string_len(after),
        Some(0x20..=0x2f) => {
            ended_by(after, 1, |b| (0x20..=0x2f).contains(&b), |b| (0x30..=0x7e).contains(&b))
        }
        Some(0x30..=0x7e) => 1,
        _ => 0,
    }
}

fn ended_by(bytes: &[u8], from: usize, inner: fn(u8) -> bool, last: fn(u8) -> bool) -> usize {
    let end = bytes[from..].iter().position(|&b| !inner(b)).map_or(bytes.len(), |n| from + n);
    if bytes.get(end).is_some_and(|&b| last(b)) { end + 1 } else { end }
}

/// A window title, a hyperlink and the like: up to BEL or `ESC \`, on one line.
fn control_string_len(bytes: &[u8]) -> usize {
    match bytes.iter().position(|b| matches!(*b, BEL | ESC | b'\n' | b'\r')) {
        Some(end) if bytes[end] == BEL => end + 1,
        Some(end) if bytes[end] == ESC && bytes.get(end + 1) == Some(&b'\\') => end + 2,
        Some(end) => end,
        None => bytes.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(captured: Captured<'_>) -> Vec<String> {
        Text::new(captured).lines().map(str::to_owned).collect()
    }

    #[test]
    fn escapes_carriage_returns_and_bad_bytes_are_cleaned_away() {
        for (bytes, clean) in [
            (&b"\x1b[1m\x1b[38;5;9mred\x1b[0m\n"[..], &["red"][..]),
            (b"test result: \x1b[31mFAILED\x1b(B\x1b[m. 2\n", &["test result: FAILED. 2"]),
            (b"\x1b]8;;file:///x\x1b\\link\x1b]8;;\x07 end", &["link end"]),
            (b"\x1b]0;title\nnext", &["", "next"]),
            (b"a\r\nb\r\r\nc\rd", &["a", "b", "c", "d"]),
            (b"\xff\xfe 1 passed", &["\u{fffd}\u{fffd} 1 passed"]),
            (b"cut \x1b[3", &["cut "]),
            (b"cut \x1b", &["cut "]),
            (b"\x1b[3\nx", &["", "x"]),
            (b"\x1bMup\x1b7", &["up"]),
            (b"", &[]),
        ] {
            assert_eq!(lines(Captured::Whole(bytes)), clean, "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn the_halves_of_lines_at_a_cut_are_left_out() {
        let cut = Captured::Cut { head: b"one\ntw", tail: b"2 passed\nlast" };
        assert_eq!(lines(cut), ["one", "", "last"]);
        let nothing = Captured::Cut { head: b"no newline", tail: b"none either" };
        assert_eq!(lines(nothing), [""]);
    }
}
