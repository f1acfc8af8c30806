//! Reads the time at which a limit resets from a line, if the line is unambiguous.

use chrono::{DateTime, Datelike, Days, FixedOffset, NaiveDate, NaiveTime, TimeDelta, TimeZone, Utc};

use super::zone;

/// The words before a time.
const BEFORE: &[&str] = &[
    "resets in ",
    "reset in ",
    "resets after ",
    "reset after ",
    "resets at ",
    "reset at ",
    "try again in ",
    "try again at ",
    "retry in ",
    "retry after ",
    "resets ",
];
/// The words before the time for which a program says that it waits.
const WAITS: &[&str] = &["retrying after ", "retrying in ", "retry in ", "waiting for ", "waiting "];
/// The longest limit. A time that is farther away was misread, or is wrong.
const LONGEST: TimeDelta = TimeDelta::days(40);
/// How long ago the reset may be: a limit may reset while the agent is ending.
const A_MOMENT: TimeDelta = TimeDelta::minutes(1);
/// If a time of day passed less than this ago, it may mean today or tomorrow.
const JUST_PASSED: TimeDelta = TimeDelta::minutes(10);

/// The clock of this machine, which agents use for times of day.
pub(in crate::agents) struct LocalClock<'a, Z: TimeZone> {
    /// The time, in the zone of the machine.
    pub(in crate::agents) now: &'a DateTime<Z>,
    /// Whether that zone has this name.
    pub(in crate::agents) is_zone: &'a dyn Fn(&str) -> bool,
}

/// The latest time at which the limit in this line has reset. Agents round down to the unit that they print, which may
/// be a minute. A time of day without a zone is in the zone of this machine.
pub(super) fn resets<Z: TimeZone>(line: &str, local: &LocalClock<'_, Z>) -> Option<DateTime<Utc>> {
    let now = local.now.to_utc();
    epoch(line).or_else(|| in_words(line, local)).filter(|at| is_likely(*at, now))
}

/// How long a program that prints this line is going to wait, if it says so.
pub(super) fn wait(line: &str) -> Option<std::time::Duration> {
    let lower = line.to_ascii_lowercase();
    let told = |before: &&str| lower.rfind(*before).map(|at| &line[at + before.len()..]);
    WAITS.iter().filter_map(told).find_map(duration)?.to_std().ok()
}

/// Whether a limit that holds now may reset at this time. A time that has passed, or is very far away, says nothing.
pub(super) fn is_likely(at: DateTime<Utc>, now: DateTime<Utc>) -> bool {
    at > now - A_MOMENT && at - now <= LONGEST
}

/// `...|1749924000`
fn epoch(line: &str) -> Option<DateTime<Utc>> {
    let (_, digits) = line.rsplit_once('|')?;
    let is_epoch = digits.len() == 10 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let seconds: i64 = if is_epoch { digits.parse().ok()? } else { return None };
    DateTime::from_timestamp(seconds + 1, 0)
}

fn in_words<Z: TimeZone>(line: &str, local: &LocalClock<'_, Z>) -> Option<DateTime<Utc>> {
    let lower = line.to_ascii_lowercase();
    let told = |before: &&str| lower.rfind(*before).map(|at| &line[at + before.len()..]);
    BEFORE.iter().filter_map(told).find_map(|rest| match duration(rest) {
        Some(wait) => local.now.to_utc().checked_add_signed(wait),
        None => TimeOfDay::read(rest, local.is_zone).and_then(|clock| clock.next(local.now)),
    })
}

/// `5 days 22 hours 11 minutes.`, `1h49m8s`, `2.325s`. One of the smallest unit, but at most a minute, is added.
fn duration(text: &str) -> Option<TimeDelta> {
    let mut rest = text.trim_start();
    let mut millis = 0.0;
    let mut smallest = None;
    loop {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.').len();
        let (number, behind) = rest.split_at(digits);
        let Ok(number) = number.parse::<f64>() else { break };
        let behind = behind.trim_start();
        let letters = behind.len() - behind.trim_start_matches(|c: char| c.is_ascii_alphabetic()).len();
        let unit = unit(&behind[..letters])?;
        millis += number * unit;
        smallest = Some(unit);
        rest = &behind[letters..];
        let next = rest.trim_start_matches([' ', ',']);
        let next = next.strip_prefix("and ").unwrap_or(next);
        if !next.starts_with(|c: char| c.is_ascii_digit()) {
            break;
        }
        rest = next;
    }
    let ends = rest.is_empty() || rest.starts_with(['.', ',', ')', '\'', '"', ']']);
    let smallest: f64 = if ends { smallest? } else { return None };
    // An absurd number becomes the largest one, and is then refused as too far away.
    #[expect(clippy::cast_possible_truncation, reason = "this is intended for absurd numbers")]
    TimeDelta::try_milliseconds((millis + smallest.clamp(1e3, 6e4)).ceil() as i64)
}

