//! The cleaned lines of what a test command has printed.

use super::Counts;
use crate::process::Captured;
use crate::text::clean;

/// Standard output and standard error, cleaned for the readers.
pub(super) struct Streams(pub(super) [Text; 2]);

impl Streams {
    pub(super) fn new(output: [&Captured; 2]) -> Self {
        Self(output.map(Text::new))
    }
}

/// One of the two streams of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

/// The cleaned lines of one stream.
pub(super) struct Text {
    clean: String,
    /// Whether the middle was not kept.
    pub(super) is_cut: bool,
}

/// The line that stands for what was not kept. No cleaned line contains this character.
pub(super) const GAP: &str = "\0";

/// Where each line of a text begins, and the text from there on.
pub(super) fn line_starts(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = 0;
    text.split_inclusive('\n').map(move |line| {
        let at = next;
        next += line.len();
        (at, &text[at..])
    })
}

impl Text {
    pub(super) fn new(captured: &Captured) -> Self {
        let (head, tail) = (captured.head(), captured.tail());
        if captured.omitted() == 0 {
            return Self { clean: clean(&[head, tail].concat()), is_cut: false };
        }
        // The lines at the cut are incomplete: the rest of `12 passed` must not be read as `2 passed`.
        let head_end = head.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
        let tail_start = tail.iter().position(|&b| b == b'\n').map_or(tail.len(), |at| at + 1);
        let clean = format!("{}\n{GAP}\n{}", clean(&head[..head_end]), clean(&tail[tail_start..]));
        Self { clean, is_cut: true }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.clean.lines()
    }

    pub(super) fn as_str(&self) -> &str {
        &self.clean
    }
}

/// The result of reading one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::suite) enum Reading {
    /// Nothing that looks like a summary.
    Absent,
    /// Something looks like a summary, but it is incomplete, contradicts itself, or may be the output of a test.
    Unsure,
    /// The counts of the runs of a framework, in the order of the output.
    Sure(Vec<Counts>),
}

impl Reading {
    pub(in crate::suite) fn of(runs: Vec<Counts>) -> Self {
        if runs.is_empty() { Self::Absent } else { Self::Sure(runs) }
    }

    /// The sum of all runs; `None` if it is not sure.
    pub(in crate::suite) fn counts(&self) -> Option<Counts> {
        match self {
            Self::Sure(runs) => Some(runs.iter().copied().sum()),
            Self::Absent | Self::Unsure => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(captured: &Captured) -> Vec<String> {
        Text::new(captured).lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_lines_of_a_stream_are_clean() {
        let clean = lines(&Captured::whole(
            b"\x1b[1mtest result: \x1b[31mFAILED\x1b(B\x1b[m. 2 \r\n\xff 1 passed\rx",
        ));
        assert_eq!(clean, ["test result: FAILED. 2", "\u{fffd} 1 passed", "x"]);
        assert_eq!(lines(&Captured::default()), [""; 0]);
    }

    #[test]
    fn incomplete_lines_at_a_cut_are_left_out() {
        let cut = Captured::cut(b"one\ntw", b"2 passed\nlast");
        assert_eq!(lines(&cut), ["one", GAP, "last"]);
        let nothing = Captured::cut(b"no newline", b"none either");
        assert_eq!(lines(&nothing), ["", GAP]);
    }
}
