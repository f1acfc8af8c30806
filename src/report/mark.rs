//! The symbols, words and colours by which tasks are shown.

use super::screen::{Style, Symbols};
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
