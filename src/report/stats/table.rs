//! Lays out a table for a terminal or a pipe. Where the terminal is too narrow for the table, each row becomes a block of
//! lines.

use crate::report::text::{columns, cut};
use crate::report::{Screen, Style};

/// The blanks between two columns.
const GAP: usize = 2;
/// How wide the first column may be.
const FIRST: usize = 40;

/// A table. The cells of the first column are texts, all others are numbers.
#[derive(Debug, Default)]
pub(super) struct Table {
    pub(super) head: Vec<&'static str>,
    pub(super) rows: Vec<Vec<String>>,
}

impl Table {
    /// The table as text.
    pub(super) fn text(&self, screen: &Screen) -> String {
        let widths: Vec<usize> = (0..self.head.len()).map(|column| self.width(column)).collect();
        let whole = widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1);
        if screen.width.is_some_and(|width| whole > width) {
            return self.blocks(screen);
        }
        let line = |cells: &[String], style: Option<Style>| {
            let mut line = String::new();
            for (place, (cell, width)) in cells.iter().zip(&widths).enumerate() {
                let cell = cut(cell, *width, screen.symbols);
                let blanks = " ".repeat(width - columns(&cell));
                let padded = if place == 0 { format!("{cell}{blanks}") } else { format!("{blanks}{cell}") };
                let gap = if place == 0 { 0 } else { GAP };
                line.push_str(&format!("{}{padded}", " ".repeat(gap)));
            }
            let line = line.trim_end();
            format!("{}\n", style.map_or_else(|| line.to_owned(), |style| screen.out.paint(style, line)))
        };
        let head: Vec<String> = self.head.iter().map(|&cell| cell.to_owned()).collect();
        let rows: String = self.rows.iter().map(|row| line(row, None)).collect();
        format!("{}{rows}", line(&head, Some(Style::Bold)))
    }

    fn width(&self, column: usize) -> usize {
        let cells = self.rows.iter().map(|row| columns(&row[column]));
        let width = cells.chain([columns(self.head[column])]).max().unwrap_or_default();
        if column == 0 { width.min(FIRST) } else { width }
    }

    fn blocks(&self, screen: &Screen) -> String {
        let label = self.head.iter().skip(1).map(|head| columns(head)).max().unwrap_or_default();
        let width = screen.width.unwrap_or(usize::MAX);
        let block = |row: &Vec<String>| {
            let title = row.first().map(|title| cut(title, width, screen.symbols)).unwrap_or_default();
            let lines: String = self
                .head
                .iter()
                .zip(row)
                .skip(1)
                .map(|(head, cell)| {
                    let line = format!("  {head:<label$}  {cell}");
                    format!("{}\n", cut(line.trim_end(), width, screen.symbols))
                })
                .collect();
            format!("{}\n{lines}", screen.out.paint(Style::Bold, &title))
        };
        self.rows.iter().map(block).collect::<Vec<_>>().join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Paint, Symbols};

    fn screen(width: Option<usize>) -> Screen {
        Screen { out: Paint::Plain, err: Paint::Plain, symbols: Symbols::Unicode, width, live: false }
    }

    fn table() -> Table {
        let row = |cells: [&str; 3]| cells.map(str::to_owned).to_vec();
        Table {
            head: vec!["task", "attempts", "cost"],
            rows: vec![row(["日本", "1", "$0.10"]), row(["b", "12", "-"])],
        }
    }

    #[test]
    fn columns_are_aligned_by_what_a_terminal_shows() {
        let expected = "task  attempts   cost\n日本         1  $0.10\nb           12      -\n";
        assert_eq!(table().text(&screen(None)), expected);
        assert_eq!(table().text(&screen(Some(21))), expected);
    }

    #[test]
    fn where_a_row_does_not_fit_each_becomes_a_block() {
        let expected = "日本\n  attempts  1\n  cost      $0.10\n\nb\n  attempts  12\n  cost      -\n";
        assert_eq!(table().text(&screen(Some(20))), expected);
        assert!(table().text(&screen(Some(8))).lines().all(|line| columns(line) <= 8));
    }
}
