//! Reads the profile of `go test -coverprofile`: blocks of statements, and how often each has run.
//!
//! A profile does not name lines. As gocover-cobertura and gcov2lcov do it, every line that a block touches is
//! executable, comments and lone braces included, and has run if one of its blocks has.

use std::collections::BTreeMap;

use super::budget::{LineBudget, ReadError};
use super::budget::{count, line};
use crate::suite::coverage::hits::Hits;
use crate::suite::coverage::measured::Ratio;
use crate::suite::coverage::name::{FileName, tidy};
use crate::suite::coverage::report::FileCoverage;

pub(super) fn read(text: &str, budget: &mut LineBudget) -> Result<Vec<FileCoverage>, ReadError> {
    if !text.is_empty() && !text.starts_with("mode:") {
        return Err(ReadError::new("does not begin with the line `mode:` of a Go cover profile"));
    }
    let mut files: BTreeMap<&str, FileCoverage> = BTreeMap::new();
    // Profiles that were put together have a mode line each.
    for (index, record) in text.lines().enumerate().filter(|(_, record)| !record.starts_with("mode:")) {
        if record.trim().is_empty() {
            continue;
        }
        let unreadable =
            || ReadError::new(format!("has a line {} that is not a block of a Go cover profile", index + 1));
        let block = CoverBlock::parse(record).ok_or_else(unreadable)?;
        budget.take(u64::from(block.last - block.first) + 1)?;
        let name = FileName::Import(tidy(block.file).ok_or_else(unreadable)?);
        let file = files.entry(block.file).or_insert_with(|| FileCoverage::new(name));
        for line in block.first..=block.last {
            file.lines.at_least(line, block.runs);
        }
        let covered = if block.runs > 0 { block.statements } else { 0 };
        file.statements.add(block.first, block.place, Ratio::new(covered, block.statements));
    }
    Ok(files.into_values().collect())
}

/// `FILE:LINE.COLUMN,LINE.COLUMN STATEMENTS RUNS`
struct CoverBlock<'a> {
    file: &'a str,
    place: &'a str,
    first: u32,
    last: u32,
    statements: u64,
    runs: u64,
}

impl<'a> CoverBlock<'a> {
    /// Reads it from its end, because the name may have blanks and colons in it.
    fn parse(record: &'a str) -> Option<Self> {
        let (rest, runs) = record.trim_end().rsplit_once(' ')?;
        let (rest, statements) = rest.rsplit_once(' ')?;
        let (file, place) = rest.rsplit_once(':')?;
        let (start, end) = place.split_once(',')?;
        let first = line(start.split_once('.')?.0)?;
        let last = line(end.split_once('.')?.0)?;
        let fits = first >= 1 && first <= last && last <= Hits::LAST_LINE;
        fits.then_some(Self { file, place, first, last, statements: count(statements)?, runs: count(runs)? })
    }
}
