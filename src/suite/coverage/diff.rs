//! Which changed lines the tests have run.

use std::collections::BTreeMap;

use super::changed::ChangedLines;
use super::hits::shown_lines;
use super::measured::Ratio;
use super::placing::PlacedReport;

/// Which of the changed lines the tests have run.
///
/// This is what the program diff-cover calls diff coverage, and the numbers are the same, with three exceptions. A line that
/// has run in one of several reports is covered, also where another report does not know it as a line of code. In one
/// report, a line that several entries name is covered if it has run for one of them. And a line of which lcov reports
/// only a function or a branch is not executable, as in the sums of the tools that write such reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffCoverage {
    /// The changed files that the report knows, by their paths from the top of the work tree, also those of which no
    /// executable line has changed.
    pub files: BTreeMap<String, FileDiff>,
    /// The changed files that it does not know: documentation, for example, or files of which it gives only sums.
    pub unknown: Vec<String>,
}

/// Which changed lines of a file the tests have run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileDiff {
    /// How many of the changed lines have run.
    pub covered: u64,
    /// The executable changed lines that have not run.
    pub uncovered: Vec<u32>,
}

impl FileDiff {
    /// The covered lines of all executable ones.
    #[must_use]
    pub fn ratio(&self) -> Ratio {
        Ratio { covered: self.covered, total: self.covered.saturating_add(self.uncovered.len() as u64) }
    }
}

impl DiffCoverage {
    /// Compares the changed lines with a report.
    #[must_use]
    pub fn of(changed: &ChangedLines, report: &PlacedReport) -> Self {
        let mut diff = Self::default();
        for (path, ranges) in changed.files() {
            let Some(file) = report.files.get(path) else {
                diff.unknown.push(path.to_owned());
                continue;
            };
            let of_file = diff.files.entry(path.to_owned()).or_default();
            for (line, runs) in ranges.iter().flat_map(|range| file.lines.within(range.clone())) {
                if runs > 0 {
                    of_file.covered += 1;
                } else {
                    of_file.uncovered.push(line);
                }
            }
        }
        diff
    }

    /// How many of the executable changed lines have run; `None` if none of the changed lines is known to be executable.
    #[must_use]
    pub fn ratio(&self) -> Option<Ratio> {
        let sum: Ratio = self.files.values().map(FileDiff::ratio).sum();
        (sum.total > 0).then_some(sum)
    }

    /// The lines that have not run, for people: `src/a.py:3-5,9`, one text for each file.
    pub fn uncovered(&self) -> impl Iterator<Item = String> {
        let with_lines = self.files.iter().filter(|(_, file)| !file.uncovered.is_empty());
        with_lines.map(|(path, file)| shown_lines(path, &file.uncovered))
    }
}

#[cfg(test)]
mod tests {
    use super::super::name::FileName;
    use super::super::report::FileCoverage;
    use super::*;

    fn report(path: &str, lines: &[(u32, u64)]) -> PlacedReport {
        let mut file = FileCoverage::new(FileName::Path(path.to_owned()));
        lines.iter().for_each(|(line, runs)| file.lines.add(*line, *runs));
        PlacedReport { files: BTreeMap::from([(path.to_owned(), file)]), ..PlacedReport::default() }
    }

    #[test]
    fn executable_changed_lines_are_covered_or_listed() {
        let mut changed = ChangedLines::default();
        changed.add("src/a.py", 2..=9);
        changed.add("src/a.py", 20..=20);
        changed.add("README.md", 1..=3);
        let report = report("src/a.py", &[(1, 0), (2, 1), (3, 0), (4, 0), (5, 0), (8, 7), (9, 0), (20, 0)]);
        let diff = DiffCoverage::of(&changed, &report);
        assert_eq!(diff.ratio(), Some(Ratio::new(2, 7)));
        assert_eq!(diff.uncovered().collect::<Vec<_>>(), ["src/a.py:3-5,9,20"]);
        assert_eq!(diff.unknown, ["README.md"]);
    }

    #[test]
    fn nothing_is_known_if_no_changed_line_is_executable() {
        let mut changed = ChangedLines::default();
        changed.add("src/a.py", 2..=3);
        assert_eq!(DiffCoverage::of(&changed, &report("src/a.py", &[(1, 1)])).ratio(), None);
        assert_eq!(DiffCoverage::of(&changed, &PlacedReport::default()).ratio(), None);
        assert_eq!(
            DiffCoverage::of(&ChangedLines::default(), &report("src/a.py", &[(1, 1)])),
            DiffCoverage::default()
        );
    }

    #[test]
    fn a_line_that_ran_in_one_of_two_reports_is_covered() {
        let mut changed = ChangedLines::default();
        changed.add("a", 1..=4);
        let mut both = report("a", &[(1, 0), (2, 0), (3, 1)]);
        both.merge(report("a", &[(2, 1), (3, 0), (4, 0)]));
        let diff = DiffCoverage::of(&changed, &both);
        assert_eq!(diff.uncovered().collect::<Vec<_>>(), ["a:1,4"]);
        assert_eq!(diff.ratio(), Some(Ratio::new(2, 4)));
    }
}
