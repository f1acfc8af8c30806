//! Draws the lines that connect the nodes of a printed tree.

use super::screen::{Screen, Symbols};

/// How many levels are drawn. Otherwise a line would be as long as the tree is deep.
const MOST_LEVELS: usize = 16;
/// How many columns one level takes.
const LEVEL: usize = 4;

/// The lines of a tree whose nodes come depth first.
pub(super) struct TreeLines {
    symbols: Symbols,
    levels: usize,
    /// For each level above the node, whether another node follows there.
    last: Vec<bool>,
}

impl TreeLines {
    pub(super) fn new(screen: &Screen) -> Self {
        let fitting = screen.width.map_or(MOST_LEVELS, |width| width / 2 / LEVEL);
        Self { symbols: screen.symbols, levels: fitting.clamp(1, MOST_LEVELS), last: Vec::new() }
    }

    /// The prefix of the next node, which is at this depth and may be the last child of its parent. Levels that do not
    /// fit are left out from the left, and dots say so.
    pub(super) fn before(&mut self, depth: usize, is_last: bool) -> String {
        self.last.truncate(depth);
        let hidden = (depth + 1).saturating_sub(self.levels);
        let mut line = String::new();
        if hidden > 0 {
            line.push_str(self.dots());
        }
        for ended in self.last.iter().skip(hidden) {
            line.push_str(self.above(*ended));
        }
        line.push_str(self.own(is_last));
        self.last.push(is_last);
        line
    }

    fn dots(&self) -> &'static str {
        match self.symbols {
            Symbols::Unicode => "… ",
            Symbols::Ascii => "... ",
        }
    }

    fn above(&self, ended: bool) -> &'static str {
        match (self.symbols, ended) {
            (_, true) => "    ",
            (Symbols::Unicode, false) => "│   ",
            (Symbols::Ascii, false) => "|   ",
        }
    }

    fn own(&self, is_last: bool) -> &'static str {
        match (self.symbols, is_last) {
            (Symbols::Unicode, true) => "└── ",
            (Symbols::Unicode, false) => "├── ",
            (Symbols::Ascii, true) => "`-- ",
            (Symbols::Ascii, false) => "|-- ",
        }
    }
}
