//! Reads lengths of time as people write them: `90`, `30m`, `1h30m`, `2d`.

use std::time::Duration;

/// The units, largest first, and their seconds.
const UNITS: [(char, u32); 4] = [('d', 24 * 60 * 60), ('h', 60 * 60), ('m', 60), ('s', 1)];

/// The format of a length of time, in words that fit after "It must be".
pub const DURATION: &str = "a length of time, for example 90 (seconds), 30m, 1h30m or 2d";

/// Reads a length of time of at least a second: a number of seconds, or numbers with `d`, `h`, `m` and `s` after them,
/// each unit at most once and the largest first.
#[must_use]
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    if let Ok(seconds) = text.parse::<u32>() {
        return (seconds > 0).then(|| Duration::from_secs(seconds.into()));
    }
    let mut total = 0_u32;
    let mut units = UNITS.iter();
    let mut rest = text;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit())?;
        let (number, tail) = rest.split_at(digits);
        let unit = tail.chars().next()?.to_ascii_lowercase();
        let (_, seconds) = units.by_ref().find(|(known, _)| *known == unit)?;
        total = total.checked_add(number.parse::<u32>().ok()?.checked_mul(*seconds)?)?;
        rest = tail[unit.len_utf8()..].trim_start();
    }
    (total > 0).then(|| Duration::from_secs(total.into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_of_time_are_read_as_people_write_them() {
        let cases = [
            ("90", Some(90)),
            ("90s", Some(90)),
            ("30m", Some(1800)),
            ("30M", Some(1800)),
            ("2h", Some(7200)),
            ("1h30m", Some(5400)),
            ("1h 30m", Some(5400)),
            ("1d", Some(86_400)),
            (" 5 ", Some(5)),
            ("", None),
            ("0", None),
            ("0m", None),
            ("-3", None),
            ("1.5h", None),
            ("m", None),
            ("30min", None),
            ("30m1h", None),
            ("30m30m", None),
            ("5 é", None),
            ("4294967296", None),
            ("99999999d", None),
        ];
        for (text, seconds) in cases {
            assert_eq!(parse_duration(text), seconds.map(Duration::from_secs), "{text:?}");
        }
    }
}
