//! Which changed lines the tests have run.

use std::collections::BTreeMap;

use super::placing::PlacedReport;
use super::report::{Ratio, shown_lines};

/// The numbers of the new and altered lines of each file in increasing order, by its path from the top of the work tree.
pub type ChangedLines = BTreeMap<String, Vec<u32>>;

/// Which of the changed lines the tests have run.
///
/// This is what the program diff-cover calls diff coverage, and the numbers are the same, with three exceptions. A line that
/// has run in one of several reports is covered, also where another report does not know it as a line of code. In one
/// report, a line that several entries name is covered if it has run for one of them. And a line of which lcov reports
/// only a function or a branch is not executable, as in the sums of the tools that write such reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffCoverage {
    /// How many of the changed lines have run.
    covered: u64,
    /// The executable changed lines that have not run, of each file that has any.
    pub uncovered: ChangedLines,
    /// The changed files that the report does not know: documentation, for example, or files of which it gives only sums.
    pub unknown: Vec<String>,
}

impl DiffCoverage {
    /// Compares the changed lines with a report.
    #[must_use]
    pub fn of(changed: &ChangedLines, report: &PlacedReport) -> Self {
        let mut diff = Self::default();
        for (path, lines) in changed {
            let Some(file) = report.files.get(path) else {
                diff.unknown.push(path.clone());
                continue;
            };
            for line in lines {
                match file.lines.get(line) {
                    Some(true) => diff.covered += 1,
                    Some(false) => diff.uncovered.entry(path.clone()).or_default().push(*line),
                    None => {}
                }
            }
        }
        diff
    }

    /// How many of the executable changed lines have run; `None` if none of the changed lines is known to be executable.
    #[must_use]
    pub fn ratio(&self) -> Option<Ratio> {
        let uncovered: u64 = self.uncovered.values().map(|lines| lines.len() as u64).sum();
        let ratio = Ratio::new(self.covered, self.covered.saturating_add(uncovered));
        (ratio.total > 0).then_some(ratio)
    }

    /// The lines that have not run, for people: `src/a.py:3-5,9`, one text for each file.
    pub fn uncovered(&self) -> impl Iterator<Item = String> {
        self.uncovered.iter().map(|(path, lines)| shown_lines(path, lines))
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::FileCoverage;
    use super::*;

    fn report(path: &str, lines: &[(u32, bool)]) -> PlacedReport {
        let file = FileCoverage { lines: lines.iter().copied().collect(), ..FileCoverage::default() };
        PlacedReport { files: BTreeMap::from([(path.to_owned(), file)]), ..PlacedReport::default() }
    }

    fn changed<const N: usize>(files: [(&str, &[u32]); N]) -> ChangedLines {
        files.map(|(path, lines)| (path.to_owned(), lines.to_vec())).into()
    }

    #[test]
    fn executable_changed_lines_are_covered_or_listed() {
        let changed = changed([("src/a.py", &[2, 3, 4, 5, 6, 7, 8, 9, 20]), ("README.md", &[1, 2])]);
        let not_run = [3, 4, 5, 9, 20, 1].map(|line| (line, false));
        let report = report("src/a.py", &[&not_run[..], &[(2, true), (8, true)]].concat());
        let diff = DiffCoverage::of(&changed, &report);
        assert_eq!(diff.ratio(), Some(Ratio::new(2, 7)));
        assert_eq!(diff.uncovered().collect::<Vec<_>>(), ["src/a.py:3-5,9,20"]);
        assert_eq!(diff.unknown, ["README.md"]);
    }

    #[test]
    fn nothing_is_known_if_no_changed_line_is_executable() {
        let changed = changed([("src/a.py", &[2, 3])]);
        assert_eq!(DiffCoverage::of(&changed, &report("src/a.py", &[(1, true)])).ratio(), None);
        assert_eq!(DiffCoverage::of(&changed, &PlacedReport::default()).ratio(), None);
    }

    #[test]
    fn a_line_that_ran_in_one_of_two_reports_is_covered() {
        let mut both = report("a", &[(1, false), (2, false), (3, true)]);
        both.merge(report("a", &[(2, true), (3, false), (4, false)]));
        let diff = DiffCoverage::of(&changed([("a", &[1, 2, 3, 4])]), &both);
        assert_eq!(diff.uncovered().collect::<Vec<_>>(), ["a:1,4"]);
        assert_eq!(diff.ratio(), Some(Ratio::new(2, 4)));
    }
}
