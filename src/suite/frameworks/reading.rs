//! What the readers of all frameworks have in common: numbers with words, as in `2 failed, 1 skipped`, and runs that follow
//! one another.

use crate::suite::Counts;
use crate::suite::output::{OutputLine, Text};

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
    pub(in crate::suite) counts: Counts,
    /// Where its summary is, if it is known where the lines of one run end and those of the next begin.
    pub(in crate::suite) at: Option<OutputLine>,
}

impl Reading {
    pub(in crate::suite) fn of(runs: Vec<FrameworkRun>) -> Self {
        if runs.is_empty() { Self::Absent } else { Self::Sure(runs) }
    }

    /// The sum of all runs; `None` if it is not sure.
    pub(in crate::suite) fn counts(&self) -> Option<Counts> {
        match self {
            Self::Sure(runs) => Some(runs.iter().map(|run| run.counts).sum()),
            Self::Absent | Self::Unsure => None,
        }
    }
}

/// The number of tests according to a heading or a summary, if it contains one.
pub(super) type Total = Option<u32>;

/// What a line is to the reader of a framework.
pub(super) enum Mark {
    Nothing,
    Heading(Total),
    /// The summary of the run that the last heading began.
    Summary(Total, Counts),
    /// The summary of a run without a heading.
    Run(Counts),
    /// Something similar to a summary.
    Broken,
}

/// The runs in one output. If a test prints a summary itself, or runs the framework, the order of headings and summaries is
/// broken, and nothing is certain.
#[derive(Default)]
pub(super) struct Sessions {
    ended: Vec<FrameworkRun>,
    state: SessionState,
}

#[derive(Default, PartialEq, Eq)]
enum SessionState {
    #[default]
    Between,
    Open {
        planned: Total,
    },
    OutOfOrder,
}

impl Sessions {
    /// Reads a text. `mark` is asked about each line, with all that follow it, and is told whether a heading waits for its
    /// summary.
    pub(super) fn of<'t>(text: &'t Text, mut mark: impl FnMut(&[&'t str], bool) -> Mark) -> Self {
        let lines: Vec<&str> = text.lines().collect();
        let mut sessions = Self::default();
        for at in 0..lines.len() {
            let mark = mark(&lines[at..], sessions.is_open());
            sessions.add(mark, Some(text.place(at)));
        }
        sessions
    }

    pub(super) fn add(&mut self, mark: Mark, at: Option<OutputLine>) {
        let (is_in_order, next) = match (mark, &self.state) {
            (Mark::Nothing, _) => return,
            (Mark::Run(counts), _) => return self.ended.push(FrameworkRun { counts, at }),
            (Mark::Heading(planned), state) => {
                (*state == SessionState::Between, SessionState::Open { planned })
            }
            (Mark::Summary(total, counts), state) => {
                self.ended.push(FrameworkRun { counts, at });
                let fits = match state {
                    SessionState::Open { planned } => *planned == total,
                    // The heading may be cut off, as by `| tail`.
                    SessionState::Between => self.ended.len() == 1,
                    SessionState::OutOfOrder => false,
                };
                (fits, SessionState::Between)
            }
            (Mark::Broken, _) => (false, SessionState::OutOfOrder),
        };
        self.state = if is_in_order { next } else { SessionState::OutOfOrder };
    }

    /// Whether a heading waits for its summary.
    pub(super) fn is_open(&self) -> bool {
        matches!(self.state, SessionState::Open { .. })
    }

    /// How many summaries there were.
    pub(super) fn ended(&self) -> usize {
        self.ended.len()
    }

    /// All runs, if everything was in order.
    pub(super) fn reading(self) -> Reading {
        if self.state == SessionState::Between { Reading::of(self.ended) } else { Reading::Unsure }
    }
}

/// The words that a summary has for what became of tests.
pub(super) struct Outcomes {
    pub(super) passed: &'static [&'static str],
    pub(super) failed: &'static [&'static str],
    pub(super) skipped: &'static [&'static str],
    /// What is in the sum and in no other number.
    pub(super) other: &'static [&'static str],
    /// What is not in the sum.
    pub(super) beside: &'static [&'static str],
    /// The sum itself.
    pub(super) sum: &'static [&'static str],
}

