//! Reads `RSpec`: `Finished in 0.01 seconds ...`, and below it `7 examples, 3 failures, 3 pending`.

use super::{Reading, tally};
use crate::suite::Counts;
use crate::suite::output::Text;

pub(super) fn read(text: &Text) -> Reading {
    let mut sum = Reading::Absent;
    let mut previous = "";
    for line in text.lines() {
        if previous.starts_with("Finished in ")
            && let Some(counts) = summary(line)
        {
            sum = match sum {
                Reading::Sure(before) => Reading::Sure(before + counts),
                _ => Reading::Sure(counts),
            };
        }
        previous = line;
    }
    sum
}

/// Reads `2 examples, 1 failure, 1 pending, 1 error occurred outside of examples`.
fn summary(line: &str) -> Option<Counts> {
    let mut items = tally::items(line, ", ")?.into_iter();
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
