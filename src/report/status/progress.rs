//! How far a plan has come: how many tasks are in which state, and what comes next.

use serde::{Deserialize, Serialize};

use super::super::plan_view::{Mark, PlanView};
use super::super::{Screen, Style};
use crate::plan::NodeIx;

/// The number of tasks in each state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct TaskCounts {
    pub(super) total: usize,
    pub(super) complete: usize,
    pub(super) failed: usize,
    pub(super) skipped: usize,
    pub(super) active: usize,
    pub(super) pending: usize,
}

impl TaskCounts {
    pub(super) fn of(plan_view: &PlanView<'_>, leaves: impl Iterator<Item = NodeIx>) -> Self {
        let mut tally = Self::default();
        for leaf in leaves {
            tally.total += 1;
            match Mark::of(plan_view.state(leaf)) {
                Mark::Complete => tally.complete += 1,
                Mark::Active => tally.active += 1,
                Mark::Pending => tally.pending += 1,
                Mark::Failed => tally.failed += 1,
                Mark::Skipped => tally.skipped += 1,
            }
        }
        tally
    }

    /// How many have nothing left to do.
    pub(super) fn done(&self) -> usize {
        self.complete + self.skipped
    }

    pub(super) fn of_all(plan_view: &PlanView<'_>) -> Self {
        Self::of(plan_view, plan_view.tree.order().iter().copied())
    }
}

/// How far a plan has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    counts: TaskCounts,
    /// The id of the task that a run would work on next.
    next: Option<String>,
}

impl Progress {
    /// The progress of a plan.
    #[must_use]
    pub fn of(plan_view: &PlanView<'_>) -> Self {
        let next = plan_view.next.map(|next| plan_view.id(next).to_owned());
        Self { counts: TaskCounts::of_all(plan_view), next }
    }

    /// It in one line, with the end of that line.
    #[must_use]
    pub fn line(&self, screen: &Screen) -> String {
        let Self { counts, next } = self;
        let part = |text: String, mark: Mark, shown: bool| {
            let style = if shown { mark.style() } else { Style::Dim };
            screen.out.paint(style, &format!("{text} {}", mark.symbol(screen.symbols)))
        };
        let end = match next {
            Some(next) => format!("next {next}"),
            None if counts.done() == counts.total => "complete".to_owned(),
            None => "nothing is ready".to_owned(),
        };
        let skipped = match counts.skipped {
            0 => String::new(),
            skipped => format!("{}  ", part(skipped.to_string(), Mark::Skipped, true)),
        };
        format!(
            "{}  {}  {}  {skipped}{end}\n",
            part(format!("{}/{}", counts.complete, counts.total), Mark::Complete, counts.complete > 0),
            part(counts.active.to_string(), Mark::Active, counts.active > 0),
            part(counts.failed.to_string(), Mark::Failed, counts.failed > 0),
        )
    }
}