impl Outcomes {
    pub(super) const USUAL: Self = Self {
        passed: &["passed"],
        failed: &["failed"],
        skipped: &["skipped"],
        other: &[],
        beside: &[],
        sum: &[],
    };

    /// Reads a list such as `2 failed, 1 skipped`: the counts, and how many tests there are. `None` if any item is something
    /// else, or the sum is another one.
    pub(super) fn read(&self, list: &str, separator: &str) -> Option<(Counts, u32)> {
        let (mut counts, mut sum, mut said) = (Counts::ZERO, 0_u32, None);
        for item in list.split(separator) {
            let (count, what) = self::item(item)?;
            let is = |words: &[&str]| words.contains(&what);
            let counted = match () {
                () if is(self.passed) => &mut counts.passed,
                () if is(self.failed) => &mut counts.failed,
                () if is(self.skipped) => &mut counts.skipped,
                () if is(self.other) => &mut 0,
                () if is(self.beside) => continue,
                () if is(self.sum) => said.insert(0),
                () => return None,
            };
            *counted = counted.checked_add(count)?;
            sum = if is(self.sum) { sum } else { sum.checked_add(count)? };
        }
        said.is_none_or(|said| said == sum).then_some((counts, sum))
    }
}

/// One item: digits, one space, words.
pub(super) fn item(text: &str) -> Option<(u32, &str)> {
    let (count, what) = text.split_once(' ')?;
    let worded = what.starts_with(|c: char| c.is_alphabetic());
    if worded { Some((number(count)?, what)) } else { None }
}

/// The number in `3 tests` or `1 test`.
pub(super) fn test_count(text: &str) -> Option<u32> {
    number(text.strip_suffix(" tests").or_else(|| text.strip_suffix(" test"))?)
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
        let outcomes = Outcomes {
            failed: &["failed", "not run"],
            beside: &["deselected"],
            sum: &["total"],
            ..Outcomes::USUAL
        };
        let failed = Counts { failed: 3, ..Counts::ZERO };
        assert_eq!(outcomes.read("2 failed, 1 not run, 4 deselected", ", "), Some((failed, 3)));
        assert_eq!(outcomes.read("2 failed, 1 not run, 3 total", ", "), Some((failed, 3)));
        for bad in [
            "",
            "2",
            "failed",
            "2  failed",
            "-1 failed",
            "+1 failed",
            "2 failed, ",
            "2 failures",
            "2 failed, 3 total",
            "99999999999 failed",
            "4294967295 failed, 1 not run",
        ] {
            assert_eq!(outcomes.read(bad, ", "), None, "{bad:?}");
        }
    }

    #[test]
    fn seconds_have_a_point_between_digits() {
        assert!(is_seconds("0.01") && is_seconds("12.345"));
        for bad in ["", "1", "1.", ".5", "1.2.3", "1.2s", "-1.0"] {
            assert!(!is_seconds(bad), "{bad:?}");
        }
    }

    /// `3`: a heading that plans three tests; `=3`: a summary over three.
    fn reading(order: &str) -> (bool, Option<u32>) {
        let mut sessions = Sessions::default();
        for token in order.split_whitespace() {
            let mark = match token.strip_prefix('=') {
                Some(total) => {
                    let total = total.parse().unwrap();
                    Mark::Summary(Some(total), Counts { passed: total, ..Counts::ZERO })
                }
                None => Mark::Heading(token.parse().ok()),
            };
            sessions.add(mark, None);
        }
        let reading = sessions.reading();
        (reading == Reading::Unsure, reading.counts().map(|counts| counts.passed))
    }

    #[test]
    fn only_alternating_headings_and_summaries_are_certain() {
        let sure = |passed| (false, Some(passed));
        let unsure = (true, None);
        for (order, expected) in [
            ("", (false, None)),
            ("3 =3", sure(3)),
            ("3 =3 4 =4", sure(7)),
            ("=3", sure(3)),
            ("=3 4 =4", sure(7)),
            ("3", unsure),
            ("3 =4", unsure),
            ("3 =3 =4", unsure),
            ("3 4 =4 =3", unsure),
            ("3 3 =3", unsure),
            ("3 =3 4", unsure),
        ] {
            assert_eq!(reading(order), expected, "{order}");
        }
    }
}
