//! Reads the JSON report of coverage.py: the executed and the missing lines of each file, and its branches.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::budget::Budget;
use super::error::ReadError;
use crate::suite::coverage::measured::Ratio;
use crate::suite::coverage::name::{FileName, tidy};
use crate::suite::coverage::numbers::Count;
use crate::suite::coverage::report::FileCoverage;

#[derive(Deserialize)]
struct Report {
    files: BTreeMap<String, FileReport>,
}

#[derive(Deserialize)]
struct FileReport {
    executed_lines: Vec<Count>,
    missing_lines: Vec<Count>,
    #[serde(default)]
    executed_branches: Vec<Vec<i64>>,
    #[serde(default)]
    missing_branches: Vec<Vec<i64>>,
}

pub(super) fn read(text: &str, budget: &mut Budget) -> Result<Vec<FileCoverage>, ReadError> {
    let report: Report = serde_json::from_str(text)?;
    let mut files = Vec::new();
    for (name, lines) in report.files {
        let Some(name) = tidy(&name) else { continue };
        let mut file = FileCoverage::new(FileName::Path(name));
        for (numbers, runs) in [(&lines.executed_lines, 1), (&lines.missing_lines, 0)] {
            budget.take(numbers.len() as u64)?;
            for line in numbers {
                file.lines.at_least(line.line(), runs);
                // What coverage.py calls statements are the lines on which they begin.
                file.statements.add(line.line(), "", Ratio::one(runs > 0));
            }
        }
        for (branches, taken) in [(&lines.executed_branches, true), (&lines.missing_branches, false)] {
            for branch in branches {
                // From this line to that one, where a negative number means the end of a function.
                if let [from, to] = branch[..] {
                    let from = u32::try_from(from).unwrap_or_default();
                    file.branches.add(from, to.to_string(), Ratio::one(taken));
                }
            }
        }
        files.push(file);
    }
    Ok(files)
}
