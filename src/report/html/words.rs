//! Words and signs that all parts of the page share.

use chrono::DateTime;
use maud::{Markup, html};

use crate::report::document::Moment;
use crate::report::mark::TaskMark;
use crate::report::screen::Symbols;

/// The colour of a mark, as a class.
pub(super) fn tone_of(mark: TaskMark) -> &'static str {
    match mark {
        TaskMark::Complete => "good",
        TaskMark::Failed => "bad",
        TaskMark::Skipped | TaskMark::Pending => "quiet",
        TaskMark::Active => "warn",
    }
}

/// The symbol of a mark.
pub(super) fn symbol(mark: TaskMark) -> &'static str {
    mark.symbol(Symbols::Unicode)
}

/// The group of a mark, in which it is drawn.
pub(super) fn group_of(mark: TaskMark) -> &'static str {
    if mark == TaskMark::Active { "active" } else { mark.word() }
}

/// The sign of a mark in its colour. It is said in words besides.
pub(super) fn sign(mark: TaskMark) -> Markup {
    html! { span class=(format!("sign {}", tone_of(mark))) aria-hidden="true" { (symbol(mark)) } }
}

/// A moment, such as `22 Nov 2026, 14:05`.
pub(super) fn moment(moment: Moment) -> String {
    let time = DateTime::from_timestamp(moment.0, 0);
    time.map_or_else(|| "at an unknown time".to_owned(), |time| time.format("%-d %b %Y, %H:%M").to_string())
}

/// The time of a day, and the day if it is another one than before.
pub(super) fn clock(seconds: i64, before: Option<i64>) -> String {
    let time = |seconds: i64| DateTime::from_timestamp(seconds, 0);
    let Some(now) = time(seconds) else { return String::new() };
    let is_same_day = before.and_then(time).is_some_and(|before| before.date_naive() == now.date_naive());
    now.format(if is_same_day { "%H:%M" } else { "%-d %b %H:%M" }).to_string()
}
