//! Counts the tasks of a plan, or of a part of it, by their states.

use serde::Serialize;

use super::RunTask;
use crate::record::{State, TaskWord, UNTESTED};
use crate::report::mark::TaskMark;
use crate::report::screen::{Paint, Screen, Style, Symbols};

/// How many columns a bar takes.
pub(crate) const BAR: usize = 16;

/// The number of tasks in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct TaskCounts {
    /// All tasks.
    pub total: usize,
    /// Complete tasks. One that is complete on a branch of its own counts only when that is merged.
    pub complete: usize,
    /// Failed tasks.
    pub failed: usize,
    /// Skipped tasks.
    pub skipped: usize,
    /// Tasks in the middle of their steps, and those that only have to be merged.
    pub active: usize,
    /// Tasks that have not begun.
    pub pending: usize,
    /// Those of the active ones that have nothing left to do but to be merged.
    pub unmerged: usize,
    /// Those of the active ones that wait for an answer.
    pub asked: usize,
    /// Those of the complete ones for which a person vouches.
    #[serde(skip)]
    pub(crate) vouched: usize,
    /// Those of the complete ones that no test command has tested.
    #[serde(skip)]
    pub(crate) untested: usize,
}

impl TaskCounts {
    /// Those of these tasks.
    pub(crate) fn of<'t, 'a: 't>(tasks: impl IntoIterator<Item = &'t RunTask<'a>>) -> Self {
        let mut counts = Self::default();
        for task in tasks {
            counts.total += 1;
            *counts.of_mark(task.mark()) += 1;
            counts.asked += usize::from(task.state == State::Asked);
            counts.unmerged += usize::from(task.unmerged);
            let known = task.proof.filter(|_| task.mark() == TaskMark::Complete);
            counts.vouched += usize::from(known == Some(TaskWord::VouchedFor));
            counts.untested += usize::from(known == Some(TaskWord::Untested));
        }
        counts
    }

    /// How many have nothing left to do.
    #[must_use]
    pub fn done(&self) -> usize {
        self.complete + self.skipped
    }

    /// Whether no task has begun.
    pub(crate) fn is_untouched(&self) -> bool {
        self.pending == self.total
    }

    /// Those that are neither complete nor simply open, in words: `1 failed, 2 skipped`.
    pub(crate) fn exceptions(&self) -> Vec<String> {
        let named = [(self.failed, "failed"), (self.skipped, "skipped")];
        named
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{count} {word}"))
            .collect()
    }

    /// Those complete ones of which there is no evidence, in words: `untested` if it is all of them, `2 vouched for`.
    pub(crate) fn without_evidence(&self) -> Vec<String> {
        let named = [(self.vouched, "vouched for"), (self.untested, UNTESTED)];
        let words = named.into_iter().filter(|(count, _)| *count > 0).map(|(count, word)| match count {
            count if count == self.complete => word.to_owned(),
            count => format!("{count} {word}"),
        });
        words.collect()
    }

    /// The only state that they are in; `None` if there are several.
    pub(crate) fn only(&self) -> Option<TaskMark> {
        let Self { complete, failed, skipped, active, pending, .. } = *self;
        let marks = [
            (complete, TaskMark::Complete),
            (failed, TaskMark::Failed),
            (skipped, TaskMark::Skipped),
            (active, TaskMark::Active),
            (pending, TaskMark::Pending),
        ];
        marks.into_iter().find(|(count, _)| *count == self.total).map(|(_, mark)| mark)
    }

    /// The mark of a node of which only one line is shown: what needs attention comes first.
    pub(crate) fn mark(&self) -> TaskMark {
        match self {
            Self { failed: 1.., .. } => TaskMark::Failed,
            Self { active: 1.., .. } => TaskMark::Active,
            Self { pending: 1.., .. } => TaskMark::Pending,
            Self { complete: 0, .. } => TaskMark::Skipped,
            _ => TaskMark::Complete,
        }
    }

    /// A bar that shows how many have nothing left to do. It is full only when nothing is left, because it is rounded down.
    pub(crate) fn bar(&self, screen: &Screen) -> String {
        let full = self.done() * BAR / self.total.max(1);
        let Screen { out, symbols, .. } = screen;
        match symbols {
            Symbols::Unicode => colored_bar(*out, &"█".repeat(full), &"░".repeat(BAR - full)),
            Symbols::Ascii => format!("[{}]", colored_bar(*out, &"#".repeat(full), &".".repeat(BAR - full))),
        }
    }

    fn of_mark(&mut self, mark: TaskMark) -> &mut usize {
        match mark {
            TaskMark::Complete => &mut self.complete,
            TaskMark::Active => &mut self.active,
            TaskMark::Pending => &mut self.pending,
            TaskMark::Failed => &mut self.failed,
            TaskMark::Skipped => &mut self.skipped,
        }
    }
}

fn colored_bar(out: Paint, full: &str, empty: &str) -> String {
    format!("{}{}", out.paint(Style::Green, full), out.paint(Style::Dim, empty))
}
