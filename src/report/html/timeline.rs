//! The time line: a row for each task, and a bar for each of its steps.

use std::collections::{BTreeMap, HashMap};

use maud::{Markup, html};

use super::scale::{Scale, TimeRange};
use super::words::{clock, moment, symbol};
use crate::record::CommitId;
use crate::record::Step;
use crate::report::document::{RunDocument, RunPhase, RunStep, RunTask, Tone};
use crate::report::visible::visible_name;
use crate::text::{counted, duration, ellipsis};

/// Up to how many tasks there is one time line; otherwise there is one for each phase.
const TOGETHER: usize = 60;
/// Up to how many tasks each bar says what it is when a pointer is over it.
const NAMED: usize = 300;
/// How many rows one picture has.
const ROWS: usize = 100;

const WIDTH: f64 = 1000.0;
const LABELS: f64 = 190.0;
const ROW: f64 = 22.0;
const HEAD: f64 = 26.0;
const BAR: f64 = 12.0;
/// A shorter bar could not be seen.
const SHORTEST: f64 = 3.0;

/// The time lines, each with a table that says the same.
pub(super) fn timelines(report: &RunDocument<'_>) -> Markup {
    let worked: Vec<&RunTask<'_>> = report
        .tasks
        .iter()
        .filter(|task| task.steps.as_ref().is_some_and(|steps| steps.began.is_some()))
        .collect();
    if worked.is_empty() {
        return html! { p { "Nothing has happened yet." } };
    }
    let of_phase = |phase: &RunPhase<'_>| {
        worked.iter().filter(|task| task.phase == phase.id).copied().collect::<Vec<_>>()
    };
    let bars = if worked.len() <= NAMED { Bars::Named } else { Bars::Plain };
    html! {
        @if worked.len() <= TOGETHER {
            (picture("timeline-all", "All steps of the run", &worked, bars))
        } @else {
            @for phase in &report.phases {
                @for (number, rows) in of_phase(phase).chunks(ROWS).enumerate() {
                    details.phase {
                        summary {
                            strong { span.id { (phase.id) } (visible_name(phase.name)) }
                            " " span.soft { (counted(rows.len(), "task")) @if number > 0 { ", part " (number + 1) } }
                        }
                        (picture(&format!("timeline-{}-{number}", phase.id), &format!("The steps of {}", phase.id), rows, bars))
                    }
                }
            }
        }
        (legend())
    }
}

/// How the bars of a picture are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bars {
    /// Each bar says what it is when a pointer is over it.
    Named,
    /// All bars of a colour are one shape, which takes a browser much less time.
    Plain,
}

/// When the steps of some tasks took place.
struct Times<'r> {
    spans: HashMap<&'r CommitId, TimeRange>,
    scale: Scale,
    /// Whether the steps took so little time that only their order can be shown.
    only_order: bool,
}

impl<'r> Times<'r> {
    #[expect(clippy::cast_precision_loss, reason = "seconds since 1970 are far below 2^52")]
    fn of(rows: &[&'r RunTask<'r>]) -> Self {
        let mut all: Vec<&RunStep<'_>> = rows.iter().flat_map(|task| task.all_steps()).collect();
        all.sort_by_key(|step| step.time);
        let worked: f64 = all.iter().map(|step| step.duration.unwrap_or_default().as_secs_f64()).sum();
        let only_order = worked < all.len() as f64;
        let span = |place: usize, step: &RunStep<'_>| {
            if only_order {
                return TimeRange { from: place as f64, to: place as f64 + 0.8 };
            }
            let to = step.time.0 as f64;
            TimeRange { from: to - step.duration.unwrap_or_default().as_secs_f64(), to }
        };
        let spans: HashMap<&CommitId, TimeRange> =
            all.iter().enumerate().map(|(place, step)| (&step.commit, span(place, step))).collect();
        let scale = Scale::of(spans.values().copied().collect(), WIDTH - LABELS);
        Self { spans, scale, only_order }
    }
}

