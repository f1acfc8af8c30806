//! Words and signs that all parts of the page share.

use std::time::Duration;

use chrono::{DateTime, Datelike, Timelike};
use maud::{Markup, html};

use crate::report::run_report::Moment;

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

/// The sign of a state.
pub(super) fn sign_of(state: &str) -> &'static str {
    match state {
        "complete" => "✓",
        "failed" => "✗",
        "skipped" => "–",
        "pending" => "·",
        _ => "●",
    }
}

/// The sign of a state in its colour. It is said in words besides.
pub(super) fn sign(state: &str) -> Markup {
    html! { span class=(format!("sign {}", tone_of(state))) aria-hidden="true" { (sign_of(state)) } }
}

/// A moment, such as `22 Nov 2026, 14:05`.
pub(super) fn moment(moment: Moment) -> String {
    match DateTime::from_timestamp(moment.0, 0) {
        Some(time) => format!(
            "{} {} {}, {:02}:{:02}",
            time.day(),
            month(time.month0()),
            time.year(),
            time.hour(),
            time.minute()
        ),
        None => "at an unknown time".to_owned(),
    }
}

fn month(month: u32) -> &'static str {
    const NAMES: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    usize::try_from(month).ok().and_then(|place| NAMES.get(place)).copied().unwrap_or_default()
}

/// The time of a day, and the day if it is another one than before.
pub(super) fn clock(seconds: i64, before: Option<i64>) -> String {
    let Some(time) = DateTime::from_timestamp(seconds, 0) else { return String::new() };
    let day = |seconds: i64| DateTime::from_timestamp(seconds, 0).map(|time| time.date_naive());
    let clock = format!("{:02}:{:02}", time.hour(), time.minute());
    match before {
        Some(before) if day(before) == day(seconds) => clock,
        _ => format!("{} {} {clock}", time.day(), month(time.month0())),
    }
}

/// A length of time.
pub(super) fn took(duration: Duration) -> String {
    crate::text::duration(duration)
}

/// A number with its noun.
pub(super) fn counted(number: usize, one: &str, several: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {several}") }
}
