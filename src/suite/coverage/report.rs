//! What coverage reports say about the files of a work tree.
//!
//! A file is found only where there is no doubt; coverage of the wrong file would be worse than none. An absolute path
//! below the top of the work tree is that file, or none. A relative path begins at the top, or in a folder above the report;
//! if files of several of them fit, it is none of them. What is not in the work tree counts for the totals alone.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::Sum;

/// How many of some things the tests have reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ratio {
    /// How many they have reached; never more than `total`.
    pub covered: u64,
    /// How many there are.
    pub total: u64,
}

/// What tests can reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Part {
    /// Executable lines.
    Line,
    /// Branches.
    Branch,
    /// Functions.
    Function,
}

/// What is known from the report of a test command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MeasuredCoverage {
    /// The path of the report, from the folder of the command.
    pub path: String,
    /// What it says; otherwise why nothing is known, as the end of a sentence that begins with its path.
    pub report: Result<CoverageReport, String>,
}

/// What a coverage report says about each file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CoverageReport {
    /// The folders in one of which each file is, if the report names any. Some of them may be relative themselves.
    pub sources: Vec<String>,
    /// The files, by the names that the report gives them: paths with `/` between their parts, without `.` and `..`.
    pub files: BTreeMap<String, FileCoverage>,
}

/// The parts of one file, by their lines and what distinguishes them from others of the line. One part stands for several
/// that a report does not tell apart.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileCoverage(BTreeMap<(Part, u32, String), Ratio>);

/// The numbers of some lines of each file in increasing order, by its path from the top of the work tree.
pub type FileLines = BTreeMap<String, Vec<u32>>;

/// Which of the changed lines the tests have run.
///
/// This is what the program diff-cover calls diff coverage, and the numbers are the same, with three exceptions. A line that
/// has run in one of several reports is covered, also where another report does not know it as a line of code. In one
/// report, a line that several entries name is covered if it has run for one of them. And a line of which lcov reports
/// only a function or a branch is not executable, as in the sums of the tools that write such reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DiffCoverage {
    /// How many of the executable changed lines have run.
    pub ratio: Ratio,
    /// Those that have not run, of each file that has any.
    pub uncovered: FileLines,
    /// The changed files that the report does not know: documentation, for example, or files of which it gives only sums.
    pub unknown: Vec<String>,
}

impl Ratio {
    /// `covered` of `total`; what is covered and not there does not count.
    #[must_use]
    pub fn new(covered: u64, total: u64) -> Self {
        Self { covered: covered.min(total), total }
    }

    /// One thing that is covered or not.
    #[must_use]
    pub fn one(covered: bool) -> Self {
        Self::new(u64::from(covered), 1)
    }

    /// None if there is nothing to cover.
    #[must_use]
    pub fn known(self) -> Option<Self> {
        (self.total > 0).then_some(self)
    }
}

impl Sum for Ratio {
    fn sum<I: Iterator<Item = Self>>(ratios: I) -> Self {
        ratios.fold(Self::default(), |sum, ratio| Self {
            covered: sum.covered.saturating_add(ratio.covered),
            total: sum.total.saturating_add(ratio.total),
        })
    }
}

impl Part {
    /// All of them, with what they are called.
    pub const ALL: [(Self, &str); 3] =
        [(Self::Line, "lines"), (Self::Branch, "branches"), (Self::Function, "functions")];
}

impl FileCoverage {
    /// Adds a part, or what another run has found out about it.
    pub(super) fn add(&mut self, part: Part, line: u32, name: &str, ratio: Ratio) {
        let known = self.0.entry((part, line, name.to_owned())).or_default();
        // Which of several things each run has reached is not known, so this is the least that both together have reached.
        *known = Ratio::new(known.covered.max(ratio.covered), known.total.max(ratio.total));
    }

    /// Adds an executable line. There is no line 0, which some tools give to code that they have generated.
    pub(super) fn add_line(&mut self, line: &str, runs: &str) -> Option<()> {
        let line = line.trim().parse().ok().filter(|line| *line > 0)?;
        self.add(Part::Line, line, "", Ratio::one(has_run(runs)?));
        Some(())
    }

