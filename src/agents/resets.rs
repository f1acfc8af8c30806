//! Reads the time at which a limit resets from a line, if the line is unambiguous: a number, a time of day, or "in" so long.

use std::sync::LazyLock;

use chrono::{
    DateTime, Datelike, Days, FixedOffset, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc,
};
use regex_lite::Regex;

use super::zone;

/// The words before a time.
const BEFORE: &str = "(?i)(?:resets? (?:in|after|at)|resets|try again (?:in|at)|retry (?:in|after)) ";
/// The words before the time for which a program says that it waits.
const WAITS: &str = "(?i)(?:retrying (?:after|in)|retry in|waiting(?: for)?) ";
/// The longest limit. A time that is farther away was misread, or is wrong.
const LONGEST: TimeDelta = TimeDelta::days(40);
/// How long ago the reset may be: a limit may reset while the agent is ending.
const A_MOMENT: TimeDelta = TimeDelta::minutes(1);
/// If a time of day passed less than this ago, it may mean today or tomorrow.
const JUST_PASSED: TimeDelta = TimeDelta::minutes(10);

/// The clock of this machine, which agents use for times of day.
pub(super) struct Clock<'a> {
    pub(super) now: DateTime<Utc>,
    /// The same in the zone of the machine.
    pub(super) local: NaiveDateTime,
    /// When it is this time in the zone of the machine. When clocks are set back, a time occurs twice: the later one is safe.
    pub(super) to_utc: &'a dyn Fn(NaiveDateTime) -> Option<DateTime<Utc>>,
    /// Whether that zone has this name.
    pub(super) is_zone: &'a dyn Fn(&str) -> bool,
}

impl Clock<'_> {
    /// Whether a limit that holds now may reset at this time. A time that has passed, or is very far away, says nothing.
    pub(super) fn is_likely(&self, at: DateTime<Utc>) -> bool {
        at > self.now - A_MOMENT && at - self.now <= LONGEST
    }
}

/// The latest time at which the limit in this line has reset. Agents round down to the unit that they print, which may
/// be a minute. A time of day without a zone is in the zone of this machine.
pub(super) fn resets(line: &str, clock: &Clock<'_>) -> Option<DateTime<Utc>> {
    epoch(line)
        .or_else(|| {
            after(line, BEFORE).find_map(|rest| match duration(rest) {
                Some(wait) => clock.now.checked_add_signed(wait),
                None => time_of_day(rest, clock),
            })
        })
        .filter(|at| clock.is_likely(*at))
}

/// How long a program that prints this line is going to wait, if it says so.
pub(super) fn wait(line: &str) -> Option<std::time::Duration> {
    after(line, WAITS).find_map(duration)?.to_std().ok()
}

/// What follows words that fit a pattern in a line, the last of them first.
fn after<'l>(line: &'l str, pattern: &str) -> impl Iterator<Item = &'l str> {
    let pattern = Regex::new(pattern).expect("the pattern is valid");
    let ends: Vec<usize> = pattern.find_iter(line).map(|found| found.end()).collect();
    ends.into_iter().rev().map(|end| &line[end..])
}

/// `...|1749924000`
fn epoch(line: &str) -> Option<DateTime<Utc>> {
    let (_, digits) = line.rsplit_once('|')?;
    let seconds: i64 = digits.parse().ok().filter(|_| digits.len() == 10)?;
    DateTime::from_timestamp(seconds + 1, 0)
}

/// A number and its unit in a duration.
static PART: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^[ ,]*(?:and )?(\d[\d.]*) *([A-Za-z]+)").expect("the pattern is valid"));

