//! Reads Vitest: ` RUN v3.2.7`, and at the end the block that begins with ` Test Files 1 failed | 1 passed (2)`.

use super::sessions::Sessions;
use super::{Reading, reading};
use crate::suite::Counts;
use crate::suite::output::{Streams, Text};

pub(super) fn read(streams: &Streams) -> Reading {
    let mut sessions = sessions(&streams.stdout);
    if sessions.is_open() && streams.stderr.lines().any(finds_no_files) {
        sessions.end(None, Counts::ZERO, None);
    }
    match sessions.reading() {
        Reading::Absent => self::sessions(&streams.stderr).reading(),
        reading => reading,
    }
}

fn sessions(text: &Text) -> Sessions {
    let lines: Vec<&str> = text.lines().collect();
    let mut sessions = Sessions::default();
    for (at, line) in lines.iter().enumerate() {
        if line.starts_with(" RUN  v") {
            sessions.start(None);
        } else if finds_no_files(line) && sessions.is_open() {
            sessions.end(None, Counts::ZERO, Some(text.place(at)));
        } else if let Some(files) = line.strip_prefix(" Test Files  ") {
            match block(files, &lines[at + 1..]) {
                Some(counts) => sessions.end(None, counts, Some(text.place(at))),
                None => sessions.spoil(),
            }
        }
    }
    sessions
}

fn finds_no_files(line: &str) -> bool {
    line.strip_prefix("No test files found, exiting with code ").is_some_and(|code| code.len() == 1)
}

/// The lines `Test Files`, `Tests`, perhaps `Type Errors` and `Errors`, `Start at`, `Duration`.
fn block(files: &str, below: &[&str]) -> Option<Counts> {
    let (tests, mut below) = below.split_first()?;
    let mut counts = outcomes(tests.strip_prefix("      Tests  ")?)?;
    // A file that did not load has no failed test.
    counts.failed = counts.failed.max(outcomes(files)?.failed);
    if let Some((line, rest)) = below.split_first()
        && line.starts_with("Type Errors  ")
    {
        below = rest;
    }
    if let Some((line, rest)) = below.split_first()
        && let Some(errors) = line.strip_prefix("     Errors  ")
    {
        let (errors, _) = reading::item(errors)?;
        counts.failed = counts.failed.saturating_add(errors);
        below = rest;
    }
    let [start, duration, ..] = below else { return None };
    let complete = start.starts_with("   Start at  ") && duration.starts_with("   Duration  ");
    if complete { Some(counts) } else { None }
}

/// Reads `1 failed | 2 passed | 1 skipped (4)`. An expected failure counts as passed, as in Vitest's own `JUnit`
/// report.
fn outcomes(list: &str) -> Option<Counts> {
    if list == "no tests" {
        return Some(Counts::ZERO);
    }
    let (list, total) = list.strip_suffix(')')?.split_once(" (")?;
    let mut counts = Counts::ZERO;
    let mut sum = 0_u32;
    for (count, what) in reading::items(list, " | ")? {
        let slot = match what {
            "passed" | "expected fail" => &mut counts.passed,
            "failed" => &mut counts.failed,
            "skipped" | "todo" => &mut counts.skipped,
            _ => return None,
        };
        *slot = slot.saturating_add(count);
        sum = sum.checked_add(count)?;
    }
    if reading::number(total) == Some(sum) { Some(counts) } else { None }
}
