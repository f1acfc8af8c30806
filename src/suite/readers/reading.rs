//! The result of reading one text, and strict readers for numbers with words, as in `2 failed, 1 skipped`.

use crate::suite::Counts;
use crate::suite::output::OutputLine;

/// The result of reading one text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::suite) enum Reading {
    /// Nothing that looks like a summary.
    Absent,
    /// Something looks like a summary, but it is incomplete, contradicts itself, or may be the output of a test.
    Unsure,
    /// The counts of the runs of a framework, in the order of the output.
    Sure(Vec<FrameworkRun>),
}

/// One run of a framework.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::suite) struct FrameworkRun {
    /// Its counts.
    pub(in crate::suite) counts: Counts,
    /// Where its summary is, if it is known where the lines of one run end and those of the next begin.
    pub(in crate::suite) at: Option<OutputLine>,
}

impl FrameworkRun {
    /// A run of which only the counts are known.
    pub(in crate::suite) fn of(counts: Counts) -> Self {
        Self { counts, at: None }
    }
}

impl Reading {
    /// The result of a reader that is sure of these runs.
    pub(in crate::suite) fn of(sessions: Vec<FrameworkRun>) -> Self {
        if sessions.is_empty() { Self::Absent } else { Self::Sure(sessions) }
    }

    /// The sum of all runs; `None` if it is not sure.
    pub(in crate::suite) fn counts(&self) -> Option<Counts> {
        match self {
            Self::Sure(sessions) => Some(sessions.iter().map(|session| session.counts).sum()),
            Self::Absent | Self::Unsure => None,
        }
    }
}

/// The items of `list`, each a number and what it counts; `None` if any item is something else.
pub(super) fn items<'t>(list: &'t str, separator: &str) -> Option<Vec<(u32, &'t str)>> {
    list.split(separator).map(item).collect()
}

/// One item: digits, one space, words.
pub(super) fn item(text: &str) -> Option<(u32, &str)> {
    let (count, what) = text.split_once(' ')?;
    let worded = what.starts_with(|c: char| c.is_alphabetic());
    if worded { Some((number(count)?, what)) } else { None }
}

/// A number that consists only of digits.
pub(super) fn number(text: &str) -> Option<u32> {
    if is_digits(text) { text.parse().ok() } else { None }
}

/// A duration in seconds, as in `0.012`: digits, a point, digits.
pub(super) fn is_seconds(text: &str) -> bool {
    text.split_once('.').is_some_and(|(whole, part)| [whole, part].iter().all(|digits| is_digits(digits)))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_only_if_every_item_is_a_number_and_words() {
        assert_eq!(items("2 failed, 1 not run", ", "), Some(vec![(2, "failed"), (1, "not run")]));
        for bad in
            ["", "2", "failed", "2  failed", "-1 failed", "+1 failed", "2 failed, ", "99999999999 failed"]
        {
            assert_eq!(items(bad, ", "), None, "{bad:?}");
        }
    }

    #[test]
    fn seconds_have_a_point_between_digits() {
        assert!(is_seconds("0.01") && is_seconds("12.345"));
        for bad in ["", "1", "1.", ".5", "1.2.3", "1.2s", "-1.0"] {
            assert!(!is_seconds(bad), "{bad:?}");
        }
    }
}
