//! The parts of a trailer block: trailers with their folded lines, prose, comments.

use std::borrow::Cow;
use std::ops::Range;

use super::line::{LineKind, is_space, run};
use crate::record::lines;

/// One or several whole lines of a message that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    /// Their place in the message, in bytes, including the last line feed if there is one.
    pub bytes: Range<usize>,
    /// The number of the first line in the message, counted from 1.
    pub first: usize,
    /// How many lines there are, at least 1.
    pub count: usize,
}

/// One part of a trailer block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part<'m> {
    /// A trailer with the lines that continue it.
    Trailer(Trailer<'m>),
    /// `(cherry picked from commit ...` with the lines that continue it. For git, it belongs to the block but is not a
    /// trailer.
    CherryPick(Lines),
    /// A line that is none of the others.
    Prose(Lines),
    /// A comment. A line that begins with white space continues nothing after it.
    Comment(Lines),
}

impl<'m> Part<'m> {
    /// The trailer, if the piece is one.
    #[must_use]
    pub fn into_trailer(self) -> Option<Trailer<'m>> {
        match self {
            Self::Trailer(trailer) => Some(trailer),
            Self::CherryPick(_) | Self::Prose(_) | Self::Comment(_) => None,
        }
    }

    /// The trailer, if the piece is one.
    #[must_use]
    pub fn trailer(&self) -> Option<&Trailer<'m>> {
        match self {
            Self::Trailer(trailer) => Some(trailer),
            Self::CherryPick(_) | Self::Prose(_) | Self::Comment(_) => None,
        }
    }

    /// The lines of the part.
    #[must_use]
    pub fn lines(&self) -> &Lines {
        match self {
            Self::Trailer(trailer) => trailer.lines(),
            Self::CherryPick(lines) | Self::Prose(lines) | Self::Comment(lines) => lines,
        }
    }
}

/// A trailer and its place in the message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trailer<'m> {
    message: &'m [u8],
    lines: Lines,
    key: Range<usize>,
    value: Range<usize>,
}

impl<'m> Trailer<'m> {
    fn new(message: &'m [u8], lines: Lines, key_len: usize, separator: usize) -> Self {
        let start = lines.bytes.start;
        let value = trimmed(message, start + separator + 1..lines.bytes.end);
        Self { message, key: start..start + key_len, value, lines }
    }

    /// The key, one or more ASCII letters, digits and `-`.
    #[must_use]
    pub fn key(&self) -> &'m [u8] {
        &self.message[self.key.clone()]
    }

    /// The value as git prints it: trimmed, with every line feed and the white space after it replaced by one space.
    #[must_use]
    pub fn value(&self) -> Cow<'m, [u8]> {
        unfolded(&self.message[self.value.clone()])
    }

    /// The place of the key in the message, in bytes.
    #[must_use]
    pub fn key_bytes(&self) -> Range<usize> {
        self.key.clone()
    }

    /// The place of the value in the message, in bytes: from its first to its last byte that is not white space,
    /// including the line feeds of folded lines; an empty range if there is no value.
    #[must_use]
    pub fn value_bytes(&self) -> Range<usize> {
        self.value.clone()
    }

    /// The lines of the trailer; more than one if it is folded.
    #[must_use]
    pub fn lines(&self) -> &Lines {
        &self.lines
    }
}

/// Iterates over a paragraph, which has no blank line.
pub(super) struct BlockParts<'m> {
    message: &'m [u8],
    rest: Range<usize>,
    line: usize,
}

impl<'m> BlockParts<'m> {
    pub(super) fn new(message: &'m [u8], paragraph: Range<usize>, first_line: usize) -> Self {
        Self { message, rest: paragraph, line: first_line }
    }

    fn next_line(&self) -> Option<&'m [u8]> {
        lines(&self.message[self.rest.clone()]).next()
    }

    /// The next line with the lines that continue it.
    fn take_folded(&mut self, head: &[u8]) -> Lines {
        let mut taken = self.take(head);
        while let Some(line) = self.next_line().filter(|line| is_space(line[0])) {
            taken.bytes.end = self.take(line).bytes.end;
            taken.count += 1;
        }
        taken
    }

    fn take(&mut self, line: &[u8]) -> Lines {
        let start = self.rest.start;
        self.rest.start += line.len();
        self.line += 1;
        Lines { bytes: start..self.rest.start, first: self.line - 1, count: 1 }
    }
}

impl<'m> Iterator for BlockParts<'m> {
    type Item = Part<'m>;

    fn next(&mut self) -> Option<Self::Item> {
        let line = self.next_line()?;
        Some(match LineKind::of(line) {
            LineKind::Comment => Part::Comment(self.take(line)),
            LineKind::Prose => Part::Prose(self.take(line)),
            LineKind::CherryPick => Part::CherryPick(self.take_folded(line)),
            LineKind::Trailer { key_end, separator } => {
                let lines = self.take_folded(line);
                Part::Trailer(Trailer::new(self.message, lines, key_end, separator))
            }
        })
    }
}

/// `range` of `message` without the white space at both its ends.
fn trimmed(message: &[u8], range: Range<usize>) -> Range<usize> {
    let start = range.start + run(&message[range.clone()], is_space);
    let text = &message[start..range.end];
    let end = text.iter().rposition(|&byte| !is_space(byte)).map_or(0, |last| last + 1);
    start..start + end
}

/// `value` on one line. Only white space after a line feed is removed, not white space before it.
fn unfolded(value: &[u8]) -> Cow<'_, [u8]> {
    if !value.contains(&b'\n') {
        return Cow::Borrowed(value);
    }
    let mut unfolded = Vec::with_capacity(value.len());
    for (number, line) in value.split(|&byte| byte == b'\n').enumerate() {
        if number == 0 {
            unfolded.extend_from_slice(line);
        } else {
            unfolded.push(b' ');
            unfolded.extend_from_slice(&line[run(line, is_space)..]);
        }
    }
    Cow::Owned(unfolded)
}
