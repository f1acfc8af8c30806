//! What all readers need: numbers as reports write them, a bound on what a report may make us remember, and the reason why one
//! could not be read.

use std::fmt;

/// How many lines of code a report may name, over all files. Very few programs have so many, and a report of a few bytes
/// can claim to cover four billion.
const MOST_LINES: u64 = 5_000_000;

/// How many lines a report may still name.
pub(super) struct LineBudget(u64);

impl Default for LineBudget {
    fn default() -> Self {
        Self(MOST_LINES)
    }
}

impl LineBudget {
    /// Takes this many lines from the budget.
    pub(super) fn take(&mut self, lines: u64) -> Result<(), ReadError> {
        self.0 = self
            .0
            .checked_sub(lines)
            .ok_or_else(|| ReadError::new("names more than 5,000,000 lines of code"))?;
        Ok(())
    }
}

/// Why a coverage report could not be read, as the end of a sentence that begins with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError(String);

impl ReadError {
    /// The report is not of the format that was expected, for this reason.
    pub(super) fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for ReadError {}

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
