//! Reads Istanbul's JSON: `coverage-final.json`, which has every statement, and `coverage-summary.json`, which has sums.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::budget::Budget;
use super::error::ReadError;
use crate::suite::coverage::measured::Ratio;
use crate::suite::coverage::name::{FileName, tidy};
use crate::suite::coverage::numbers::Count;
use crate::suite::coverage::report::FileCoverage;

/// A file in either report.
#[derive(Deserialize)]
#[serde(untagged)]
enum Entry {
    Final(Box<Final>),
    Summary(Summary),
    /// Old versions of Istanbul wrap the entry, and files that no test has loaded may be empty.
    Wrapped {
        data: Box<Final>,
    },
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Final {
    statement_map: BTreeMap<String, Location>,
    #[serde(default)]
    fn_map: BTreeMap<String, Function>,
    #[serde(default)]
    branch_map: BTreeMap<String, Branch>,
    s: BTreeMap<String, Count>,
    #[serde(default)]
    f: BTreeMap<String, Count>,
    #[serde(default)]
    b: BTreeMap<String, Vec<Count>>,
}

#[derive(Deserialize)]
struct Location {
    start: Position,
}

#[derive(Deserialize)]
struct Position {
    #[serde(default)]
    line: Count,
}

#[derive(Deserialize)]
struct Function {
    loc: Option<Location>,
}

#[derive(Deserialize)]
struct Branch {
    loc: Option<Location>,
}

#[derive(Deserialize)]
struct Summary {
    lines: Sum,
    statements: Sum,
    functions: Sum,
    branches: Sum,
}

#[derive(Deserialize)]
struct Sum {
    total: Count,
    covered: Count,
}

impl Sum {
    fn ratio(&self) -> Ratio {
        Ratio::new(self.covered.0, self.total.0)
    }
}

pub(super) fn read(text: &str, budget: &mut Budget) -> Result<Vec<FileCoverage>, ReadError> {
    let mut entries: BTreeMap<String, Entry> = serde_json::from_str(text)?;
    // The sum of all files, which a summary has besides them.
    entries.remove("total");
    let mut files = Vec::new();
    for (name, entry) in entries {
        let Some(name) = tidy(&name) else { continue };
        let mut file = FileCoverage::new(FileName::Path(name));
        match entry {
            Entry::Final(details) | Entry::Wrapped { data: details } => {
                add_details(&mut file, &details, budget)?;
            }
            Entry::Summary(sums) => add_sums(&mut file, &sums),
        }
        files.push(file);
    }
    Ok(files)
}

fn add_sums(file: &mut FileCoverage, sums: &Summary) {
    file.line_sums = Some(sums.lines.ratio()).filter(|sum| sum.total > 0);
    file.statements.add_sums(sums.statements.ratio());
    file.functions.add_sums(sums.functions.ratio());
    file.branches.add_sums(sums.branches.ratio());
}

/// Counts as Istanbul itself does: a line is executable if a statement begins on it, and has run as often as the one
/// that ran most often.
fn add_details(file: &mut FileCoverage, details: &Final, budget: &mut Budget) -> Result<(), ReadError> {
    budget.take(details.statement_map.len() as u64)?;
    for (id, place) in &details.statement_map {
        let runs = details.s.get(id).map_or(0, |count| count.0);
        let line = place.start.line.line();
        file.lines.at_least(line, runs);
        file.statements.add(line, id.as_str(), Ratio::one(runs > 0));
    }
    for (id, runs) in &details.f {
        let place = details.fn_map.get(id).and_then(|function| function.loc.as_ref());
        file.functions.add(line_of(place), id.as_str(), Ratio::one(runs.0 > 0));
    }
    for (id, arms) in &details.b {
        let place = details.branch_map.get(id).and_then(|branch| branch.loc.as_ref());
        for (arm, runs) in arms.iter().enumerate() {
            file.branches.add(line_of(place), format!("{id}.{arm}"), Ratio::one(runs.0 > 0));
        }
    }
    Ok(())
}

/// The line of something, if it is known.
fn line_of(place: Option<&Location>) -> u32 {
    place.map_or(0, |place| place.start.line.line())
}
