//! Reads moments as people write them: a time of day, or a date with a time.

use chrono::{DateTime, Days, Local, LocalResult, NaiveDateTime, NaiveTime, TimeZone};

/// The forms of a moment, in words that fit after "it must be".
const MOMENT: &str = "a time of day such as 06:30, or a date and a time such as 2031-05-17 06:30";

/// The next moment that a text names, in local time: a time of day is the next such time.
///
/// # Errors
/// What is wrong, as a clause.
pub(crate) fn next_moment(text: &str) -> Result<DateTime<Local>, String> {
    let now = Local::now();
    let moment = read(text.trim(), &now).ok_or_else(|| format!("it must be {MOMENT}"))?;
    if moment <= now { Err("that moment has passed".to_owned()) } else { Ok(moment) }
}

/// The moment that a text names. It may be in the past only if the text names a date.
fn read<Z: TimeZone>(text: &str, now: &DateTime<Z>) -> Option<DateTime<Z>> {
    if let Ok(moment) = DateTime::parse_from_rfc3339(text) {
        return Some(moment.with_timezone(&now.timezone()));
    }
    let time = ["%H:%M", "%H:%M:%S"].iter().find_map(|form| NaiveTime::parse_from_str(text, form).ok());
    if let Some(time) = time {
        let today = now.date_naive();
        let days = (0..3).filter_map(|days| today.checked_add_days(Days::new(days)));
        return days.filter_map(|day| in_zone(day.and_time(time), now)).find(|moment| moment > now);
    }
    let forms = ["%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S"];
    in_zone(forms.iter().find_map(|form| NaiveDateTime::parse_from_str(text, form).ok())?, now)
}

/// A moment in the zone of `now`. If the clock shows it twice, the first; if the clock skips it, there is none.
fn in_zone<Z: TimeZone>(naive: NaiveDateTime, now: &DateTime<Z>) -> Option<DateTime<Z>> {
    match now.timezone().from_local_datetime(&naive) {
        LocalResult::Single(moment) | LocalResult::Ambiguous(moment, _) => Some(moment),
        LocalResult::None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::FixedOffset;

    #[test]
    fn a_time_of_day_is_the_next_such_time_and_a_date_is_exact() {
        let now = DateTime::parse_from_rfc3339("2031-05-17T12:00:00+02:00").unwrap();
        let cases = [
            ("12:01", Some("2031-05-17T12:01:00+02:00")),
            ("12:00", Some("2031-05-18T12:00:00+02:00")),
            ("6:30", Some("2031-05-18T06:30:00+02:00")),
            ("23:59:59", Some("2031-05-17T23:59:59+02:00")),
            ("2031-05-20 06:30", Some("2031-05-20T06:30:00+02:00")),
            ("2031-05-20T06:30:15", Some("2031-05-20T06:30:15+02:00")),
            ("2031-05-20T06:30:00Z", Some("2031-05-20T08:30:00+02:00")),
            ("2001-01-01 00:00", Some("2001-01-01T00:00:00+02:00")),
            ("24:00", None),
            ("6", None),
            ("tomorrow", None),
            ("", None),
            ("2031-02-30 06:30", None),
        ];
        for (text, expected) in cases {
            let read: Option<DateTime<FixedOffset>> = read(text, &now);
            assert_eq!(read.map(|moment| moment.to_rfc3339()).as_deref(), expected, "{text:?}");
        }
        assert_eq!(next_moment("2001-01-01 00:00"), Err("that moment has passed".to_owned()));
    }
}
