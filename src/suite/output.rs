//! The output of a test command, and its cleaned lines.

use super::Counts;
use crate::process::{Captured, JobResult};
use crate::text::clean;

/// The part that was kept of one stream of a test command.
#[derive(Clone, Copy, Debug)]
pub enum KeptOutput<'a> {
    /// The whole stream.
    Whole(&'a [u8]),
    /// Its beginning and its end. The middle was not kept.
    Cut {
        /// The beginning.
        head: &'a [u8],
        /// The end.
        tail: &'a [u8],
    },
}

impl KeptOutput<'_> {
    /// An empty stream.
    pub const EMPTY: Self = Self::Whole(b"");
}

impl<'a> From<&'a [u8]> for KeptOutput<'a> {
    fn from(whole: &'a [u8]) -> Self {
        Self::Whole(whole)
    }
}

/// The output of a test command.
#[derive(Clone, Copy, Debug)]
pub struct Output<'a> {
    /// Its standard output.
    pub stdout: KeptOutput<'a>,
    /// Its standard error.
    pub stderr: KeptOutput<'a>,
}

/// Standard output and standard error, cleaned for the readers.
pub(super) struct Streams(pub(super) [Text; 2]);

impl Streams {
    /// What a job has printed.
    pub(super) fn of(result: &JobResult) -> Self {
        let text = |captured: &Captured, stream| match captured.omitted() {
            0 => Text::new(KeptOutput::Whole(&captured.to_bytes_with_note()), stream),
            _ => Text::new(KeptOutput::Cut { head: captured.head(), tail: captured.tail() }, stream),
        };
        Self([text(&result.stdout, Stream::Stdout), text(&result.stderr, Stream::Stderr)])
    }

    pub(super) fn new(output: &Output<'_>) -> Self {
        Self([Text::new(output.stdout, Stream::Stdout), Text::new(output.stderr, Stream::Stderr)])
    }

    pub(super) fn text(&self, stream: Stream) -> &Text {
        &self.0[stream as usize]
    }
}

/// One of the two streams of a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

/// A line of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OutputLine {
    pub(super) stream: Stream,
    /// Its number, from 0.
    pub(super) line: usize,
}

/// The cleaned lines of one stream.
pub(super) struct Text {
    clean: String,
    stream: Stream,
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
    pub(super) fn new(captured: KeptOutput<'_>, stream: Stream) -> Self {
        match captured {
            KeptOutput::Whole(bytes) => Self { clean: clean(bytes), stream, is_cut: false },
            KeptOutput::Cut { head, tail } => {
                // The lines at the cut are incomplete: the rest of `12 passed` must not be read as `2 passed`.
                let head_end = head.iter().rposition(|&b| b == b'\n').map_or(0, |at| at + 1);
                let tail_start = tail.iter().position(|&b| b == b'\n').map_or(tail.len(), |at| at + 1);
                let clean = format!("{}\n{GAP}\n{}", clean(&head[..head_end]), clean(&tail[tail_start..]));
                Self { clean, stream, is_cut: true }
            }
        }
    }

    pub(super) fn lines(&self) -> impl Iterator<Item = &str> {
        self.clean.lines()
    }

    pub(super) fn as_str(&self) -> &str {
        &self.clean
    }

    /// The line with this number, from 0.
    pub(super) fn place(&self, line: usize) -> OutputLine {
        OutputLine { stream: self.stream, line }
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
    Sure(Vec<FrameworkRun>),
}

/// One run of a framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::suite) struct FrameworkRun {
    pub(in crate::suite) counts: Counts,
    /// Where its summary is, if it is known where the lines of one run end and those of the next begin.
    pub(in crate::suite) at: Option<OutputLine>,
}

impl Reading {
    pub(in crate::suite) fn of(runs: Vec<FrameworkRun>) -> Self {
        if runs.is_empty() { Self::Absent } else { Self::Sure(runs) }
    }

    /// The sum of all runs; `None` if it is not sure.
    pub(in crate::suite) fn counts(&self) -> Option<Counts> {
        match self {
            Self::Sure(runs) => Some(runs.iter().map(|run| run.counts).sum()),
            Self::Absent | Self::Unsure => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(captured: KeptOutput<'_>) -> Vec<String> {
        Text::new(captured, Stream::Stdout).lines().map(str::to_owned).collect()
    }

    #[test]
    fn the_lines_of_a_stream_are_clean() {
        let clean = lines(KeptOutput::Whole(
            b"\x1b[1mtest result: \x1b[31mFAILED\x1b(B\x1b[m. 2 \r\n\xff 1 passed\rx",
        ));
        assert_eq!(clean, ["test result: FAILED. 2", "\u{fffd} 1 passed", "x"]);
        assert_eq!(lines(KeptOutput::EMPTY), [""; 0]);
    }

    #[test]
    fn incomplete_lines_at_a_cut_are_left_out() {
        let cut = KeptOutput::Cut { head: b"one\ntw", tail: b"2 passed\nlast" };
        assert_eq!(lines(cut), ["one", GAP, "last"]);
        let nothing = KeptOutput::Cut { head: b"no newline", tail: b"none either" };
        assert_eq!(lines(nothing), ["", GAP]);
    }
}