/// `5 days 22 hours 11 minutes.`, `1h49m8s`, `2.325s`. One of the smallest unit, but at most a minute, is added.
fn duration(text: &str) -> Option<TimeDelta> {
    let mut rest = text.trim_start();
    let (mut millis, mut smallest) = (0.0, None);
    while let Some(part) = PART.captures(rest) {
        let unit = match &part[2] {
            "ms" => 1.0,
            "s" | "sec" | "secs" | "second" | "seconds" => 1e3,
            "m" | "min" | "mins" | "minute" | "minutes" => 6e4,
            "h" | "hr" | "hrs" | "hour" | "hours" => 36e5,
            "d" | "day" | "days" => 864e5,
            _ => return None,
        };
        millis += part[1].parse::<f64>().ok()? * unit;
        smallest = Some(unit);
        rest = &rest[part[0].len()..];
    }
    let ends = rest.is_empty() || rest.starts_with(['.', ',', ')', '\'', '"', ']']);
    let smallest: f64 = if ends { smallest? } else { return None };
    // An absurd number becomes the largest one, and is then refused as too far away.
    #[expect(clippy::cast_possible_truncation, reason = "this is intended for absurd numbers")]
    TimeDelta::try_milliseconds((millis + smallest.clamp(1e3, 6e4)).ceil() as i64)
}

/// When it is `3pm (Europe/Berlin)`, `Aug 29 at 11am (UTC)`, `Jul 5th, 2026 8:19 PM.`, `15:00 UTC` or `2026-08-29T11:00:00Z`
/// next; `None` in a zone whose clock is not known.
fn time_of_day(text: &str, clock: &Clock<'_>) -> Option<DateTime<Utc>> {
    let text = text.split(" ·").next()?.trim_end_matches(['.', ' ']);
    if let Ok(time) = DateTime::parse_from_rfc3339(text.split(' ').next()?) {
        return Some(time.to_utc());
    }
    let (time, zone) = match text.split_once('(') {
        Some((time, rest)) => (time, Some(rest.split_once(')')?.0)),
        None => match text.rsplit_once(' ').filter(|(_, word)| zone::fixed(word).is_some()) {
            Some((time, zone)) => (time, Some(zone)),
            None => (text, None),
        },
    };
    let fixed = match zone {
        Some(name) if !(clock.is_zone)(name) => Some(zone::fixed(name)?),
        _ => None,
    };
    let words = time.split([' ', ',']).filter(|word| !word.is_empty() && *word != "at");
    let mut words: Vec<String> = words.map(str::to_ascii_uppercase).collect();
    let half = words.pop_if(|word| word == "AM" || word == "PM").unwrap_or_default();
    let mut hour = words.pop()? + &half;
    if let Some(at) = hour.find(['A', 'P']).filter(|_| !hour.contains(':')) {
        hour.insert_str(at, ":00");
    }
    let formats: &[&str] = if zone.is_some() { &["%I:%M%p", "%H:%M"] } else { &["%I:%M%p"] };
    let time = formats.iter().find_map(|format| NaiveTime::parse_from_str(&hour, format).ok())?;
    let today = fixed.map_or(clock.local, |zone| clock.now.with_timezone(&zone).naive_local()).date();
    let at = |day: NaiveDate| Some(in_zone(day.and_time(time), fixed, clock)? + TimeDelta::minutes(1));
    let date = |month: &str, day: &str, year: i32| {
        let day = day.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        at(NaiveDate::parse_from_str(&format!("{month} {day} {year}"), "%B %d %Y").ok()?)
    };
    match words.as_slice() {
        [month, day, year] => date(month, day, year.parse().ok()?),
        [month, day] => {
            let of = |year| date(month, day, year);
            of(today.year()).filter(|at| *at > clock.now).or_else(|| of(today.year() + 1))
        }
        [] => match at(today)? {
            later if later > clock.now => Some(later),
            passed if clock.now - passed < JUST_PASSED => None,
            _ => at(today.checked_add_days(Days::new(1))?),
        },
        _ => None,
    }
}

fn in_zone(time: NaiveDateTime, fixed: Option<FixedOffset>, clock: &Clock<'_>) -> Option<DateTime<Utc>> {
    match fixed {
        Some(zone) => Some(zone.from_local_datetime(&time).single()?.to_utc()),
        None => (clock.to_utc)(time),
    }
}

#[cfg(test)]
pub(super) mod tests;
