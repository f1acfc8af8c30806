//! Reads `node --test`: the block of `# tests 3` to `# duration_ms 83.1` (TAP), or the same with `ℹ` (spec).

use super::reading::FrameworkRun;
use super::{Reading, reading};
use crate::suite::Counts;
use crate::suite::output::Text;

pub(super) fn read(text: &Text) -> Reading {
    let lines: Vec<&str> = text.lines().collect();
    let found = (0..lines.len()).filter_map(|line| {
        let counts = ["# ", "ℹ "].into_iter().find_map(|mark| node_block(mark, &lines[line..]))?;
        Some(FrameworkRun { counts, at: Some(text.place(line)) })
    });
    Reading::of(found.collect())
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