    /// Its executable lines, each with whether it has run.
    pub fn lines(&self) -> impl Iterator<Item = (u32, bool)> {
        let lines = self.0.iter().filter(|((part, ..), _)| *part == Part::Line);
        lines.map(|((_, line, _), ratio)| (*line, ratio.covered > 0))
    }
}

impl CoverageReport {
    /// Reads what the report says about files of a work tree with these `files`. `tops` are the absolute paths by which programs may
    /// call its top, and `path` is that of the report itself, from the top.
    #[must_use]
    pub fn placed(self, files: &BTreeSet<String>, tops: &[&str], path: &str) -> Self {
        let above = path.match_indices('/').map(|(end, _)| &path[..end]);
        let folders: Vec<&str> = std::iter::once("").chain(above).collect();
        let mut placed = Self::default();
        for (name, file) in self.files {
            let readings: Vec<String> = match self.sources.as_slice() {
                sources if sources.is_empty() || name.starts_with('/') => vec![name],
                sources => sources.iter().map(|source| joined(source, &name)).collect(),
            };
            let places = |reading: &String| {
                let below = |top: &&str| reading.strip_prefix(*top)?.strip_prefix('/');
                match tops.iter().find_map(below) {
                    Some(path) => vec![path.to_owned()],
                    None => folders.iter().map(|folder| joined(folder, reading)).collect(),
                }
            };
            let mut found: BTreeSet<String> = readings.iter().flat_map(places).collect();
            found.retain(|path| files.contains(path));
            let path = match found.len() {
                0 => readings.into_iter().next(),
                1 => found.pop_first(),
                _ => None,
            };
            let Some(path) = path else { continue };
            placed.merge(Self { files: BTreeMap::from([(path, file)]), sources: Vec::new() });
        }
        placed
    }

    /// Adds another report about files of the same work tree.
    pub fn merge(&mut self, other: Self) {
        for (path, other) in other.files {
            let file = self.files.entry(path).or_default();
            for ((part, line, name), ratio) in other.0 {
                file.add(part, line, &name, ratio);
            }
        }
    }

    /// How many of these parts the tests have reached, in all files of the report; `None` if it names none.
    #[must_use]
    pub fn total(&self, part: Part) -> Option<Ratio> {
        let parts = self.files.values().flat_map(|file| &file.0);
        parts.filter(|((known, ..), _)| *known == part).map(|(_, ratio)| *ratio).sum::<Ratio>().known()
    }

    /// The executable lines that have not run, of each file that has any.
    #[must_use]
    pub fn uncovered(&self) -> FileLines {
        let not_run = |file: &FileCoverage| {
            file.lines().filter(|(_, has_run)| !has_run).map(|(line, _)| line).collect()
        };
        let files = self.files.iter().map(|(path, file)| (path.clone(), not_run(file)));
        files.filter(|(_, lines): &(String, Vec<u32>)| !lines.is_empty()).collect()
    }

    /// Compares changed lines with the report.
    #[must_use]
    pub fn of_change(&self, changed: &FileLines) -> DiffCoverage {
        let mut diff = DiffCoverage::default();
        for (path, lines) in changed {
            let Some(file) = self.files.get(path) else {
                diff.unknown.push(path.clone());
                continue;
            };
            for (line, has_run) in file.lines().filter(|(line, _)| lines.binary_search(line).is_ok()) {
                diff.ratio = [diff.ratio, Ratio::one(has_run)].into_iter().sum();
                if !has_run {
                    diff.uncovered.entry(path.clone()).or_default().push(line);
                }
            }
        }
        diff
    }
}

/// Whether a count in a report is greater than zero; `None` if it is no count. Old versions of gcov write `1e+06`, and
/// overflown counters are negative or very large.
pub(super) fn has_run(count: &str) -> Option<bool> {
    let count: f64 = count.trim().parse().ok()?;
    count.is_finite().then_some(count > 0.0)
}

/// A folder, which may be the top, and a path below it.
fn joined(folder: &str, path: &str) -> String {
    if folder.is_empty() { path.to_owned() } else { format!("{}/{path}", folder.trim_end_matches('/')) }
}

/// How many ranges of lines are shown of one file.
const SHOWN: usize = 20;

