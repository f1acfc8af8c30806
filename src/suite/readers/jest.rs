//! Reads Jest: the block that begins with `Test Suites: 1 failed, 1 passed, 2 total`.

use super::reading::FrameworkRun;
use super::{Reading, reading};
use crate::suite::Counts;
use crate::suite::output::Text;

pub(super) fn read(text: &Text) -> Reading {
    let lines: Vec<&str> = text.lines().collect();
    let mut sessions = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let counts = if let Some(suites) = line.strip_prefix("Test Suites: ") {
            match block(suites, &lines[at + 1..]) {
                Some(counts) => counts,
                None => return Reading::Unsure,
            }
        } else if line.strip_prefix("No tests found, exiting with code ").is_some_and(|code| code.len() == 1)
        {
            Counts::ZERO
        } else {
            continue;
        };
        sessions.push(FrameworkRun { counts, at: Some(text.place(at)) });
    }
    Reading::of(sessions)
}

/// The four lines `Test Suites:`, `Tests:`, `Snapshots:`, `Time:`.
fn block(suites: &str, below: &[&str]) -> Option<Counts> {
    let [tests, snapshots, time, ..] = below else { return None };
    let tests = tests.strip_prefix("Tests: ")?.trim_start();
    if !snapshots.starts_with("Snapshots: ") || !time.starts_with("Time: ") {
        return None;
    }
    // `1 of 3 total` when jest stopped early.
    let suites = suites.split(", ").filter_map(|item| item.trim().split_once(" failed"));
    let failed_suites = suites.map(|(count, _)| reading::number(count)).next().unwrap_or(Some(0))?;
    let mut counts = Counts::ZERO;
    let mut total = None;
    for (count, what) in reading::items(tests, ", ")? {
        match what {
            "passed" => counts.passed = count,
            "failed" => counts.failed = count,
            "skipped" | "todo" => counts.skipped = counts.skipped.saturating_add(count),
            "total" => total = Some(count),
            _ => return None,
        }
    }
    let sum = counts.passed.checked_add(counts.failed)?.checked_add(counts.skipped)?;
    if total != Some(sum) {
        return None;
    }
    // A suite that did not load has no failed test.
    counts.failed = counts.failed.max(failed_suites);
    Some(counts)
}
