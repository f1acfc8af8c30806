//! Finds the bytes of a message in which git looks for trailers, and its last paragraph.
//!
//! The search for a NUL and for a scissors line skips through the message; everything else works backwards from the
//! end. For any message, no byte is examined more than a few times.

use std::ffi::CStr;
use std::ops::Range;

use super::line::{is_blank, is_comment};
use crate::record::lines;

/// git cuts a message off at such a line, even in stored commits.
const SCISSORS: &[u8] = b"# ------------------------ >8 ------------------------\n";
/// Where the dashes of [`SCISSORS`] begin, and how many follow each other.
const DASHES_AT: usize = 2;
const DASHES: usize = 24;

/// The heading that git once put over the list of conflicting paths, which are indented by a tab.
const CONFLICTS: &[u8] = b"Conflicts:\n";

/// The last paragraph below the title, as a byte range of `message`: from its first line to the end of its
/// last line that is neither blank nor a comment. `None` if the title is all there is.
pub(super) fn last_paragraph(message: &[u8]) -> Option<Range<usize>> {
    let text = text_range(message);
    let mut at = text.end;
    let mut end = None;
    for line in lines(&message[text]).rev() {
        let line_end = at;
        at -= line.len();
        if is_comment(line) {
            continue;
        }
        match (is_blank(line), end) {
            (true, Some(end)) => return Some(line_end..end),
            (true, None) => {}
            (false, _) => end = end.or(Some(line_end)),
        }
    }
    // Without a blank line above it, the paragraph is the title.
    None
}

/// The paragraphs below the title that are not in a code fence, as byte ranges of `message`, first to last.
pub(super) fn paragraphs(message: &[u8]) -> Vec<Range<usize>> {
    let text = text_range(message);
    let mut found = Vec::new();
    let mut at = text.start;
    let mut start = None;
    let mut fence: Option<&[u8]> = None;
    let mut is_fenced = false;
    for line in lines(&message[text]) {
        if is_blank(line) {
            found.extend(start.take().filter(|_| !is_fenced).map(|start: usize| start..at));
        } else {
            if start.is_none() {
                (start, is_fenced) = (Some(at), fence.is_some());
            }
            let mark = fence_mark(line);
            match (fence, mark) {
                (None, Some(_)) => fence = mark,
                (Some(open), Some(mark)) if mark.starts_with(open) && line.trim_ascii() == mark => {
                    fence = None;
                }
                _ => {}
            }
        }
        at += line.len();
    }
    found.extend(start.filter(|_| !is_fenced).map(|start| start..at));
    if !found.is_empty() {
        found.remove(0);
    }
    found
}

/// The backquotes or tildes with which a line opens or closes a code fence in Markdown.
fn fence_mark(line: &[u8]) -> Option<&[u8]> {
    let spaces = line.iter().take_while(|&&byte| byte == b' ').count();
    let line = &line[spaces..];
    let mark = *line.first().filter(|&&byte| spaces < 4 && matches!(byte, b'`' | b'~'))?;
    let length = line.iter().take_while(|&&byte| byte == mark).count();
    (length >= 3).then(|| &line[..length])
}

/// The message without leading blank lines, without the part that a NUL or a scissors line hides, and without the list
/// of conflicts at its end.
#[must_use]
pub fn text_range(message: &[u8]) -> Range<usize> {
    let message = CStr::from_bytes_until_nul(message).map_or(message, CStr::to_bytes);
    let start = lines(message).take_while(|line| is_blank(line)).map(<[u8]>::len).sum();
    let text = &message[start..];
    let text = &text[..scissors(text).unwrap_or(text.len())];
    start..start + before_ignored_tail(text)
}

/// Whether git may stop reading a message somewhere: at a NUL, or at a scissors line.
pub(in crate::record) fn hides_its_end(message: &[u8]) -> bool {
    memchr::memchr(0, message).is_some() || scissors(message).is_some()
}

/// The offset of the first scissors line.
///
/// The line contains so many dashes in a row that one of them is at every 24th byte, so the other bytes need not be
/// examined.
fn scissors(text: &[u8]) -> Option<usize> {
    let samples = (DASHES - 1..text.len()).step_by(DASHES).filter(|&at| text[at] == b'-');
    samples.filter_map(|at| scissors_around(text, at)).next()
}

/// The offset of the scissors line that has the dash at `at` among its first run of dashes.
fn scissors_around(text: &[u8], at: usize) -> Option<usize> {
    let dashes = text[..=at].iter().rev().take(DASHES).take_while(|&&byte| byte == b'-').count();
    let start = (at + 1).checked_sub(dashes + DASHES_AT)?;
    let begins_line = start == 0 || text[start - 1] == b'\n';
    (begins_line && text[start..].starts_with(SCISSORS)).then_some(start)
}

/// The length of `text` without the list of conflicts at its end.
///
/// Git ignores the longest run of comments, empty lines and lists of conflicts at the end. Comments and empty
/// lines there change nothing for the last paragraph, so the topmost heading of a list is all that counts.
fn before_ignored_tail(text: &[u8]) -> usize {
    let (mut run, mut end) = (text.len(), text.len());
    for line in lines(text).rev() {
        let kind = TailLine::of(line);
        if kind == TailLine::Other {
            break;
        }
        run -= line.len();
        if kind == TailLine::Heading {
            end = run;
        }
    }
    if !text.starts_with(CONFLICTS) {
        return end;
    }
    // After a heading in the very first line, git lets the list of conflicts continue after other text, up to the first
    // text behind a line that it ignores.
    let in_conflicts = |line: &&[u8]| matches!(TailLine::of(line), TailLine::Path | TailLine::Other);
    let body = lines(&text[CONFLICTS.len()..]);
    let first_ignored = CONFLICTS.len() + body.take_while(in_conflicts).map(<[u8]>::len).sum::<usize>();
    if first_ignored < run { end } else { first_ignored }
}

/// The kinds of lines in the search for the ignored end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TailLine {
    /// The heading of a list of conflicts.
    Heading,
    /// A line that begins with a tab: a path, if it is in a list of conflicts.
    Path,
    /// A comment, or a line with nothing but its line feed.
    Ignored,
    /// Anything else.
    Other,
}

impl TailLine {
    fn of(line: &[u8]) -> Self {
        match line {
            CONFLICTS => Self::Heading,
            [b'\t', ..] => Self::Path,
            b"\n" => Self::Ignored,
            _ if is_comment(line) => Self::Ignored,
            _ => Self::Other,
        }
    }
}
