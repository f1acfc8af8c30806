//! Reads `cargo test`: adds up one line `test result: ok. 2 passed; 0 failed; ...` per test binary.
//!
//! The lines on standard error (`Running ...`, `Doc-tests ...`) show whether a result is missing: that of a binary that
//! died, has its own harness, or whose output was cut off. An incomplete sum is not reported.

use super::sessions::Sessions;
use super::{Reading, reading};
use crate::suite::Counts;
use crate::suite::output::{Completeness, Streams, Text};

pub(super) fn read(streams: &Streams) -> Reading {
    let usual = results(&streams.stdout);
    let results = if usual.reading() == Reading::Absent { results(&streams.stderr) } else { usual };
    match results.reading() {
        Reading::Sure(_) if !all_there(results.ended(), streams) => Reading::Unsure,
        reading => reading,
    }
}

/// Whether the number of results is the one that cargo announced. With `--quiet`, it announces nothing.
fn all_there(ended: usize, Streams { stdout, stderr }: &Streams) -> bool {
    let announced = |texts: &[&Text], status: &str| {
        texts.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with(status)).count()
    };
    let (running, doc_tests) = ("     Running ", "   Doc-tests ");
    match (stdout.completeness(), stderr.completeness()) {
        (Completeness::Whole, Completeness::Whole) => {
            let texts = [stdout, stderr];
            match (announced(&texts, running), announced(&texts, doc_tests)) {
                (0, 0) => true,
                (binaries, 0) => ended == binaries,
                // The documentation of one crate may be tested in several batches.
                (binaries, crates) => ended >= binaries + crates,
            }
        }
        (Completeness::Cut, Completeness::Whole) => {
            announced(&[stderr], doc_tests) == 0 && announced(&[stderr], running) == ended
        }
        (_, Completeness::Cut) => false,
    }
}

fn results(text: &Text) -> Sessions {
    let mut sessions = Sessions::default();
    for line in text.lines() {
        if let Some(planned) = planned(line) {
            sessions.start(Some(planned));
        } else if let Some(result) = line.strip_prefix("test result: ") {
            match result_counts(result) {
                Some((total, counts)) if sessions.is_open() => sessions.end(Some(total), counts, None),
                _ => sessions.spoil(),
            }
        }
    }
    sessions
}

/// The number in `running 3 tests`.
fn planned(line: &str) -> Option<u32> {
    let count = line.strip_prefix("running ")?;
    reading::number(count.strip_suffix(" tests").or_else(|| count.strip_suffix(" test"))?)
}

/// Reads `FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s`.
fn result_counts(result: &str) -> Option<(u32, Counts)> {
    let list = result.strip_prefix("ok. ").or_else(|| result.strip_prefix("FAILED. "))?;
    let list = list.split_once("; finished in ").map_or(list, |(list, _)| list);
    let mut counts = Counts::ZERO;
    let mut total = 0_u32;
    for (count, what) in reading::items(list, "; ")? {
        match what {
            "passed" => counts.passed = count,
            "failed" => counts.failed = count,
            "ignored" => counts.skipped = count,
            "measured" => {}
            "filtered out" => continue,
            _ => return None,
        }
        total = total.checked_add(count)?;
    }
    Some((total, counts))
}
