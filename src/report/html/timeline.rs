//! The time line: a row for each task, and a bar for each of its steps. Pauses are shortened, so that a night does not take more room
//! than the work.

use std::collections::HashMap;

use chrono::DateTime;
use maud::{Markup, html};

use crate::record::{CommitId, Step};
use crate::report::document::{RunDocument, RunStep, RunTask, Tone};
use crate::report::screen::Symbols;
use crate::report::visible::visible_name;
use crate::text::{duration, ellipsis};

/// How many rows one picture has.
const ROWS: usize = 100;

const WIDTH: f64 = 1000.0;
const LABELS: f64 = 190.0;
const ROW: f64 = 22.0;
const HEAD: f64 = 26.0;
const BAR: f64 = 12.0;
/// A shorter bar could not be seen.
const SHORTEST: f64 = 3.0;
/// How much room a time above the picture takes.
const LABEL: f64 = 80.0;
/// Which share of all the work a pause takes at most.
const PAUSE: f64 = 0.04;

/// The time line, in several pictures if there are many tasks. Their stories say the same.
pub(super) fn timeline(report: &RunDocument<'_>) -> Markup {
    let worked = report.tasks.iter().filter(|task| task.all_steps().next().is_some());
    let worked: Vec<&RunTask<'_>> = worked.collect();
    if worked.is_empty() {
        return html! { p { "Nothing has happened yet." } };
    }
    let kinds = [
        ("s-red", "failing tests"),
        ("s-implement", "implement"),
        ("s-test", "test"),
        ("s-review", "review"),
        ("s-other", "end, decision or note"),
        ("fail", "failed or rejected"),
    ];
    html! {
        @for (number, rows) in worked.chunks(ROWS).enumerate() { (picture(number, rows)) }
        ul.legend aria-label="Colours of the steps" { @for (class, words) in kinds {
            li { svg viewBox="0 0 14 14" aria-hidden="true" { rect class=(class) x="1" y="1" width="12" height="12" rx="2" {} } (words) }
        } }
        p.soft.small { "Times are UTC. A dotted line is a pause that is drawn shorter than it was." }
    }
}

/// A span of time in seconds.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TimeRange {
    from: f64,
    to: f64,
}

/// Time in which something was done, and where it begins on a line that has as many seconds as all the work with its pauses.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    time: TimeRange,
    at: f64,
}

/// A time line whose pauses are shortened.
#[derive(Debug)]
struct Scale {
    stretches: Vec<Stretch>,
    all: f64,
}

impl Scale {
    fn of(mut spans: Vec<TimeRange>) -> Self {
        spans.sort_by(|one, other| one.from.total_cmp(&other.from));
        let longest = (spans.iter().map(|span| span.to - span.from).sum::<f64>() * PAUSE).max(1.0);
        let (mut stretches, mut all) = (Vec::<Stretch>::new(), 0.0);
        for time in spans {
            match stretches.last_mut() {
                Some(last) if time.from <= last.time.to + longest => last.time.to = last.time.to.max(time.to),
                last => {
                    let at = last.map_or(0.0, |last| last.at + last.time.to - last.time.from + longest);
                    stretches.push(Stretch { time, at });
                }
            }
            all = stretches.last().map_or(0.0, |last| last.at + last.time.to - last.time.from);
        }
        Self { stretches, all: all.max(1.0) }
    }

    /// The place of a moment.
    fn place(&self, moment: f64) -> f64 {
        let after = self.stretches.partition_point(|stretch| stretch.time.from <= moment);
        let Some(Stretch { time, at }) = after.checked_sub(1).map(|own| self.stretches[own]) else {
            return 0.0;
        };
        self.drawn(at + (moment - time.from).min(time.to - time.from))
    }

