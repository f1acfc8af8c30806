//! The tree of phases and tasks.

use std::collections::HashMap;

use maud::{Markup, html};

use super::overview::bar;
use super::words::sign;
use crate::report::document::{RunDocument, RunPhase, RunTask};
use crate::report::visible::visible_name;

/// Up to how many tasks all phases are open.
const OPEN: usize = 60;

/// What is below each node.
struct Below<'r> {
    tasks: HashMap<&'r str, Vec<&'r RunTask<'r>>>,
    groups: HashMap<&'r str, Vec<usize>>,
}

/// The tree.
pub(super) fn tree(report: &RunDocument<'_>) -> Markup {
    let open = report.tasks.len() <= OPEN;
    html! { @for phase in &report.phases { (root(report, phase, open)) } }
}

fn root(report: &RunDocument<'_>, phase: &RunPhase<'_>, open: bool) -> Markup {
    let mut below = Below { tasks: HashMap::new(), groups: HashMap::new() };
    for task in report.tasks.iter().filter(|task| task.phase == phase.id) {
        below.tasks.entry(task.parent.unwrap_or(task.id.as_str())).or_default().push(task);
    }
    for (place, group) in phase.groups().iter().enumerate() {
        below.groups.entry(group.parent).or_default().push(place);
    }
    let figures = phase.figures();
    if phase.groups().is_empty() && below.tasks.contains_key(phase.id) && figures.tasks == 1 {
        let task = below.tasks[phase.id][0];
        if task.id.as_str() == phase.id {
            return html! { ul.tree { (leaf(task)) } };
        }
    }
    html! {
        details.phase open[open] {
            summary {
                h3 { span.id { (phase.id) } (visible_name(phase.name)) }
                " " span.soft {
                    (figures.complete) " of " (figures.tasks) " complete"
                    @if figures.failed > 0 { ", " (figures.failed) " failed" }
                    @if phase.marker.is_some() { ", marked as complete" }
                }
                (bar(figures))
            }
            ul.tree { (rows(phase, &below)) }
        }
    }
}

/// The nodes of a phase, depth first, without recursion: a plan may be as deep as it likes.
fn rows(phase: &RunPhase<'_>, below: &Below<'_>) -> Markup {
    let mut open: Vec<usize> = below.groups.get(phase.id).cloned().unwrap_or_default();
    open.reverse();
    let mut ordered = Vec::new();
    while let Some(place) = open.pop() {
        ordered.push(place);
        let children = below.groups.get(phase.groups()[place].id);
        open.extend(children.into_iter().flatten().rev());
    }
    let tasks = |id: &str| below.tasks.get(id).cloned().unwrap_or_default();
    html! {
        @for task in tasks(phase.id) { (leaf(task)) }
        @for place in ordered {
            @let group = &phase.groups()[place];
            li {
                span.id { (group.id) } (visible_name(group.name))
                ul { @for task in tasks(group.id) { (leaf(task)) } }
            }
        }
    }
}

fn leaf(task: &RunTask<'_>) -> Markup {
    html! {
        li {
            (sign(task.own_mark()))
            span.id { (task.id) }
            a href={ "#task-" (task.id) } { (visible_name(task.name)) }
            " " span.soft.small {
                (task.shown())
                @if !task.blocked_by.is_empty() { ", blocked by " (visible_name(&task.blocked_by.join(", "))) }
            }
        }
    }
}
