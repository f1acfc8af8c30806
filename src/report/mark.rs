//! The symbols, words and colours by which tasks are shown.

use super::screen::{Screen, Style, Symbols};
use crate::record::State;

/// The meaning of a task's symbol and colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TaskMark {
    Complete,
    Active,
    Pending,
    Failed,
    Skipped,
}

impl TaskMark {
    pub(crate) fn of(state: State) -> Self {
        match state {
            State::Pending => Self::Pending,
            State::Implementing | State::Testing | State::Reviewing | State::Asked => Self::Active,
            State::Complete => Self::Complete,
            State::Failed => Self::Failed,
            State::Skipped => Self::Skipped,
        }
    }

    pub(crate) fn symbol(self, symbols: Symbols) -> &'static str {
        match (symbols, self) {
            (Symbols::Unicode, Self::Complete) => "✓",
            (Symbols::Unicode, Self::Active) => "●",
            (Symbols::Unicode, Self::Pending) => "·",
            (Symbols::Unicode, Self::Failed) => "✗",
            (Symbols::Unicode, Self::Skipped) => "–",
            (Symbols::Ascii, Self::Complete) => "OK",
            (Symbols::Ascii, Self::Active) => "...",
            (Symbols::Ascii, Self::Pending) => "--",
            (Symbols::Ascii, Self::Failed) => "FAIL",
            (Symbols::Ascii, Self::Skipped) => "SKIP",
        }
    }

    /// The word for it in counts of tasks.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Complete => "complete",
            Self::Active => "in progress",
            Self::Pending => "pending",
            Self::Failed => "failed",
            Self::Skipped => "skipped",
        }
    }

    pub(crate) fn style(self) -> Style {
        match self {
            Self::Complete => Style::Green,
            Self::Active => Style::Yellow,
            Self::Pending | Self::Skipped => Style::Dim,
            Self::Failed => Style::Red,
        }
    }
}

/// The mark of something that is good or bad, or neither.
pub(super) fn verdict_mark(is_good: Option<bool>, screen: &Screen) -> String {
    let (mark, style) = match (is_good, screen.symbols) {
        (Some(true), Symbols::Unicode) => ("✓", Style::Green),
        (Some(true), Symbols::Ascii) => ("ok", Style::Green),
        (Some(false), Symbols::Unicode) => ("✗", Style::Red),
        (Some(false), Symbols::Ascii) => ("no", Style::Red),
        (None, Symbols::Unicode) => ("–", Style::Dim),
        (None, Symbols::Ascii) => ("--", Style::Dim),
    };
    screen.out.paint(style, mark)
}

/// Tasks that have something in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TaskFilter {
    /// They can be worked on now.
    Ready,
    /// They have failed.
    Failed,
    /// A failed task keeps them from being worked on.
    Blocked,
    /// They have begun and are not done.
    Active,
}

impl TaskFilter {
    /// What a task of this kind is, as a clause.
    #[must_use]
    pub fn clause(self) -> &'static str {
        match self {
            Self::Ready => "is ready",
            Self::Failed => "has failed",
            Self::Blocked => "is blocked",
            Self::Active => "is in progress",
        }
    }
}
