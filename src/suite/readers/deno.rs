//! Reads Deno: `FAILED | 1 passed (1 step) | 1 failed | 1 ignored (344ms)`.

use super::block::blocks;
use super::{Reading, tally};
use crate::suite::Counts;
use crate::suite::output::Text;

pub(super) fn read(text: &Text) -> Reading {
    blocks(text, |lines| {
        let line = lines.first()?;
        let list = line.strip_prefix("ok | ").or_else(|| line.strip_prefix("FAILED | "))?;
        let (list, time) = list.rsplit_once(" (")?;
        time.strip_suffix(')').filter(|time| time.ends_with('s'))?;
        let mut counts = Counts::ZERO;
        for item in list.split(" | ") {
            // Steps are parts of tests.
            let item = item.split_once(" (").map_or(item, |(item, _)| item);
            match tally::item(item)? {
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
