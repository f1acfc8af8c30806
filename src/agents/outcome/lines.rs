//! The last lines of an output, normalised to the spelling that the tables use.

use crate::agents::Captured;
use crate::text::{clean, one_line};

/// How much of the end of an output is examined, in characters.
const TAIL: usize = 16 << 10;
/// Marks that agents put before an error.
const MARKS: &[char] = &['⎿', '■', '✕', '✖', '✗', '●', '│', ' '];

/// Lines that are not blank.
pub(super) struct Lines {
    lines: Vec<String>,
    /// Whether these are all.
    whole: bool,
}

impl Lines {
    pub(super) fn of(output: &Captured) -> Self {
        let tail = output.tail_lossy(TAIL);
        let lines = clean(tail.as_bytes()).lines().map(spelled).filter(|line| !line.is_empty()).collect();
        Self { lines, whole: output.total() <= tail.len() as u64 }
    }

    /// The last lines, the last first.
    pub(super) fn last(&self, count: usize) -> impl Iterator<Item = &str> + Clone {
        self.lines.iter().rev().take(count).map(String::as_str)
    }

    /// All lines, if there are at most this many.
    pub(super) fn all(&self, count: usize) -> Option<&[String]> {
        (self.whole && self.lines.len() <= count).then_some(&self.lines)
    }
}

/// What stands before the error on a line of the log of opencode, after many other fields.
const LOGGED_ERROR: &str = " error.error=\"";

/// A line with single spaces, plain apostrophes and one kind of dot, without leading marks and time stamps. Of an error in
/// a log, its words, with a label.
pub(super) fn spelled(line: &str) -> String {
    let line = one_line(line).replace('’', "'").replace(['∙', '•'], "·");
    let line = line.trim_start_matches(MARKS);
    if let Some((_, error)) = line.strip_prefix("timestamp=").and_then(|rest| rest.split_once(LOGGED_ERROR)) {
        return format!("Error: {}", error.trim_end_matches('"'));
    }
    match line.strip_prefix('[').and_then(|rest| rest.split_once("] ")) {
        Some((stamp, rest)) if stamp.starts_with("20") => rest.to_owned(),
        _ => line.to_owned(),
    }
}