/// Lines for people, one text for each file: `src/a.py:3-5,9`.
#[must_use]
pub fn shown_lines(files: &FileLines) -> Vec<String> {
    let shown = |(path, lines): (&String, &Vec<u32>)| {
        let runs = lines.chunk_by(|one, next| one.checked_add(1) == Some(*next));
        let mut ranges: Vec<String> = runs
            .map(|run| match run {
                [first, .., last] => format!("{first}-{last}"),
                only => only.iter().map(u32::to_string).collect(),
            })
            .collect();
        if ranges.len() > SHOWN {
            ranges.truncate(SHOWN);
            ranges.push("...".to_owned());
        }
        format!("{path}:{}", ranges.join(","))
    };
    files.iter().map(shown).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(lines: &[(u32, bool)]) -> FileCoverage {
        let mut file = FileCoverage::default();
        lines.iter().for_each(|(line, has_run)| file.add(Part::Line, *line, "", Ratio::one(*has_run)));
        file
    }

    fn report(path: &str, lines: &[(u32, bool)]) -> CoverageReport {
        CoverageReport {
            files: BTreeMap::from([(path.to_owned(), file(lines))]),
            ..CoverageReport::default()
        }
    }

    fn changed<const N: usize>(files: [(&str, &[u32]); N]) -> FileLines {
        files.map(|(path, lines)| (path.to_owned(), lines.to_vec())).into()
    }

    #[test]
    fn executable_changed_lines_are_covered_or_listed() {
        let changed = changed([("src/a.py", &[2, 3, 4, 5, 6, 7, 8, 9, 20]), ("README.md", &[1, 2])]);
        let not_run = [3, 4, 5, 9, 20, 1].map(|line| (line, false));
        let report = report("src/a.py", &[&not_run[..], &[(2, true), (8, true)]].concat());
        let diff = report.of_change(&changed);
        assert_eq!(diff.ratio, Ratio::new(2, 7));
        assert_eq!(shown_lines(&diff.uncovered), ["src/a.py:3-5,9,20"]);
        assert_eq!(shown_lines(&report.uncovered()), ["src/a.py:1,3-5,9,20"]);
        assert_eq!(diff.unknown, ["README.md"]);
    }

    #[test]
    fn nothing_is_known_if_no_changed_line_is_executable() {
        let changed = changed([("src/a.py", &[2, 3])]);
        assert_eq!(report("src/a.py", &[(1, true)]).of_change(&changed).ratio.known(), None);
        assert_eq!(CoverageReport::default().of_change(&changed).ratio.known(), None);
    }

    #[test]
    fn a_line_that_ran_in_one_of_two_reports_is_covered() {
        let mut both = report("a", &[(1, false), (2, false), (3, true)]);
        both.merge(report("a", &[(2, true), (3, false), (4, false)]));
        let diff = both.of_change(&changed([("a", &[1, 2, 3, 4])]));
        assert_eq!(shown_lines(&diff.uncovered), ["a:1,4"]);
        assert_eq!(diff.ratio, Ratio::new(2, 4));
    }

    #[test]
    fn two_runs_together_cover_what_either_covers() {
        let run = |first, second| {
            let mut run = report("a", &[(1, first), (2, second)]);
            let file = run.files.get_mut("a").unwrap();
            file.add(Part::Branch, 1, "a", Ratio::one(first));
            file.add(Part::Branch, 1, "b", Ratio::one(second));
            // Three of four things in each run may be the same three.
            file.add(Part::Function, 1, "", Ratio::new(3, 4));
            run
        };
        let mut both = run(true, false);
        both.merge(run(false, true));
        let totals = Part::ALL.map(|(part, _)| both.total(part));
        assert_eq!(totals, [Ratio::new(2, 2), Ratio::new(2, 2), Ratio::new(3, 4)].map(Some));
        assert_eq!(Part::ALL.map(|(part, _)| CoverageReport::default().total(part)), [None; 3]);
    }

    #[test]
    fn counts_of_any_form_are_read() {
        for (text, expected) in [
            ("3", Some(true)),
            (" 3 ", Some(true)),
            ("0", Some(false)),
            ("-1", Some(false)),
            ("1e+06", Some(true)),
            ("18446744073709551616", Some(true)),
            ("=====", None),
            ("", None),
            ("NaN", None),
            ("inf", None),
        ] {
            assert_eq!(has_run(text), expected, "{text}");
        }
    }

    #[test]
    fn lines_are_shown_as_ranges_and_long_lists_are_cut() {
        assert_eq!(shown_lines(&changed([("a b.py", &[3, 4, 5, 9])])), ["a b.py:3-5,9"]);
        let many: Vec<u32> = (1..100).map(|number| number * 2).collect();
        let shown = shown_lines(&changed([("a", &many)]));
        assert!(shown[0].ends_with("38,40,..."), "{shown:?}");
    }

    /// Where these files are; `-` if that is not clear, or they are not in the work tree.
    fn places(files: &[&str], sources: &[&str], names: &[&str], path: &str) -> Vec<String> {
        let files: BTreeSet<String> = files.iter().map(|file| (*file).to_owned()).collect();
        let sources: Vec<String> = sources.iter().map(|source| (*source).to_owned()).collect();
        let place = |name: &&str| {
            let report = CoverageReport { sources: sources.clone(), ..report(name, &[(1, true)]) };
            let placed = report.placed(&files, &["/project/here", "/private/project/here"], path);
            placed.files.into_keys().find(|path| files.contains(path)).unwrap_or_else(|| "-".to_owned())
        };
        names.iter().map(place).collect()
    }

    #[test]
    fn absolute_paths_below_the_top_are_those_files_and_no_others() {
        let files = ["src/a.py", "a.py"];
        let names = [
            "/project/here/src/a.py",
            "/private/project/here/a.py",
            "/project/here/x/a.py",
            "/other/src/a.py",
            "C:/project/src/a.py",
        ];
        assert_eq!(places(&files, &[], &names, "c.xml"), ["src/a.py", "a.py", "-", "-", "-"]);
    }

    #[test]
    fn relative_paths_begin_at_the_top_or_in_a_folder_above_the_report() {
        let files = ["src/a.js", "packages/a/src/a.js", "packages/a/src/b.js"];
        let places = |names: &[&str], report_path| places(&files, &[], names, report_path);
        assert_eq!(places(&["src/a.js", "src/b.js"], "coverage/lcov.info"), ["src/a.js", "-"]);
        let in_package = places(&["src/a.js", "src/b.js"], "packages/a/coverage/lcov.info");
        assert_eq!(in_package, ["-", "packages/a/src/b.js"], "the first one may be either");
        assert_eq!(places(&["src/a.js"], "packages/abc/lcov.info"), ["src/a.js"]);
        assert_eq!(places(&["src/c.js", "a.js/"], "coverage/lcov.info"), ["-", "-"]);
    }

    #[test]
    fn sources_of_cobertura_stand_before_the_names() {
        let files = ["shop/a.py", "a.py", "lib/b.py", "shop/c.py", "lib/c.py"];
        let places = |sources: &[&str], names: &[&str]| places(&files, sources, names, "c.xml");
        let here = ["/project/here/shop", "/project/here/lib"];
        assert_eq!(places(&here, &["a.py", "b.py", "c.py", "d.py"]), ["shop/a.py", "lib/b.py", "-", "-"]);
        assert_eq!(places(&["/ci/shop"], &["a.py"]), ["-"]);
        assert_eq!(places(&["shop"], &["a.py"]), ["shop/a.py"]);
        assert_eq!(places(&[""], &["lib/b.py"]), ["lib/b.py"]);
        assert_eq!(places(&["/elsewhere"], &["/project/here/a.py"]), ["a.py"]);
    }

    #[test]
    fn two_entries_of_one_file_are_put_together_and_what_is_elsewhere_counts() {
        let names = ["/project/here/a.py", "/private/project/here/a.py", "/elsewhere/a.py"];
        let files =
            (1..).zip(names).map(|(line, name)| (name.to_owned(), file(&[(line, line > 1)]))).collect();
        let report = CoverageReport { files, ..CoverageReport::default() };
        let placed =
            report.placed(&["a.py".to_owned()].into(), &["/project/here", "/private/project/here"], "c");
        assert_eq!(placed.files["a.py"].lines().collect::<Vec<_>>(), [(1, false), (2, true)]);
        assert_eq!(placed.total(Part::Line), Some(Ratio::new(2, 3)));
    }
}
