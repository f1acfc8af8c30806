//! How far a plan has come: how many tasks are in which state, and what comes next.

use serde::{Deserialize, Serialize};

use super::super::plan_view::{PlanView, TaskMark};
use super::super::task_counts::TaskCounts;
use super::super::{Screen, Style};
use crate::text::counted;

/// How far a plan has come.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Progress {
    counts: TaskCounts,
    /// The id of the task that a run would work on next.
    next: Option<String>,
    /// What fails at the ends of phases.
    red: Vec<String>,
}

impl Progress {
    /// The progress of a plan.
    #[must_use]
    pub fn of(plan_view: &PlanView<'_>) -> Self {
        let next = plan_view.next.map(|next| plan_view.id(next).to_owned());
        let red = plan_view.ends().iter().map(|end| match end.has_failed() {
            true => format!("{}: tests fail", end.id),
            false => format!("{}: {}", end.id, counted(end.findings.len(), "warning")),
        });
        Self { counts: TaskCounts::of_all(plan_view), next, red: red.collect() }
    }

    /// The progress in one line, with the end of that line.
    #[must_use]
    pub fn line(&self, screen: &Screen) -> String {
        let Self { counts, next, red } = self;
        let part = |text: String, mark: TaskMark, shown: bool| {
            let style = if shown { mark.style() } else { Style::Dim };
            screen.out.paint(style, &format!("{text} {}", mark.symbol(screen.symbols)))
        };
        let end = match next {
            Some(next) => format!("next {next}"),
            None if counts.done() == counts.total => "complete".to_owned(),
            None => "nothing is ready".to_owned(),
        };
        let end = match next {
            _ if red.is_empty() => end,
            Some(_) => format!("{end}  {}", red.join("  ")),
            None => red.join("  "),
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
