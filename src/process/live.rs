//! The last line that a running program wrote, for a spinner on another thread.

use std::sync::{Arc, Mutex, PoisonError};

/// The longest line that is kept, in bytes.
const LINE_LIMIT: usize = 512;
/// How much of the end of a chunk is examined. Earlier lines would be replaced at once anyway.
const LOOK_BACK: usize = 4096;

/// A shared view of the last line that is not blank.
///
/// The viewer reads it at its own pace and never blocks the program: a terminal that was stopped with Ctrl-S does not
/// delay a timeout.
#[derive(Clone, Debug, Default)]
pub struct LiveLine(Arc<Mutex<Vec<u8>>>);

impl LiveLine {
    /// An empty view.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The last line, at most 512 bytes of it. Invalid UTF-8 becomes U+FFFD.
    ///
    /// Control characters are kept, so the line must be escaped before it is shown.
    #[must_use]
    pub fn get(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_owned()
    }

    /// Shows `line` from now on.
    pub fn show(&self, line: &str) {
        let cut =
            line.char_indices().map(|(at, c)| at + c.len_utf8()).take_while(|end| *end <= LINE_LIMIT).last();
        self.set(&line.as_bytes()[..cut.unwrap_or(0)]);
    }

    fn set(&self, line: &[u8]) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.clear();
        shown.extend_from_slice(line);
    }
}

/// Finds the lines in the chunks of one output.
#[derive(Default)]
pub(super) struct LineFinder {
    open: Vec<u8>,
}

impl LineFinder {
    /// Takes the next chunk and shows its last line, finished or not, unless it is blank.
    pub(super) fn push(&mut self, chunk: &[u8], view: &LiveLine) {
        let recent = &chunk[chunk.len().saturating_sub(LOOK_BACK)..];
        if recent.len() < chunk.len() {
            self.open.clear();
        }
        let mut last = Vec::new();
        for &byte in recent {
            if matches!(byte, b'\n' | b'\r') {
                if !is_blank(&self.open) {
                    last = std::mem::take(&mut self.open);
                }
                self.open.clear();
            } else if self.open.len() < LINE_LIMIT {
                self.open.push(byte);
            }
        }
        if !is_blank(&self.open) {
            view.set(&self.open);
        } else if !last.is_empty() {
            view.set(&last);
        }
    }
}

/// Whether `line` is invisible.
fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_line_that_is_not_blank_is_shown() {
        let long = format!("{}\nend", "x".repeat(9000));
        let table: &[(&[&str], &str)] = &[
            (&[], ""),
            (&["one\ntwo\n"], "two"),
            (&["one\ntwo\n\n  \n"], "two"),
            (&["one\ntw", "o\n"], "two"),
            (&["one\npart"], "part"),
            (&["10%\r20%\r"], "20%"),
            (&["begin", &long], "end"),
        ];
        for (chunks, expected) in table {
            let view = LiveLine::new();
            let mut finder = LineFinder::default();
            for chunk in *chunks {
                finder.push(chunk.as_bytes(), &view);
            }
            assert_eq!(view.get(), *expected, "{chunks:?}");
        }
    }

    #[test]
    fn a_line_without_end_is_cut() {
        let view = LiveLine::new();
        let mut finder = LineFinder::default();
        for _ in 0..100 {
            finder.push(&[b'x'; 3000], &view);
        }
        assert_eq!(view.get().len(), LINE_LIMIT);
    }
}
