//! The tree of phases and tasks.

use std::collections::HashMap;

use maud::{Markup, html};

use super::overview::bar;
use super::words::sign;
use crate::plan::NodeIx;
use crate::report::document::{RunDocument, RunPhase, RunTask};
use crate::report::visible::visible_name;

/// Up to how many tasks all phases are open.
const OPEN: usize = 60;

/// The tree.
pub(super) fn tree(report: &RunDocument<'_>) -> Markup {
    let open = report.tasks.len() <= OPEN;
    html! { @for phase in &report.phases { (root(report, phase, open)) } }
}

fn root(report: &RunDocument<'_>, phase: &RunPhase<'_>, open: bool) -> Markup {
    let mut below: HashMap<&str, Vec<&RunTask<'_>>> = HashMap::new();
    for task in report.tasks_below(phase.node) {
        below.entry(task.parent.unwrap_or(task.id.as_str())).or_default().push(task);
    }
    let figures = phase.figures();
    if report.plan.is_leaf(phase.node) {
        return html! { ul.tree { (leaf(report.task(phase.node))) } };
    }
    html! {
        details.phase open[open] {
            summary {
                h3 { span.id { (phase.id) } (visible_name(phase.name)) }
                " " span.soft {
                    (figures.complete) " of " (figures.tasks) " complete"
                    @if figures.failed > 0 { ", " (figures.failed) " failed" }
                    @if figures.skipped > 0 { ", " (figures.skipped) " skipped" }
                    @if phase.marker.is_some() { ", marked as complete" }
                }
                (bar(figures))
            }
            ul.tree { (rows(report, phase, &below)) }
        }
    }
}

/// The nodes of a phase in the order of the plan, and every group as if it were right below the phase: a plan may be as deep as it
/// likes.
fn rows(report: &RunDocument<'_>, phase: &RunPhase<'_>, below: &HashMap<&str, Vec<&RunTask<'_>>>) -> Markup {
    let tasks = |id: &str| below.get(id).cloned().unwrap_or_default();
    let own = tasks(phase.id).into_iter().map(|task| (task.leaf.position(), leaf(task)));
    let groups = phase.groups().iter().map(|group| {
        let place = report.plan.find(group.id).map_or(0, NodeIx::position);
        let shown = html! {
            li {
                span.id { (group.id) } (visible_name(group.name))
                ul { @for task in tasks(group.id) { (leaf(task)) } }
            }
        };
        (place, shown)
    });
    let mut rows: Vec<(usize, Markup)> = own.chain(groups).collect();
    rows.sort_by_key(|(place, _)| *place);
    html! { @for (_, row) in rows { (row) } }
}

fn leaf(task: &RunTask<'_>) -> Markup {
    html! {
        li {
            (sign(task.own_mark()))
            span.id { (task.id) }
            a href={ "#task-" (task.id) } { (visible_name(task.name)) }
            " " span.soft.small {
                (task.shown())
                @if let Some(known) = task.known_words() { ", " (known) }
                @if !task.blocked_by.is_empty() { ", blocked by " (visible_name(&task.blocked_by.join(", "))) }
            }
        }
    }
}
