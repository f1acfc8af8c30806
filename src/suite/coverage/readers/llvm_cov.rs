//! Reads what `llvm-cov export` prints, which is also what `cargo llvm-cov --json` writes.
//!
//! The report does not name lines but segments: places from which on code has run so often. The lines are found as LLVM
//! finds them for its own reports and for lcov (`LineCoverageStats` in `CoverageMapping.cpp`).

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::budget::Budget;
use super::error::ReadError;
use crate::suite::coverage::hits::Hits;
use crate::suite::coverage::measured::Ratio;
use crate::suite::coverage::name::{FileName, tidy};
use crate::suite::coverage::numbers::Count;
use crate::suite::coverage::report::FileCoverage;

#[derive(Deserialize)]
struct Export {
    data: Vec<Data>,
}

#[derive(Deserialize)]
struct Data {
    files: Vec<FileExport>,
}

#[derive(Deserialize)]
struct FileExport {
    filename: String,
    /// Missing in a report of sums only.
    #[serde(default)]
    segments: Vec<Segment>,
    summary: Summary,
}

#[derive(Deserialize)]
struct Summary {
    lines: Sum,
    #[serde(default)]
    functions: Sum,
    #[serde(default)]
    branches: Sum,
}

#[derive(Default, Deserialize)]
struct Sum {
    count: Count,
    covered: Count,
}

impl Sum {
    fn ratio(&self) -> Ratio {
        Ratio::new(self.covered.0, self.count.0)
    }
}

/// A place: its line, its column, how often the code from there on has run, whether that is known, whether a region
/// begins there, and whether that region is a gap between others. Old versions have no gaps.
#[derive(Deserialize)]
struct Segment(Count, IgnoredAny, Count, bool, bool, #[serde(default)] bool);

impl Segment {
    fn line(&self) -> u32 {
        self.0.line()
    }

    fn runs(&self) -> u64 {
        self.2.0
    }

    fn is_counted(&self) -> bool {
        self.3
    }

    fn is_entry(&self) -> bool {
        self.4
    }

    /// Whether code begins here that can run.
    fn begins_region(&self) -> bool {
        self.is_counted() && self.is_entry() && !self.5
    }
}

pub(super) fn read(text: &str, budget: &mut Budget) -> Result<Vec<FileCoverage>, ReadError> {
    let export: Export = serde_json::from_str(text)?;
    let mut files = Vec::new();
    for exported in export.data.into_iter().flat_map(|data| data.files) {
        let Some(name) = tidy(&exported.filename) else { continue };
        let mut file = FileCoverage::new(FileName::Path(name));
        file.lines = lines(&exported.segments, budget)?;
        let sums = exported.summary;
        file.line_sums = Some(sums.lines.ratio()).filter(|sum| sum.total > 0);
        file.functions.add_sums(sums.functions.ratio());
        file.branches.add_sums(sums.branches.ratio());
        files.push(file);
    }
    Ok(files)
}

fn lines(segments: &[Segment], budget: &mut Budget) -> Result<Hits, ReadError> {
    let mut hits = Hits::default();
    // The last segment of an earlier line, which reaches into this one.
    let mut reaching: Option<&Segment> = None;
    let mut rest = segments;
    while let Some(line) = rest.first().map(Segment::line) {
        let (own, after) = rest.split_at(rest.iter().take_while(|segment| segment.line() == line).count());
        if let Some(runs) = runs_of(own, reaching) {
            budget.take(1)?;
            hits.add(line, runs);
        }
        reaching = own.last();
        rest = after;
        // The lines up to the next segment have none of their own.
        let next = rest.first().map_or(line, Segment::line);
        if let Some(segment) = reaching.filter(|segment| segment.is_counted()) {
            let between = line.saturating_add(1)..next.min(Hits::LAST_LINE);
            budget.take(between.len() as u64)?;
            between.for_each(|line| hits.add(line, segment.runs()));
        }
    }
    Ok(hits)
}

/// How often a line has run on which these segments are; `None` if it is not executable.
fn runs_of(own: &[Segment], reaching: Option<&Segment>) -> Option<u64> {
    let reaching = reaching.filter(|segment| segment.is_counted());
    let begins_skipped = own.first().is_some_and(|segment| !segment.is_counted() && segment.is_entry());
    let begun = own.iter().filter(|segment| segment.begins_region()).map(Segment::runs).max();
    let entered = own.iter().any(|segment| segment.is_entry() && segment.is_counted());
    let is_mapped = entered || !begins_skipped && (reaching.is_some() || begun.is_some());
    is_mapped.then(|| reaching.map_or(0, Segment::runs).max(begun.unwrap_or(0)))
}
