//! What is drawn on a terminal, and how to change it into something else with as little output as possible.

use crate::report::screen::TerminalSize;
use crate::report::text::visible_columns;

/// Lines on a terminal. The cursor is behind the last one.
#[derive(Debug, Default)]
pub(super) struct Drawing {
    lines: Vec<String>,
    /// The size of the terminal when they were drawn.
    size: TerminalSize,
}

impl Drawing {
    /// What must be written so that these lines are there instead.
    pub(super) fn becomes(&mut self, lines: Vec<String>, size: TerminalSize) -> String {
        let same = self.lines.iter().zip(&lines).take_while(|(before, now)| before == now).count();
        let has_same_shape = self.size == size && self.lines.len() == lines.len();
        let bytes = match lines.len().checked_sub(1) {
            _ if has_same_shape && same == lines.len() => String::new(),
            // Usually only the last line has changed.
            Some(last) if has_same_shape && same == last => format!("\r\x1b[K{}", lines[last]),
            _ if lines.is_empty() => self.erase(size.columns),
            // Each line is written over the one before. If they were erased first, they would flicker, and some terminals
            // would keep them among the lines that have scrolled off.
            _ => format!("{}{}\x1b[J", self.to_start(size.columns), lines.join("\x1b[K\r\n")),
        };
        (self.lines, self.size) = (lines, size);
        bytes
    }

    /// What must be written to a terminal that has this many columns now to leave nothing there.
    pub(super) fn erase(&mut self, columns: usize) -> String {
        let erased = if self.lines.is_empty() { String::new() } else { self.to_start(columns) + "\x1b[J" };
        self.lines.clear();
        erased
    }

    /// What moves the cursor to the beginning of the first line.
    fn to_start(&self, columns: usize) -> String {
        // A terminal that has become narrower has broken long lines.
        let rows = |line: &String| visible_columns(line).max(1).div_ceil(columns.max(1));
        match self.lines.iter().map(rows).sum() {
            0 => String::new(),
            1 => "\r".to_owned(),
            rows => format!("\r\x1b[{}A", rows - 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[&str]) -> Vec<String> {
        text.iter().map(|line| (*line).to_owned()).collect()
    }

    #[test]
    fn only_what_has_changed_is_written() {
        let size = TerminalSize { columns: 20, rows: 10 };
        let mut drawing = Drawing::default();
        assert_eq!(drawing.becomes(lines(&["a", "b"]), size), "a\x1b[K\r\nb\x1b[J");
        assert_eq!(drawing.becomes(lines(&["a", "b"]), size), "");
        assert_eq!(drawing.becomes(lines(&["a", "c"]), size), "\r\x1b[Kc");
        assert_eq!(drawing.becomes(lines(&["d", "c"]), size), "\r\x1b[1Ad\x1b[K\r\nc\x1b[J");
        assert_eq!(drawing.becomes(lines(&["d"]), size), "\r\x1b[1Ad\x1b[J");
        assert_eq!(drawing.erase(20), "\r\x1b[J");
        assert_eq!(drawing.erase(20), "");
    }

    #[test]
    fn lines_that_a_narrower_terminal_has_broken_are_erased_as_a_whole() {
        let mut drawing = Drawing::default();
        let wide = TerminalSize { columns: 20, rows: 10 };
        drawing.becomes(lines(&["\x1b[1m0123456789\x1b[0m", "01234"]), wide);
        let narrow = TerminalSize { columns: 5, rows: 10 };
        assert_eq!(drawing.becomes(lines(&["0", "1"]), narrow), "\r\x1b[2A0\x1b[K\r\n1\x1b[J");
    }
}
