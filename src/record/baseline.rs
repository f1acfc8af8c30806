//! The baseline of a task: how its tests ended before anybody had worked on it. The first step of the task records it.

use serde::{Deserialize, Serialize};

use super::lists::List;
use super::{Counts, TrailerKey, trailers};
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

/// How many failing tests a sentence names.
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

    /// What it says, as a sentence.
    #[must_use]
    pub fn sentence(&self) -> String {
        let word = if self.passed { "passed" } else { "failed" };
        let counts = self.counts.map_or_else(String::new, |Counts { passed, failed, skipped }| {
            format!(" ({passed} passed, {failed} failed, {skipped} skipped)")
        });
        let named: Vec<String> = self.failing.iter().take(NAMED).map(|name| one_line(name)).collect();
        let ended = format!("Before this task, its tests {word}{counts}");
        match (named.as_slice(), self.failing.len().saturating_sub(NAMED)) {
            ([], _) => format!("{ended}."),
            (named, 0) => format!("{ended}: {}.", named.join(", ")),
            (named, more) => format!("{ended}: {}, and {more} more.", named.join(", ")),
        }
    }

    /// Reads it from the message of a step: how the tests ended from its trailer, and what failed from its list.
    #[must_use]
    pub fn recorded_in(message: &[u8]) -> Option<Self> {
        let read = trailers(message);
        let of_baseline = |key: &[u8]| TrailerKey::from_name(key) == Some(TrailerKey::Baseline);
        let value = read.iter().find(|trailer| of_baseline(&trailer.key))?;
        let value = String::from_utf8_lossy(&value.value);
        let mut words = value.split(' ');
        let passed = match words.next()? {
            "pass" => true,
            "fail" => false,
            _ => return None,
        };
        let mut number = |key: &str| words.next()?.strip_prefix(key)?.strip_prefix('=')?.parse().ok();
        let counts = number("passed").zip(number("failed")).zip(number("skipped"));
        let counts = counts.map(|((passed, failed), skipped)| Counts { passed, failed, skipped });
        Some(Self { passed, counts, failing: List::FailingBefore.recorded_in(message) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_says_how_the_tests_ended_and_names_the_first_that_failed() {
        let counts = Some(Counts { passed: 3, failed: 1, skipped: 2 });
        let passed = Baseline { passed: true, counts, failing: Vec::new() };
        assert_eq!(passed.sentence(), "Before this task, its tests passed (3 passed, 1 failed, 2 skipped).");
        let failing = (0..40).map(|number| format!("t{number}")).collect();
        let many = Baseline { passed: false, counts: None, failing };
        assert!(many.sentence().starts_with("Before this task, its tests failed: t0, t1, "));
        assert!(many.sentence().ends_with("t29, and 10 more."), "{}", many.sentence());
    }
}