    fn drawn(&self, at: f64) -> f64 {
        at / self.all * (WIDTH - LABELS)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "seconds since 1970 are far below 2^52, and there are few rows"
)]
fn picture(number: usize, rows: &[&RunTask<'_>]) -> Markup {
    let mut steps: Vec<&RunStep<'_>> = rows.iter().flat_map(|task| task.all_steps()).collect();
    steps.sort_by_key(|step| step.time);
    let worked = |step: &RunStep<'_>| step.duration.unwrap_or_default().as_secs_f64();
    // Of steps that took so little time, only the order can be shown.
    let only_order = steps.iter().map(|step| worked(step)).sum::<f64>() < steps.len() as f64;
    let span = |place: usize, step: &RunStep<'_>| match (only_order, place as f64, step.time.0 as f64) {
        (true, from, _) => TimeRange { from, to: from + 0.8 },
        (false, _, to) => TimeRange { from: to - worked(step), to },
    };
    let spans: HashMap<CommitId, TimeRange> =
        steps.iter().enumerate().map(|(place, step)| (step.commit, span(place, step))).collect();
    let scale = Scale::of(spans.values().copied().collect());
    let head = if only_order { 2.0 } else { HEAD };
    let height = head + ROW * rows.len() as f64 + 6.0;
    let (heading, about) = (format!("timeline-{number}-title"), format!("timeline-{number}-about"));
    let top = |row: usize| head + ROW * row as f64;
    html! {
        div.scroll tabindex="0" role="region" aria-labelledby=(heading) {
            svg viewBox={ "0 0 " (WIDTH) " " (height) } width=(WIDTH) height=(height) role="img" aria-labelledby={ (heading) " " (about) } {
                title id=(heading) { "The steps of " (rows[0].id) " to " (rows[rows.len() - 1].id) }
                desc id=(about) { "A row for each task and a bar for each step, from left to right in time. Pauses are shortened. The tasks below say the same." }
                @for row in (0..rows.len()).step_by(2) {
                    rect.stripe x="0" y=(top(row)) width=(WIDTH) height=(ROW) rx="4" {}
                }
                @if !only_order { (axis(&scale, height)) }
                @for (row, task) in rows.iter().enumerate() {
                    (label(task, top(row)))
                    @for step in task.all_steps() { (bar(step, spans[&step.commit], &scale, top(row) + (ROW - BAR) / 2.0)) }
                }
            }
        }
        @if only_order {
            p.soft.small { "The steps took too little time to be drawn to scale, so the picture shows their order." }
        }
    }
}

/// A number for a picture.
fn short(number: f64) -> String {
    format!("{number:.1}")
}

/// When work began, and began again after each pause, with the day if it is another one. Where there is no room for a time, there is
/// only the line.
#[expect(clippy::cast_possible_truncation, reason = "seconds since 1970")]
fn axis(scale: &Scale, height: f64) -> Markup {
    let (mut day, mut free) = (None, 0.0);
    let ticks = scale.stretches.iter().map(|Stretch { time, at }| {
        let left = LABELS + scale.drawn(*at);
        let began = DateTime::from_timestamp(time.from as i64, 0).filter(|_| left >= free);
        let said = began.map(|began| {
            let is_same_day = day.replace(began.date_naive()) == day;
            free = left + LABEL;
            began.format(if is_same_day { "%H:%M" } else { "%-d %b %H:%M" }).to_string()
        });
        html! {
            line.gap x1=(short(left)) x2=(short(left)) y1=(HEAD - 6.0) y2=(height) {}
            @if let Some(said) = said { text.lab x=(short(left + 3.0)) y="14" { (said) } }
        }
    });
    let ticks: Vec<Markup> = ticks.collect();
    html! { @for tick in ticks { (tick) } }
}

fn label(task: &RunTask<'_>, top: f64) -> Markup {
    let name = ellipsis(&visible_name(task.name), 22 - task.id.as_str().chars().count().min(14));
    let symbol = task.own_mark().symbol(Symbols::Unicode);
    html! { text x="4" y=(short(top + 15.5)) { (symbol) " " (task.id) " " tspan.lab { (name) } } }
}

/// The bar of a step, which says what it is when a pointer is over it.
fn bar(step: &RunStep<'_>, span: TimeRange, scale: &Scale, top: f64) -> Markup {
    let (from, to) = (scale.place(span.from), scale.place(span.to));
    let width = (to - from).max(SHORTEST);
    let left = LABELS + from.min(WIDTH - LABELS - width);
    let class = match step.step {
        _ if step.tone() == Tone::Bad => "fail",
        Step::IMPLEMENT => "s-implement",
        Step::TEST => "s-test",
        Step::REVIEW => "s-review",
        Step::RED => "s-red",
        _ => "s-other",
    };
    let took = step.duration.map(|took| format!(", {}", duration(took))).unwrap_or_default();
    html! {
        rect class=(class) x=(short(left)) y=(short(top)) width=(short(width)) height=(BAR) rx="2" {
            title { (step.step.word()) " " (step.outcome) (took) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_night_takes_little_room_and_the_order_is_kept() {
        let span = |from: f64, to: f64| TimeRange { from, to };
        let scale = Scale::of(vec![span(100.0, 200.0), span(0.0, 50.0), span(50_000.0, 50_100.0)]);
        let places: Vec<f64> =
            [0.0, 50.0, 100.0, 200.0, 50_000.0, 50_100.0].iter().map(|moment| scale.place(*moment)).collect();
        assert!(places.is_sorted(), "{places:?}");
        assert!(places[0] == 0.0 && (places[5] - (WIDTH - LABELS)).abs() < 1e-6, "{places:?}");
        assert!(places[4] - places[3] < 60.0, "the pause is short: {places:?}");
        assert_eq!(scale.stretches.len(), 3);
        assert_eq!(Scale::of(Vec::new()).place(5.0), 0.0);
    }
}
