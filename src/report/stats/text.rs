//! The numbers of a run as people read them.

use super::StatsView;
use super::figures::Figures;
use super::groups::StatsGroup;
use super::table::Table;
use crate::record::{FETCH_RECORDS, UsageTotal, grouped};
use crate::report::text::{columns, wrap};
use crate::report::{Screen, Style};
use crate::text::{self, one_line};

/// How wide the labels are.
const LABEL: usize = 10;

impl StatsView<'_> {
    /// The numbers as text.
    #[must_use]
    pub fn text(&self, screen: &Screen) -> String {
        let total = self.total();
        let mut text = summary(&total, screen);
        if let Some(by) = self.by {
            let table = Table {
                head: vec![
                    by.word(),
                    "done",
                    "first",
                    "attempts",
                    "tests",
                    "review",
                    "checks",
                    "agent",
                    "time",
                    "tokens",
                    "cost",
                ],
                rows: self.groups().iter().map(row).collect(),
            };
            text.push('\n');
            text.push_str(&table.text(screen));
            if let Some(note) = note(&total.usage) {
                text.push('\n');
                prose(&mut text, 0, &note, screen);
            }
        }
        text
    }
}

fn prose(text: &mut String, indent: usize, line: &str, screen: &Screen) {
    let room = screen.width.map_or(usize::MAX, |width| width.saturating_sub(indent));
    for (place, part) in wrap(line, room).iter().enumerate() {
        let before = if place == 0 { 0 } else { indent };
        text.push_str(&format!("{}{part}\n", " ".repeat(before)));
    }
}

fn summary(total: &Figures, screen: &Screen) -> String {
    let mut text = String::new();
    for LabelledLine { label, value } in lines(total) {
        let padded = format!("{label:<LABEL$}  ");
        text.push_str(&screen.out.paint(Style::Bold, &padded));
        prose(&mut text, columns(&padded), &value, screen);
    }
    text
}

/// A label, and what is said under it.
pub(crate) struct LabelledLine {
    pub(crate) label: &'static str,
    pub(crate) value: String,
}

/// The numbers as sentences.
pub(crate) fn lines(total: &Figures) -> Vec<LabelledLine> {
    let line = |label, value| LabelledLine { label, value };
    vec![
        line("Tasks", tasks(total)),
        line("First pass", first_pass(total)),
        line("Attempts", attempts(total)),
        line("Rejected", rejected(total)),
        line("Time", time(total)),
        line("Elapsed", elapsed(total)),
        line("By people", by_people(total)),
        line(
            "Used",
            if total.usage.is_known() { total.usage.to_string() } else { used_unknown(&total.usage) },
        ),
    ]
}

fn used_unknown(usage: &UsageTotal) -> String {
    if usage.steps == 0 { "nothing".to_owned() } else { "unknown: no agent reported it".to_owned() }
}

fn tasks(total: &Figures) -> String {
    let mut parts = vec![format!("{} of {} complete", total.complete, total.tasks)];
    let others = [(total.failed, "failed"), (total.skipped, "skipped")];
    parts
        .extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    parts.join(", ")
}

fn first_pass(total: &Figures) -> String {
    match percentage(total.first_pass, total.ended) {
        Some(share) => format!("{} of {} tasks that have ended ({share} %)", total.first_pass, total.ended),
        None if total.complete > 0 => {
            format!(
                "unknown: the attempts are recorded in the run, which is not here; `{FETCH_RECORDS}` fetches it"
            )
        }
        None => "no task has ended yet".to_owned(),
    }
}

/// A share in whole percent; `None` of nothing. Only all of it is 100 %.
fn percentage(part: u32, whole: u32) -> Option<u32> {
    let share = (part.saturating_mul(100).saturating_add(whole / 2)).checked_div(whole)?;
    Some(if part < whole { share.min(99) } else { share })
}

fn attempts(total: &Figures) -> String {
    let count = total.attempts;
    match total.attempts_until_complete {
        Some(average) => {
            format!(
                "{count}; a complete task needed {average:.1} on average and {} at most",
                total.most_attempts
            )
        }
        None => count.to_string(),
    }
}

fn rejected(total: &Figures) -> String {
    let by: Vec<String> = total
        .rejected
        .named()
        .iter()
        .filter(|rejected| rejected.count > 0)
        .map(|rejected| format!("{} by {}", rejected.count, noun(rejected.by)))
        .chain((total.rejected.merge > 0).then(|| format!("{} by a failed merge", total.rejected.merge)))
        .collect();
    if by.is_empty() { "none".to_owned() } else { by.join(", ") }
}

fn noun(by: &str) -> &str {
    match by {
        "tests" => "tests",
        "review" => "a review",
        "checks" => "a check",
        _ => "the agent itself",
    }
}

fn time(total: &Figures) -> String {
    let (agents, tests) = (text::duration(total.agents), text::duration(total.tests));
    format!("{} (agents {agents}, tests {tests})", text::duration(total.worked()))
}

fn elapsed(total: &Figures) -> String {
    match total.span {
        Some(span) => format!("{} from the first step to the newest", text::duration(span.duration())),
        None => "nobody has begun yet".to_owned(),
    }
}

fn by_people(total: &Figures) -> String {
    match percentage(total.person_steps, total.steps) {
        Some(share) => format!("{} of {} steps ({share} %)", total.person_steps, total.steps),
        None => "no step".to_owned(),
    }
}

fn row(group: &StatsGroup) -> Vec<String> {
    let StatsGroup { key, name, figures } = group;
    let name = name.as_ref().map(|name| format!(" {}", one_line(name))).unwrap_or_default();
    let mut row = vec![
        format!("{}{name}", one_line(key)),
        format!("{}/{}", figures.complete, figures.tasks),
        percentage(figures.first_pass, figures.ended).map_or_else(nothing, |share| format!("{share}%")),
        figures.attempts.to_string(),
    ];
    row.extend(figures.rejected.named().iter().map(|rejected| rejected.count.to_string()));
    row.push(text::duration(figures.worked()));
    row.extend([tokens(&figures.usage), cost(&figures.usage)]);
    row
}

fn nothing() -> String {
    "-".to_owned()
}

/// The tokens that were read and written, with a plus if more were used that no agent reported.
pub(crate) fn tokens(usage: &UsageTotal) -> String {
    match (usage.with_tokens, usage.steps) {
        (0, _) => nothing(),
        (known, all) => format!("{}{}", grouped(usage.known_tokens()), if known < all { "+" } else { "" }),
    }
}

/// The cost, with a plus if more was spent that no agent reported.
pub(crate) fn cost(usage: &UsageTotal) -> String {
    match usage.cost {
        None => nothing(),
        Some(cost) => format!("{}{}", cost.told(), if usage.with_cost < usage.steps { "+" } else { "" }),
    }
}

/// What the marks in the table mean.
fn note(usage: &UsageTotal) -> Option<String> {
    let is_partial = usage.with_tokens < usage.steps || usage.with_cost < usage.steps;
    is_partial.then(|| {
        "- is unknown; a number with + is what is known, and some agents did not report it.".to_owned()
    })
}
