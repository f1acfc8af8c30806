//! The beginning of the page: the verdict, the numbers, what to look at; and its end, how to repeat the proof.

use maud::{Markup, html};

use crate::report::document::figures::{Figures, lines};
use crate::report::document::{LookAt, LookKind, RunDocument, RunState};
use crate::report::visible::{visible_line, visible_name};

/// How many things of one kind are listed before the others are folded.
const LISTED: usize = 25;

/// The head of the page.
pub(super) fn opening(report: &RunDocument<'_>, title: &str) -> Markup {
    let told = report.report();
    let base = report.anchor.map(|anchor| format!("{}..", anchor.short())).unwrap_or_default();
    let times = told.began.zip(told.ended);
    html! {
        header {
            p.soft.small { "Report of a run" }
            h1 { (title) }
            p.soft {
                "Commits " code { (base) (report.head.map(|head| head.short()).unwrap_or_default()) } " of the plan " code { (visible_name(report.tree)) }
                @if !told.nodes.is_empty() { ", the tasks below " (visible_name(&told.nodes.join(", "))) }
                @if let Some((began, ended)) = times { ". From " (began.shown()) " to " (ended.shown()) " (UTC)" }
                "."
            }
            div.verdict {
                (badge(report.run.state))
                p { (visible_name(&format!("{}.", told.verdict))) }
            }
            (bar(&told.total))
            dl.figures {
                @for (label, value) in lines(&told.total) {
                    div { dt { (label) } dd { (visible_line(&value)) } }
                }
            }
            nav aria-label="Parts of the report" {
                ul {
                    li { a href="#look" { "What to look at" } }
                    li { a href="#timeline" { "Timeline" } }
                    li { a href="#dependencies" { "Dependencies" } }
                    li { a href="#tasks" { "Phases and tasks" } }
                    li { a href="#proof" { "Proof" } }
                }
            }
        }
    }
}

fn badge(state: RunState) -> Markup {
    let (class, words) = match state {
        RunState::Complete => ("badge good", "✓ Complete"),
        RunState::Failed => ("badge bad", "✗ Failed"),
        RunState::Unfinished | RunState::Running => ("badge warn", "● Not finished"),
        RunState::NotBegun => ("badge quiet", "· Not begun"),
    };
    html! { span class=(class) { (words) } }
}

/// The bar that shows how many tasks are done.
pub(super) fn bar(figures: &Figures) -> Markup {
    let all = figures.tasks.max(1);
    let rest = figures.tasks.saturating_sub(figures.complete + figures.failed + figures.skipped);
    let parts = [
        ("f-complete", figures.complete),
        ("f-failed", figures.failed),
        ("f-skipped", figures.skipped),
        ("f-pending", rest),
    ];
    let mut words = format!("{} of {} tasks complete", figures.complete, figures.tasks);
    if figures.failed > 0 {
        words.push_str(&format!(", {} failed", figures.failed));
    }
    let mut place = 0;
    html! {
        svg.bar viewBox="0 0 1000 12" preserveAspectRatio="none" role="img" aria-label=(words) {
            @for (class, count) in parts {
                @if count > 0 {
                    rect class=(class) x=(place * 1000 / all) y="0" width=((place + count) * 1000 / all - place * 1000 / all) height="12" {}
                }
                ({ place += count; "" })
            }
        }
    }
}

/// What a person should look at.
pub(super) fn look(report: &RunDocument<'_>) -> Markup {
    if report.report().look.is_empty() {
        return html! { p { "Nothing: no finding is open, and no person has stepped in." } };
    }
    html! {
        @for items in report.report().look.chunk_by(|one, other| one.kind == other.kind) {
            ul.look { @for item in items.iter().take(LISTED) { (one(item)) } }
            @if let Some(more) = items.get(LISTED..).filter(|more| !more.is_empty()) {
                details {
                    summary { (items[0].kind.words()) ": " (more.len()) " more" }
                    ul.look { @for item in more { (one(item)) } }
                }
            }
        }
    }
}

fn one(item: &LookAt) -> Markup {
    let class = match item.kind {
        LookKind::Question | LookKind::Approval | LookKind::Failed => "kind bad",
        LookKind::Finding | LookKind::NoTests | LookKind::NotReviewed | LookKind::Doubt => "kind warn",
        _ => "kind soft",
    };
    html! {
        li {
            span class=(class) { (item.kind.words()) }
            div {
                @if let Some(task) = &item.task { a.mono href={ "#task-" (task) } { (task) } " " }
                @if let Some(phase) = &item.phase { span.mono { (phase) } " " }
                (visible_name(&item.what))
                @if let Some(command) = &item.command { div.small { code { (visible_name(command)) } } }
            }
        }
    }
}

/// How to repeat the proof.
pub(super) fn prove(report: &RunDocument<'_>) -> Markup {
    html! {
        @match &report.report().prove {
            None => p { "No task is complete, so there is nothing to prove yet." },
            Some(command) => {
                p {
                    "Each command of the tests runs again: on a clean checkout, without the change of the source, and \
                     without the change of the tests."
                }
                pre tabindex="0" { code { (command) } }
            }
        }
    }
}
