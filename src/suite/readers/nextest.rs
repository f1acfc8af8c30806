//! cargo-nextest: `Starting 3 tests across 1 binary`, and at the end `Summary [ 0.01s] 3 tests run: 2 passed, ...`.

use super::sessions::Sessions;
use super::{Reading, reading};
use crate::suite::Counts;
use crate::suite::output::Text;

pub(super) fn read(text: &Text) -> Reading {
    let mut sessions = Sessions::default();
    for (at, line) in text.lines().enumerate() {
        // What tests print is indented further, so quoted summaries do not begin like this.
        if let Some(starting) = line.strip_prefix("    Starting ") {
            if let Some(planned) = planned(starting) {
                sessions.start(Some(planned));
            }
        } else if let Some((_, summary)) =
            line.strip_prefix("     Summary [").and_then(|rest| rest.split_once("] "))
        {
            match summary_counts(summary) {
                Some((total, counts)) => {
                    sessions.end(Some(total), counts, Some(text.place(at)));
                }
                None => sessions.spoil(),
            }
        }
    }
    sessions.reading()
}

/// The number in `5 tests across 2 binaries (2 tests skipped)`.
fn planned(starting: &str) -> Option<u32> {
    let (count, _) = starting.split_once(" across ")?;
    reading::number(count.strip_suffix(" tests").or_else(|| count.strip_suffix(" test"))?)
}

/// Reads `2/4 tests run: 1 passed (1 flaky), 1 timed out, 0 skipped`: counts, and how many tests had been planned.
fn summary_counts(summary: &str) -> Option<(u32, Counts)> {
    let (run, outcomes) = summary.split_once(" run: ")?;
    let run = run.strip_suffix(" tests").or_else(|| run.strip_suffix(" test"))?;
    let (run, planned) = run.split_once('/').unwrap_or((run, run));
    let mut counts = Counts::ZERO;
    for (count, what) in reading::items(&without_remarks(outcomes), ", ")? {
        let slot = match what {
            "passed" => &mut counts.passed,
            "failed" | "exec failed" | "timed out" => &mut counts.failed,
            "skipped" => &mut counts.skipped,
            _ => return None,
        };
        *slot = slot.checked_add(count)?;
    }
    let adds_up = reading::number(run) == counts.passed.checked_add(counts.failed);
    if adds_up { Some((reading::number(planned)?, counts)) } else { None }
}

/// `list` without what is in parentheses.
fn without_remarks(list: &str) -> String {
    let mut kept = String::with_capacity(list.len());
    let mut rest = list;
    while let Some((before, after)) = rest.split_once(" (") {
        kept.push_str(before);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    kept + rest
}
