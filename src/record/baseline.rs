//! The baseline of a task: how its tests ended before anybody had worked on it. The first step of the task records it.

use serde::{Deserialize, Serialize};

use super::Counts;
use super::lines::own_lines;
use crate::text::one_line;

/// How the tests of a task ended before its first attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Baseline {
    /// Whether all commands passed.
    pub passed: bool,
    /// The number of tests, if it could be read.
    pub counts: Option<Counts>,
    /// What failed: the names of tests or, if they are unknown, commands.
    pub failing: Vec<String>,
}

/// The beginning of the sentence that records it, up to the word for how the tests ended.
const SENTENCE: &str = "Before this task, its tests ";

/// How many failing tests the sentence names.
const NAMED: usize = 30;

impl Baseline {
    /// The value of the trailer that records it: `fail passed=4 failed=1 skipped=0`.
    #[must_use]
    pub fn trailer(&self) -> String {
        let word = if self.passed { "pass" } else { "fail" };
        self.counts.map_or_else(
            || word.to_owned(),
            |Counts { passed, failed, skipped }| {
                format!("{word} passed={passed} failed={failed} skipped={skipped}")
            },
        )
    }

    /// The sentence that records it.
    #[must_use]
    pub fn sentence(&self) -> String {
        let word = if self.passed { "passed" } else { "failed" };
        let counts = self.counts.map_or_else(String::new, |Counts { passed, failed, skipped }| {
            format!(" ({passed} passed, {failed} failed, {skipped} skipped)")
        });
        let named: Vec<String> = self.failing.iter().take(NAMED).map(|name| one_line(name)).collect();
        match (named.as_slice(), self.failing.len().saturating_sub(NAMED)) {
            ([], _) => format!("{SENTENCE}{word}{counts}."),
            (named, 0) => format!("{SENTENCE}{word}{counts}: {}.", named.join(", ")),
            (named, more) => format!("{SENTENCE}{word}{counts}: {}, and {more} more.", named.join(", ")),
        }
    }

    /// Reads it from the message of a step, unless another program has printed the sentence.
    #[must_use]
    pub fn recorded_in(message: &[u8]) -> Option<Self> {
        own_lines(message).find_map(Self::parse)
    }

    fn parse(line: &str) -> Option<Self> {
        let rest = line.strip_prefix(SENTENCE)?.strip_suffix('.')?;
        let (head, failing) = rest.split_once(": ").unwrap_or((rest, ""));
        let (word, counts) = head.split_once(" (").map_or((head, None), |(word, rest)| (word, Some(rest)));
        let passed = match word {
            "passed" => true,
            "failed" => false,
            _ => return None,
        };
        let failing = failing.split(", ").filter(|name| !name.is_empty()).map(str::to_owned).collect();
        Some(Self { passed, counts: counts.and_then(parse_counts), failing })
    }
}

/// Reads `3 passed, 1 failed, 0 skipped)`.
fn parse_counts(text: &str) -> Option<Counts> {
    let numbers: Vec<&str> = text.strip_suffix(')')?.split(", ").collect();
    let number = |place: usize, word: &str| numbers.get(place)?.strip_suffix(word)?.trim_end().parse().ok();
    Some(Counts {
        passed: number(0, "passed")?,
        failed: number(1, "failed")?,
        skipped: number(2, "skipped")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_baseline_is_read_from_the_sentence_that_records_it() {
        let counts = Some(Counts { passed: 3, failed: 1, skipped: 2 });
        let names = vec!["tests/test_a.py::test_x".to_owned(), "b: c".to_owned()];
        let cases = [
            (true, None, Vec::new(), "Before this task, its tests passed."),
            (true, counts, Vec::new(), "Before this task, its tests passed (3 passed, 1 failed, 2 skipped)."),
            (
                false,
                counts,
                names,
                "Before this task, its tests failed (3 passed, 1 failed, 2 skipped): tests/test_a.py::test_x, b: c.",
            ),
        ];
        for (passed, counts, failing, sentence) in cases {
            let baseline = Baseline { passed, counts, failing };
            assert_eq!(baseline.sentence(), sentence);
            let trailer = match (passed, counts) {
                (true, None) => "pass",
                (true, Some(_)) => "pass passed=3 failed=1 skipped=2",
                (false, _) => "fail passed=3 failed=1 skipped=2",
            };
            assert_eq!(baseline.trailer(), trailer);
            let message = format!("task(T1): x\n\n{sentence}\n\nArborist-Step: implement\n");
            assert_eq!(Baseline::recorded_in(message.as_bytes()), Some(baseline));
        }
        let printed =
            b"task(T1): x\n\nRunner output (truncated to 2000 chars):\nBefore this task, its tests passed.\n";
        assert_eq!(Baseline::recorded_in(printed), None);
    }

    #[test]
    fn only_the_first_failing_tests_are_named() {
        let failing = (0..40).map(|number| format!("t{number}")).collect();
        let many = Baseline { passed: false, counts: None, failing };
        assert!(many.sentence().ends_with("t29, and 10 more."), "{}", many.sentence());
    }
}