/// The length of a unit in milliseconds.
fn unit(word: &str) -> Option<f64> {
    Some(match word {
        "ms" => 1.0,
        "s" | "sec" | "secs" | "second" | "seconds" => 1e3,
        "m" | "min" | "mins" | "minute" | "minutes" => 6e4,
        "h" | "hr" | "hrs" | "hour" | "hours" => 36e5,
        "d" | "day" | "days" => 864e5,
        _ => return None,
    })
}

/// The zone of a time of day.
enum Zone {
    Local,
    Fixed(FixedOffset),
}

/// A time of day, to the minute, with the given part of a date.
struct TimeOfDay {
    day: Option<(Option<i32>, u32, u32)>,
    time: NaiveTime,
    zone: Zone,
}

impl TimeOfDay {
    /// `3pm (Europe/Berlin)`, `Aug 29 at 11am (UTC)`, `Jul 5th, 2026 8:19 PM.`; `None` in a zone whose clock is not known.
    fn read(text: &str, is_local: &dyn Fn(&str) -> bool) -> Option<Self> {
        let mut words = text.split([' ', ',']).filter(|word| !word.is_empty()).peekable();
        let mut day = None;
        if let Some(month) = words.peek().copied().and_then(month) {
            words.next();
            let number = words.next()?.trim_end_matches(|c: char| c.is_ascii_alphabetic()).parse().ok()?;
            let year =
                words.next_if(|word| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit()));
            day = Some((year.and_then(|year| year.parse().ok()), month, number));
            words.next_if_eq(&"at");
        }
        let mut word = words.next()?.to_ascii_lowercase();
        if !word.contains('m') {
            word.push_str(&words.next()?.to_ascii_lowercase());
        }
        let ends = word.ends_with('.');
        let time = time_of_day(word.trim_end_matches('.'))?;
        let zone = match words.next() {
            None => Zone::Local,
            Some(_) if ends => Zone::Local,
            Some(word) => match word.strip_prefix('(')?.split_once(')')?.0 {
                name if is_local(name) => Zone::Local,
                name => Zone::Fixed(zone::fixed(name)?),
            },
        };
        Some(Self { day, time, zone })
    }

    fn next<Z: TimeZone>(&self, now: &DateTime<Z>) -> Option<DateTime<Utc>> {
        match self.zone {
            Zone::Fixed(zone) => self.next_in(&now.with_timezone(&zone)),
            Zone::Local => self.next_in(now),
        }
    }

    fn next_in<Z: TimeZone>(&self, now: &DateTime<Z>) -> Option<DateTime<Utc>> {
        // When clocks are set back, a time occurs twice. The later one is safe.
        let at = |day: NaiveDate| {
            let time = now.timezone().from_local_datetime(&day.and_time(self.time)).latest()?;
            Some(time.to_utc() + TimeDelta::minutes(1))
        };
        let today = now.date_naive();
        match self.day {
            Some((Some(year), month, day)) => at(NaiveDate::from_ymd_opt(year, month, day)?),
            Some((None, month, day)) => {
                let of = |year| at(NaiveDate::from_ymd_opt(year, month, day)?);
                of(today.year()).filter(|at| *at > *now).or_else(|| of(today.year() + 1))
            }
            None => match at(today)? {
                later if later > *now => Some(later),
                passed if now.to_utc() - passed < JUST_PASSED => None,
                _ => at(today.checked_add_days(Days::new(1))?),
            },
        }
    }
}

fn month(word: &str) -> Option<u32> {
    const MONTHS: &str = "janfebmaraprmayjunjulaugsepoctnovdec";
    let start = word.get(..3)?.to_ascii_lowercase();
    let at = MONTHS.find(&start).filter(|at| at % 3 == 0)?;
    u32::try_from(at / 3 + 1).ok()
}

/// `3pm`, `10:30am`
fn time_of_day(word: &str) -> Option<NaiveTime> {
    let (clock, half) = match (word.strip_suffix("am"), word.strip_suffix("pm")) {
        (Some(clock), _) => (clock, 0),
        (_, Some(clock)) => (clock, 12),
        _ => return None,
    };
    let (hour, minute) = clock.split_once(':').unwrap_or((clock, "0"));
    let hour: u32 = hour.parse().ok().filter(|hour| (1..=12).contains(hour))?;
    NaiveTime::from_hms_opt(hour % 12 + half, minute.parse().ok()?, 0)
}

#[cfg(test)]
pub(super) mod tests;