#[expect(clippy::cast_precision_loss, reason = "there are few rows")]
fn picture(id: &str, title: &str, rows: &[&RunTask<'_>], bars: Bars) -> Markup {
    let times = Times::of(rows);
    let head = if times.only_order { 2.0 } else { HEAD };
    let height = head + ROW * rows.len() as f64 + 6.0;
    let (heading, about) = (format!("{id}-title"), format!("{id}-about"));
    html! {
        div.scroll tabindex="0" role="region" aria-label=(title) {
            svg viewBox={ "0 0 " (WIDTH) " " (height) } width=(WIDTH) height=(height) role="img" aria-labelledby={ (heading) " " (about) } {
                title id=(heading) { (title) }
                desc id=(about) { "A row for each task and a bar for each step, from left to right in time. Pauses are shortened. The table below says the same." }
                @for row in (0..rows.len()).step_by(2) {
                    rect.stripe x="0" y=(head + ROW * row as f64) width=(WIDTH) height=(ROW) rx="4" {}
                }
                @if !times.only_order { (axis(&times.scale, height)) }
                @for (row, task) in rows.iter().enumerate() { (label(task, head + ROW * row as f64)) }
                @let marks = rows.iter().enumerate().flat_map(|(row, task)| {
                    let top = head + ROW * row as f64;
                    task.all_steps().map(move |step| (step, top))
                }).map(|(step, top)| StepBar::of(step, &times, top));
                @match bars {
                    Bars::Named => @for mark in marks { (mark.bar()) },
                    Bars::Plain => (shapes(marks)),
                }
            }
        }
        @if times.only_order {
            p.soft.small { "The steps took too little time to be drawn to scale, so the picture shows their order." }
        }
        details {
            summary.small { "The same as a table" }
            div.scroll tabindex="0" role="region" aria-label={ (title) ", as a table" } { (table(title, rows)) }
        }
    }
}

/// A number for a picture.
fn short(number: f64) -> String {
    format!("{number:.1}")
}

#[expect(clippy::cast_possible_truncation, reason = "seconds since 1970")]
fn axis(scale: &Scale, height: f64) -> Markup {
    const TICKS: u32 = 6;
    let (mut before, mut said) = (None, String::new());
    let ticks = (0..TICKS).map(|tick| {
        let at = f64::from(tick) * (WIDTH - LABELS) / f64::from(TICKS);
        let seconds = scale.moment(at) as i64;
        let label = clock(seconds, before);
        before = Some(seconds);
        // In a short run, several lie in one minute.
        let is_new = !said.ends_with(&label);
        said.clone_from(&label);
        html! {
            line.grid x1=(short(LABELS + at)) x2=(short(LABELS + at)) y1=(HEAD - 6.0) y2=(height) {}
            @if is_new { text.lab x=(short(LABELS + at + 3.0)) y="14" { (label) } }
        }
    });
    let ticks: Vec<Markup> = ticks.collect();
    html! {
        @for tick in &ticks { (tick) }
        @for pause in scale.pauses().take(200) {
            line.gap x1=(short(LABELS + pause)) x2=(short(LABELS + pause)) y1=(HEAD) y2=(height) {}
        }
    }
}

fn label(task: &RunTask<'_>, top: f64) -> Markup {
    let name = ellipsis(&visible_name(task.name), 22 - task.id.as_str().chars().count().min(14));
    html! { text x="4" y=(short(top + 15.5)) { (symbol(task.own_mark())) " " (task.id) " " tspan.lab { (name) } } }
}

/// The bar of a step.
struct StepBar<'r> {
    step: &'r RunStep<'r>,
    class: &'static str,
    left: f64,
    width: f64,
    top: f64,
}

impl<'r> StepBar<'r> {
    fn of(step: &'r RunStep<'r>, times: &Times<'_>, top: f64) -> Self {
        let TimeRange { from, to } = times.spans[&step.commit];
        let (from, to) = (times.scale.place(from), times.scale.place(to));
        let width = (to - from).max(SHORTEST);
        let class = match step.step {
            _ if step.tone() == Tone::Bad => "fail",
            Step::IMPLEMENT => "s-implement",
            Step::TEST => "s-test",
            Step::REVIEW => "s-review",
            Step::RED => "s-red",
            _ => "s-other",
        };
        let left = LABELS + from.min(WIDTH - LABELS - width);
        Self { step, class, left, width, top: top + (ROW - BAR) / 2.0 }
    }

    fn bar(&self) -> Markup {
        let Self { step, class, left, width, top } = *self;
        let about = format!(
            "{} {}, {}",
            step.step.word(),
            step.outcome,
            step.duration.map(duration).unwrap_or_default()
        );
        html! {
            rect class=(class) x=(short(left)) y=(short(top)) width=(short(width)) height=(BAR) rx="2" {
                title { (about.trim_end_matches([',', ' '])) }
            }
        }
    }
}

/// All bars, each colour as one shape.
fn shapes<'r>(marks: impl Iterator<Item = StepBar<'r>>) -> Markup {
    let mut paths: BTreeMap<&str, String> = BTreeMap::new();
    for StepBar { class, left, width, top, .. } in marks {
        let bar = format!("M{left:.1} {top:.0}h{width:.1}v{BAR}h-{width:.1}z");
        paths.entry(class).or_default().push_str(&bar);
    }
    html! { @for (class, path) in &paths { path class=(class) d=(path) {} } }
}

fn table(title: &str, rows: &[&RunTask<'_>]) -> Markup {
    html! {
        table {
            caption { (title) }
            thead { tr { th scope="col" { "Task" } th scope="col" { "Began" } th scope="col" { "Ended" } th.n scope="col" { "Worked" } th scope="col" { "Steps" } } }
            tbody { @for task in rows {
                tr {
                    th scope="row" { a.mono href={ "#task-" (task.id) } { (task.id) } }
                    td { @if let Some(began) = task.steps.as_ref().and_then(|steps| steps.began) { (moment(began)) } }
                    td { @if let Some(ended) = task.steps.as_ref().and_then(|steps| steps.ended) { (moment(ended)) } }
                    td.n { (duration(task.effort.worked)) }
                    td { (task.all_steps().map(|step| format!("{} {}", step.step.word(), step.outcome)).collect::<Vec<_>>().join(", ")) }
                }
            } }
        }
    }
}

fn legend() -> Markup {
    let kinds = [
        ("s-red", "failing tests"),
        ("s-implement", "implement"),
        ("s-test", "test"),
        ("s-review", "review"),
        ("s-other", "end, decision or note"),
        ("fail", "failed or rejected"),
    ];
    html! {
        ul.legend aria-label="Colours of the steps" { @for (class, words) in kinds {
            li { svg viewBox="0 0 14 14" aria-hidden="true" { rect class=(class) x="1" y="1" width="12" height="12" rx="2" {} } (words) }
        } }
        p.soft.small { "Times are UTC. A dotted line is a pause that is drawn shorter than it was." }
    }
}
