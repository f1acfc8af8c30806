//! Reads `PHPUnit`: `OK (3 tests, 5 assertions)`, or `Tests: 3, Assertions: 5, Failures: 1.` below a verdict.

use super::blocks::blocks;
use super::{Reading, reading};
use crate::suite::Counts;
use crate::suite::output::Text;

pub(super) fn read(text: &Text) -> Reading {
    blocks(text, |lines| match lines {
        ["No tests executed!", ..] => Some(Counts::ZERO),
        [verdict, numbers, ..] if is_verdict(verdict) => listed(numbers),
        [line, ..] => all_passed(line),
        [] => None,
    })
}

fn is_verdict(line: &str) -> bool {
    matches!(line, "FAILURES!" | "ERRORS!" | "WARNINGS!") || line.starts_with("OK, but ")
}

/// Reads `OK (3 tests, 5 assertions)`.
fn all_passed(line: &str) -> Option<Counts> {
    let list = reading::items(line.strip_prefix("OK (")?.strip_suffix(')')?, ", ")?;
    match list[..] {
        [(passed, "test" | "tests"), (_, "assertion" | "assertions")] => {
            Some(Counts { passed, ..Counts::ZERO })
        }
        _ => None,
    }
}

/// Reads `Tests: 4, Assertions: 5, Errors: 1, Skipped: 1.`
fn listed(line: &str) -> Option<Counts> {
    let mut counts = Counts::ZERO;
    let mut total = None;
    for item in line.strip_suffix('.')?.split(", ") {
        let (what, count) = item.split_once(": ")?;
        let count = reading::number(count)?;
        match what {
            "Tests" => total = Some(count),
            "Errors" | "Failures" => counts.failed = counts.failed.checked_add(count)?,
            "Skipped" | "Incomplete" => counts.skipped = counts.skipped.checked_add(count)?,
            // Assertions, warnings, deprecations and risky tests are no outcomes.
            _ => {}
        }
    }
    counts.passed = total?.checked_sub(counts.failed)?.checked_sub(counts.skipped)?;
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::KeptOutput;
    use crate::suite::output::Stream;

    fn counts(text: &str) -> Option<Counts> {
        read(&Text::new(KeptOutput::Whole(text.as_bytes()), Stream::Stdout)).counts()
    }

    #[test]
    fn summaries_are_read_and_prose_is_not() {
        let sure = |passed, failed, skipped| Some(Counts { passed, failed, skipped });
        for (text, expected) in [
            ("OK (3 tests, 5 assertions)", sure(3, 0, 0)),
            ("OK (1 test, 1 assertion)", sure(1, 0, 0)),
            ("FAILURES!\nTests: 4, Assertions: 5, Failures: 1.", sure(3, 1, 0)),
            ("ERRORS!\nTests: 5, Assertions: 2, Errors: 1, Failures: 1, Skipped: 1.", sure(2, 2, 1)),
            (
                "OK, but some tests were skipped!\nTests: 3, Assertions: 2, Skipped: 1, Incomplete: 1.",
                sure(1, 0, 2),
            ),
            ("OK, but there were issues!\nTests: 2, Assertions: 2, PHPUnit Deprecations: 1.", sure(2, 0, 0)),
            ("No tests executed!", sure(0, 0, 0)),
            ("Tests: 4, Assertions: 5, Failures: 1.", None),
            ("OK (3 tests)", None),
            ("FAILURES!\nTests: 1, Assertions: 5, Failures: 2.", None),
            ("FAILURES!\nTests: many.", None),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }
}
