//! Words and signs that all parts of the page share.

use chrono::DateTime;
use maud::{Markup, html};

use crate::report::run_report::{Moment, sign_of};

/// The colour of a state, as a class.
pub(super) fn tone_of(state: &str) -> &'static str {
    match state {
        "complete" => "good",
        "failed" => "bad",
        "skipped" | "pending" => "quiet",
        _ => "warn",
    }
}

/// The group of a state, in which it is drawn.
pub(super) fn group_of(state: &str) -> &'static str {
    match state {
        "complete" => "complete",
        "failed" => "failed",
        "skipped" => "skipped",
        "pending" => "pending",
        _ => "active",
    }
}

/// The sign of a state in its colour. It is said in words besides.
pub(super) fn sign(state: &str) -> Markup {
    html! { span class=(format!("sign {}", tone_of(state))) aria-hidden="true" { (sign_of(state)) } }
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
