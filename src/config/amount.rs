//! Reads amounts as people write them: lengths of time (`90`, `30m`, `1h30m`), money (`0.50`) and tokens (`500k`, `2M`).

use std::time::Duration;

use crate::record::Cost;

/// The format of an amount of money, in words that fit after "It must be".
pub const DOLLARS: &str = "an amount in US dollars above 0, for example 5 or 0.50";

/// The format of a number of tokens, in words that fit after "It must be".
pub const TOKENS: &str = "a number of tokens above 0, for example 20000, 500k or 1.5M";

/// Reads an amount of money above 0.
#[must_use]
pub fn parse_dollars(text: &str) -> Option<Cost> {
    Cost::parse(text.trim()).filter(|cost| *cost > Cost::default())
}

/// Reads a number of tokens above 0: a whole number, or a decimal number of thousands (`k`) or millions (`M`).
#[must_use]
pub fn parse_tokens(text: &str) -> Option<u64> {
    let text = text.trim();
    let (number, places) = match text.strip_suffix(['k', 'K']) {
        Some(number) => (number, 3),
        None => text.strip_suffix(['m', 'M']).map_or((text, 0), |number| (number, 6)),
    };
    let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
    let is_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let is_number = !whole.is_empty() && is_digits(whole) && is_digits(decimals) && !number.ends_with('.');
    if !is_number || decimals.len() > places {
        return None;
    }
    let tokens: u64 = format!("{whole}{decimals:0<places$}").parse().ok()?;
    (tokens > 0).then_some(tokens)
}

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
    fn tokens_are_read_as_people_write_them() {
        let cases = [
            ("20000", Some(20_000)),
            ("500k", Some(500_000)),
            ("500K", Some(500_000)),
            (" 2M ", Some(2_000_000)),
            ("1.5M", Some(1_500_000)),
            ("0.25k", Some(250)),
            ("", None),
            ("0", None),
            ("0k", None),
            ("k", None),
            ("1.5", None),
            ("1.2345k", None),
            ("1.M", None),
            ("-1", None),
            ("1 000", None),
            ("5G", None),
            ("99999999999999999999", None),
        ];
        for (text, tokens) in cases {
            assert_eq!(parse_tokens(text), tokens, "{text:?}");
        }
    }

    #[test]
    fn money_is_a_decimal_number_above_zero() {
        assert_eq!(parse_dollars(" 0.50 "), Cost::from_dollars(0.5));
        for bad in ["", "0", "0.00", "-1", "$5", "5 EUR", "1e3"] {
            assert_eq!(parse_dollars(bad), None, "{bad:?}");
        }
    }

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
