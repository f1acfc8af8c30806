//! Tests which times in the output of agents are read, and which are not.

use chrono::LocalResult;

use super::*;
use crate::agents::errors::spelled;

/// The time zone of Berlin in 2026, with summer time from 29 March to 25 October.
#[derive(Clone, Copy, Debug)]
pub(in crate::agents) struct Berlin;

impl Berlin {
    fn offset(time: NaiveDateTime) -> FixedOffset {
        let change =
            |month, day| NaiveDate::from_ymd_opt(2026, month, day).unwrap().and_hms_opt(1, 0, 0).unwrap();
        let is_summer = (change(3, 29)..change(10, 25)).contains(&time);
        FixedOffset::east_opt(if is_summer { 7200 } else { 3600 }).unwrap()
    }
}

impl TimeZone for Berlin {
    type Offset = FixedOffset;

    fn from_offset(_: &FixedOffset) -> Self {
        Self
    }

    fn offset_from_local_date(&self, date: &NaiveDate) -> LocalResult<FixedOffset> {
        self.offset_from_local_datetime(&date.and_hms_opt(12, 0, 0).unwrap())
    }

    fn offset_from_local_datetime(&self, local: &NaiveDateTime) -> LocalResult<FixedOffset> {
        let matches_pattern = |hours: i32| {
            let offset = FixedOffset::east_opt(hours * 3600).unwrap();
            Some(offset).filter(|offset| Self::offset(*local - *offset) == *offset)
        };
        match (matches_pattern(2), matches_pattern(1)) {
            (Some(early), Some(late)) => LocalResult::Ambiguous(early, late),
            (Some(one), None) | (None, Some(one)) => LocalResult::Single(one),
            (None, None) => LocalResult::None,
        }
    }

    fn offset_from_utc_date(&self, date: &NaiveDate) -> FixedOffset {
        Self::offset(date.and_hms_opt(12, 0, 0).unwrap())
    }

    fn offset_from_utc_datetime(&self, time: &NaiveDateTime) -> FixedOffset {
        Self::offset(*time)
    }
}

/// Half past one in the afternoon of a Saturday in Berlin.
pub(in crate::agents) fn now() -> DateTime<Berlin> {
    Berlin.with_ymd_and_hms(2026, 11, 21, 13, 30, 0).unwrap()
}

/// When the limit of a line resets, as read on a machine in Berlin.
fn resets<Z: TimeZone>(line: &str, now: &DateTime<Z>) -> Option<DateTime<Utc>> {
    clock_of(now, |clock| super::resets(line, clock))
}

/// What this makes of the clock of a machine in Berlin.
pub(in crate::agents) fn clock_of<Z: TimeZone, T>(
    now: &DateTime<Z>,
    read: impl FnOnce(&Clock<'_>) -> T,
) -> T {
    read(&Clock {
        now: now.to_utc(),
        local: now.naive_local(),
        to_utc: &|time| Some(now.timezone().from_local_datetime(&time).latest()?.to_utc()),
        is_zone: &|name| name == "Europe/Berlin",
    })
}

#[test]
fn only_unambiguous_times_are_read() {
    let cases = [
        ("resets 3pm", Some("2026-11-21T14:01:00Z")),
        ("resets 3 PM.", Some("2026-11-21T14:01:00Z")),
        ("resets 3:05\u{202f}PM", Some("2026-11-21T14:06:00Z")),
        ("resets 12am", Some("2026-11-21T23:01:00Z")),
        ("resets 12pm", Some("2026-11-22T11:01:00Z")),
        ("resets 1pm (UTC)", Some("2026-11-21T13:01:00Z")),
        ("resets Nov 22, 9am (UTC+01:00)", Some("2026-11-22T08:01:00Z")),
        ("resets Nov 22, 9am (Europe/Berlin)", Some("2026-11-22T08:01:00Z")),
        ("resets November 22 at 9am", Some("2026-11-22T08:01:00Z")),
        ("Try again at Dec 1st, 2026 8:19 PM.", Some("2026-12-01T19:20:00Z")),
        ("try again in 2h 5m", Some("2026-11-21T14:36:00Z")),
        ("try again in 5 hours.", Some("2026-11-21T17:31:00Z")),
        ("try again in 1 hour, 2 minutes and 3 seconds.", Some("2026-11-21T13:32:04Z")),
        ("Please try again in 2.325s.", Some("2026-11-21T12:30:03.325Z")),
        ("retry in 500ms", Some("2026-11-21T12:30:01.500Z")),
        ("x|1795276800", Some("2026-11-21T16:00:01Z")),
        ("resets 15:00 UTC", Some("2026-11-21T15:01:00Z")),
        ("resets at 16:30 (Europe/Berlin)", Some("2026-11-21T15:31:00Z")),
        ("try again at 2026-11-21T15:13:03Z", Some("2026-11-21T15:13:03Z")),
        ("resets 3pm (Europe/Berlin) · /upgrade for more", Some("2026-11-21T14:01:00Z")),
        ("resets 1:25pm", None),
        ("resets Thursday", None),
        ("resets 3pm tomorrow", None),
        ("resets 15:00", None),
        ("resets 13pm", None),
        ("resets Nov 22, 9am (Europe/Stockholm)", None),
        ("resets 3pm (Nowhere/Land)", None),
        ("resets Feb 30 at 9am", None),
        ("resets Jun 1 at 9am", None),
        ("resets in a while", None),
        ("resets in 99999999999999999999 days", None),
        ("try again in 5 apples", None),
        ("try again later", None),
        ("reset at 2026-11-21 15:13:03", None),
        ("x|1795264198", Some("2026-11-21T12:29:59Z")),
        ("x|1749924000", None),
        ("x|17952768000", None),
        ("limit|", None),
    ];
    for (text, expected) in cases {
        let line = spelled(text);
        let expected: Option<DateTime<Utc>> = expected.map(|text| text.parse().unwrap());
        assert_eq!(resets(&line, &now()), expected, "{text}");
    }
}

#[test]
fn times_after_new_year_and_when_clocks_change_are_read() {
    let eve = Berlin.with_ymd_and_hms(2026, 12, 31, 23, 0, 0).unwrap();
    assert_eq!(resets("resets Jan 2 at 9am", &eve).unwrap().to_string(), "2027-01-02 08:01:00 UTC");
    let autumn = Berlin.with_ymd_and_hms(2026, 10, 24, 23, 0, 0).unwrap();
    assert_eq!(resets("resets 2:30am", &autumn).unwrap().to_string(), "2026-10-25 01:31:00 UTC");
    let spring = Berlin.with_ymd_and_hms(2026, 3, 28, 23, 0, 0).unwrap();
    assert_eq!(resets("resets 2:30am", &spring), None, "there is no such time");
    let fixed = FixedOffset::east_opt(0).unwrap().with_ymd_and_hms(2026, 11, 21, 23, 0, 0).unwrap();
    assert_eq!(resets("resets 1am", &fixed).unwrap().to_string(), "2026-11-22 01:01:00 UTC");
}
