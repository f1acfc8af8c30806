//! Numbers as reports write them: too large, negative, with a fraction, or not at all.

/// A count in text; `None` if it is none.
pub(super) fn count(text: &str) -> Option<u64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<u64>() {
        return Some(number);
    }
    // Old versions of gcov write 1e+06, and overflown counters are negative.
    text.parse::<f64>().ok().filter(|number| number.is_finite()).map(whole)
}

/// The number of a line in text; `None` if it is none.
pub(super) fn line(text: &str) -> Option<u32> {
    text.trim().parse().ok()
}

/// A float as a count; the conversion keeps to the range of counts.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn whole(number: f64) -> u64 {
    number as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_of_any_form_are_read_without_overflow() {
        for (text, expected) in [
            ("3", Some(3)),
            (" 3 ", Some(3)),
            ("-1", Some(0)),
            ("1e+06", Some(1_000_000)),
            ("18446744073709551616", Some(u64::MAX)),
            ("=====", None),
            ("", None),
            ("NaN", None),
            ("inf", None),
        ] {
            assert_eq!(count(text), expected, "{text}");
        }
    }
}
