//! Reads frameworks that print their summary in one piece, with no heading before it: Deno, Minitest, test-unit, Mocha,
//! Node's own runner and `RSpec`.

use super::reading::FrameworkRun;
use super::{Reading, reading};
use crate::suite::Counts;
use crate::suite::output::{GAP, Text};

/// The runs whose summaries `summary` finds at the beginning of the lines that it gets.
pub(super) fn blocks(text: &Text, summary: impl Fn(&[&str]) -> Option<Counts>) -> Reading {
    let lines: Vec<&str> = text.lines().collect();
    let found = (0..lines.len()).filter_map(|line| {
        let counts = summary(&lines[line..])?;
        Some(FrameworkRun { counts, at: Some(text.place(line)) })
    });
    Reading::of(found.collect())
}

/// Reads Deno: `FAILED | 1 passed (1 step) | 1 failed | 1 ignored (344ms)`.
pub(super) fn deno(text: &Text) -> Reading {
    blocks(text, |lines| {
        let line = lines.first()?;
        let list = line.strip_prefix("ok | ").or_else(|| line.strip_prefix("FAILED | "))?;
        let (list, time) = list.rsplit_once(" (")?;
        time.strip_suffix(')').filter(|time| time.ends_with('s'))?;
        let mut counts = Counts::ZERO;
        for item in list.split(" | ") {
            // Steps are parts of tests.
            let item = item.split_once(" (").map_or(item, |(item, _)| item);
            match reading::item(item)? {
                (count, "passed") => counts.passed = count,
                (count, "failed") => counts.failed = count,
                (count, "ignored") => counts.skipped = count,
                (_, "measured" | "filtered out") => {}
                _ => return None,
            }
        }
        Some(counts)
    })
}

/// Reads Minitest and test-unit: `4 runs, 2 assertions, 1 failures, 1 errors, 1 skips`, in minitest-reporters `4 tests`, and
/// `3 tests, 2 assertions, 1 failures, 0 errors, 0 pendings, 1 omissions, 0 notifications`.
pub(super) fn minitest(text: &Text) -> Reading {
    blocks(text, |lines| {
        let (total, failed, skipped) = match reading::items(lines.first()?, ", ")?[..] {
            [
                (runs, "runs" | "tests"),
                (_, "assertions"),
                (failures, "failures"),
                (errors, "errors"),
                (skips, "skips"),
            ] => (runs, failures.checked_add(errors)?, skips),
            [
                (tests, "tests"),
                (_, "assertions"),
                (failures, "failures"),
                (errors, "errors"),
                (pendings, "pendings"),
                (omissions, "omissions"),
                (_, "notifications"),
            ] => (tests, failures.checked_add(errors)?, pendings.checked_add(omissions)?),
            _ => return None,
        };
        Some(Counts { passed: total.checked_sub(failed)?.checked_sub(skipped)?, failed, skipped })
    })
}

/// Reads Mocha: `  3 passing (12ms)`, and below it `  1 pending` and `  1 failing`. All its reporters for people end so.
pub(super) fn mocha(text: &Text) -> Reading {
    blocks(text, |lines| {
        let (first, below) = lines.split_first()?;
        let (passed, time) = first.strip_prefix("  ")?.split_once(" passing (")?;
        let mut counts = Counts { passed: reading::number(passed)?, ..Counts::ZERO };
        is_time(time.strip_suffix(')')?).then_some(())?;
        for line in below.iter().take(2) {
            match line.strip_prefix("  ").and_then(reading::item) {
                Some((count, "pending")) => counts.skipped = count,
                Some((count, "failing")) => counts.failed = count,
                // What follows may be missing.
                None if *line == GAP => return None,
                _ => break,
            }
        }
        Some(counts)
    })
}

/// `12ms`, `2s`, `1m`.
fn is_time(text: &str) -> bool {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    matches!(unit, "ms" | "s" | "m" | "h" | "d") && unit.len() < text.len()
}

/// `node --test`: the block of `# tests 3` to `# duration_ms 83.1` (TAP), or the same with `ℹ` (spec).
pub(super) fn node_test(text: &Text) -> Reading {
    blocks(text, |lines| ["# ", "ℹ "].into_iter().find_map(|mark| node_block(mark, lines)))
}

/// The block at the beginning of `lines`: eight lines with nothing between them, the numbers agreeing. A test that
/// prints some of these lines is not a summary. (The first releases of Node.js 18 counted files; theirs has fewer lines.)
fn node_block(mark: &str, lines: &[&str]) -> Option<Counts> {
    let mut lines = lines.iter();
    let mut value = |name: &str| {
        let (found, value) = lines.next()?.strip_prefix(mark)?.split_once(' ')?;
        if found == name { Some(value) } else { None }
    };
    let mut number = |name: &str| reading::number(value(name)?);
    let (tests, _suites) = (number("tests")?, number("suites")?);
    let (passed, failed, cancelled) = (number("pass")?, number("fail")?, number("cancelled")?);
    let (skipped, todo) = (number("skipped")?, number("todo")?);
    value("duration_ms")?;
    let counts =
        Counts { passed, failed: failed.checked_add(cancelled)?, skipped: skipped.checked_add(todo)? };
    let sum = counts.passed.checked_add(counts.failed)?.checked_add(counts.skipped)?;
    if sum == tests { Some(counts) } else { None }
}

/// Reads `RSpec`: `Finished in 0.01 seconds ...`, and below it `7 examples, 3 failures, 3 pending`.
pub(super) fn rspec(text: &Text) -> Reading {
    blocks(text, |lines| match lines {
        [finished, line, ..] if finished.starts_with("Finished in ") => rspec_summary(line),
        _ => None,
    })
}

/// Reads `2 examples, 1 failure, 1 pending, 1 error occurred outside of examples`.
fn rspec_summary(line: &str) -> Option<Counts> {
    let mut items = reading::items(line, ", ")?.into_iter();
    let (examples, "example" | "examples") = items.next()? else { return None };
    let (failures, "failure" | "failures") = items.next()? else { return None };
    let mut counts = Counts { failed: failures, ..Counts::ZERO };
    for (count, what) in items {
        match what {
            "pending" => counts.skipped = count,
            "error occurred outside of examples" | "errors occurred outside of examples" => {
                counts.failed = counts.failed.checked_add(count)?;
            }
            _ => return None,
        }
    }
    counts.passed = examples.checked_sub(failures)?.checked_sub(counts.skipped)?;
    Some(counts)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::KeptOutput;
    use crate::suite::output::Stream;

    #[test]
    fn the_summary_of_minitest_reporters_is_read() {
        let text = b"4 tests, 2 assertions, 1 failures, 1 errors, 1 skips\n";
        let counts = minitest(&Text::new(KeptOutput::Whole(text), Stream::Stdout)).counts();
        assert_eq!(counts, Some(Counts { passed: 1, failed: 2, skipped: 1 }));
    }
}
