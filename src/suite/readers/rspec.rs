//! Reads `RSpec`: `Finished in 0.01 seconds ...`, and below it `7 examples, 3 failures, 3 pending`.

use super::block::blocks;
use super::{Reading, tally};
use crate::suite::Counts;
use crate::suite::output::Text;

pub(super) fn read(text: &Text) -> Reading {
    blocks(text, |lines| match lines {
        [finished, line, ..] if finished.starts_with("Finished in ") => summary(line),
        _ => None,
    })
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
