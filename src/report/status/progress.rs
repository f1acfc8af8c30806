//! How far a plan has come: how many tasks are in which state, and what comes next.

use serde::{Deserialize, Serialize};

use super::super::plan_view::{PlanView, TaskMark};
use super::super::task_counts::TaskCounts;
use super::super::{Screen, Style};

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

    /// The progress in one line, with the end of that line.
    #[must_use]
    pub fn line(&self, screen: &Screen) -> String {
        let Self { counts, next } = self;
        let part = |text: String, mark: TaskMark, shown: bool| {
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
            skipped => format!("{}  ", part(skipped.to_string(), TaskMark::Skipped, true)),
        };
        format!(
            "{}  {}  {}  {skipped}{end}\n",
            part(format!("{}/{}", counts.complete, counts.total), TaskMark::Complete, counts.complete > 0),
            part(counts.active.to_string(), TaskMark::Active, counts.active > 0),
            part(counts.failed.to_string(), TaskMark::Failed, counts.failed > 0),
        )
    }
}
