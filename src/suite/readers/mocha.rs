//! Reads Mocha: `  3 passing (12ms)`, and below it `  1 pending` and `  1 failing`. All its reporters for people end so.

use super::block::blocks;
use super::{Reading, tally};
use crate::suite::Counts;
use crate::suite::output::{GAP, Text};

pub(super) fn read(text: &Text) -> Reading {
    blocks(text, |lines| {
        let (first, below) = lines.split_first()?;
        let (passed, time) = first.strip_prefix("  ")?.split_once(" passing (")?;
        let mut counts = Counts { passed: tally::number(passed)?, ..Counts::ZERO };
        is_time(time.strip_suffix(')')?).then_some(())?;
        for line in below.iter().take(2) {
            match line.strip_prefix("  ").and_then(tally::item) {
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
