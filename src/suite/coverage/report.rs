//! What a coverage report says.

use super::hits::Hits;
use super::measured::{Parts, Ratio};
use super::name::FileName;

/// What a coverage report says about each file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageReport {
    /// The files, as the report names them.
    pub files: Vec<FileCoverage>,
}

/// What is known from the report of a test command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredCoverage {
    /// The path of the report, from the folder of the command.
    pub path: String,
    /// What it says; otherwise why nothing is known, as the end of a sentence that begins with its path.
    pub report: Result<CoverageReport, String>,
}

/// What a coverage report says about one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCoverage {
    /// The file, as the report names it.
    pub name: FileName,
    /// Its executable lines.
    pub lines: Hits,
    /// Its branches.
    pub branches: Parts,
    /// Its functions.
    pub functions: Parts,
}

/// The coverage of everything in a report; only what is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Executable lines.
    pub lines: Option<Ratio>,
    /// Branches.
    pub branches: Option<Ratio>,
    /// Functions.
    pub functions: Option<Ratio>,
}

impl FileCoverage {
    /// A file about which nothing is known yet.
    #[must_use]
    pub fn new(name: FileName) -> Self {
        Self { name, lines: Hits::default(), branches: Parts::default(), functions: Parts::default() }
    }

    /// Adds what another report says about the same file.
    pub fn merge(&mut self, other: Self) {
        self.lines.merge(other.lines);
        self.branches.merge(other.branches);
        self.functions.merge(other.functions);
    }
}

impl Totals {
    /// The totals of these files.
    #[must_use]
    pub fn of<'a>(files: impl Iterator<Item = &'a FileCoverage> + Clone) -> Self {
        Self {
            lines: known(files.clone().map(|file| file.lines.ratio())),
            branches: known(files.clone().map(|file| file.branches.ratio())),
            functions: known(files.map(|file| file.functions.ratio())),
        }
    }

    /// Each known total with its name.
    pub fn known(&self) -> impl Iterator<Item = (&'static str, Ratio)> {
        let all = [("lines", self.lines), ("branches", self.branches), ("functions", self.functions)];
        all.into_iter().filter_map(|(name, ratio)| Some((name, ratio?)))
    }
}

/// The sum of what is known; unknown if there is nothing to cover in any file.
fn known(ratios: impl Iterator<Item = Option<Ratio>>) -> Option<Ratio> {
    let sum: Ratio = ratios.flatten().sum();
    (sum.total > 0).then_some(sum)
}
