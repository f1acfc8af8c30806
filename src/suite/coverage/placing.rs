//! Finds the files of the work tree that a report is about.
//!
//! A file is found only where there is no doubt; coverage of the wrong file would be worse than none. An absolute path
//! below the top of the work tree is that file, or none. A relative path begins at the top, or in a folder above the report;
//! if files of several of them fit, it is none of them. What a report of another machine names is not found.

use std::collections::{BTreeMap, BTreeSet};

use super::report::{CoverageReport, FileCoverage, Totals, shown_lines};

/// The files of a work tree.
#[derive(Clone, Debug, Default)]
pub struct ReportTree {
    /// The paths of all files, from the top.
    files: BTreeSet<String>,
    tops: Vec<String>,
}

/// A report whose files are those of a work tree, as far as they are in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlacedReport {
    /// The files of the work tree, by their paths from the top.
    pub files: BTreeMap<String, FileCoverage>,
    /// The files that are not in the work tree, or of which it is not clear which ones they are, by their names in the first
    /// folder of sources.
    pub elsewhere: BTreeMap<String, FileCoverage>,
}

impl PlacedReport {
    /// Adds another report.
    pub fn merge(&mut self, other: Self) {
        other.files.into_iter().for_each(|(path, file)| self.files.entry(path).or_default().merge(file));
        let elsewhere = other.elsewhere.into_iter();
        elsewhere.for_each(|(name, file)| self.elsewhere.entry(name).or_default().merge(file));
    }

    /// The lines that have not run, for people: `src/a.py:3-5,9`, one text for each file.
    pub fn uncovered(&self) -> impl Iterator<Item = String> {
        self.files.iter().filter_map(|(path, file)| {
            let not_run = file.lines.iter().filter(|(_, has_run)| !**has_run);
            let lines: Vec<u32> = not_run.map(|(line, _)| *line).collect();
            (!lines.is_empty()).then(|| shown_lines(path, &lines))
        })
    }

    /// The coverage of all files of the report, wherever they are.
    #[must_use]
    pub fn totals(&self) -> Totals {
        Totals::of(self.files.values().chain(self.elsewhere.values()))
    }
}

impl ReportTree {
    /// The work tree with these files, given by their paths from the top. `tops` are the absolute paths by which programs
    /// may call the top.
    pub fn new(files: impl IntoIterator<Item = String>, tops: &[&str]) -> Self {
        let tops = tops.iter().map(|top| top.trim_end_matches('/').to_owned()).collect();
        Self { files: files.into_iter().collect(), tops }
    }

    /// Finds the files of a report. `report_path` is the path of the report itself, from the top.
    #[must_use]
    pub fn place(&self, report: CoverageReport, report_path: &str) -> PlacedReport {
        let mut placed = PlacedReport::default();
        let first = report.sources.first().map_or("", String::as_str);
        for (name, file) in report.files {
            let found = match self.find(&report.sources, &name, report_path) {
                Some(path) => placed.files.entry(path).or_default(),
                None => placed.elsewhere.entry(joined(first, &name)).or_default(),
            };
            found.merge(file);
        }
        placed
    }

    /// The only file that a name may stand for.
    fn find(&self, sources: &[String], name: &str, report_path: &str) -> Option<String> {
        let readings = match sources {
            sources if sources.is_empty() || is_absolute(name) => vec![name.to_owned()],
            sources => sources.iter().map(|source| joined(source, name)).collect(),
        };
        let above = report_path.match_indices('/').map(|(end, _)| &report_path[..=end]);
        let folders: Vec<&str> = std::iter::once("").chain(above).collect();
        let mut found = BTreeSet::new();
        for reading in readings {
            if let Some(path) = self.below_top(&reading) {
                found.insert(path.to_owned());
            } else if !is_absolute(&reading) {
                found.extend(folders.iter().map(|folder| format!("{folder}{reading}")));
            }
        }
        let mut found = found.into_iter().filter(|path| self.files.contains(path));
        found.next().filter(|_| found.next().is_none())
    }

    /// The path from the top, of a path below it.
    fn below_top<'p>(&self, path: &'p str) -> Option<&'p str> {
        self.tops.iter().find_map(|top| path.strip_prefix(top.as_str())?.strip_prefix('/'))
    }
}

/// A folder, which may be the one where the report begins, and a path below it.
fn joined(folder: &str, path: &str) -> String {
    match folder {
        "" => path.to_owned(),
        "/" => format!("/{path}"),
        folder => format!("{folder}/{path}"),
    }
}

/// Whether a path begins at a root or a drive.
fn is_absolute(path: &str) -> bool {
    let drive = path.as_bytes();
    path.starts_with('/') || matches!(drive, [letter, b':', b'/', ..] if letter.is_ascii_alphabetic())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Where these files are; `-` if that is not clear.
    fn places(files: &[&str], sources: &[&str], names: &[&str], report_path: &str) -> Vec<String> {
        let files = files.iter().map(|file| (*file).to_owned());
        let tree = ReportTree::new(files, &["/project/here/", "/private/project/here"]);
        let sources: Vec<String> = sources.iter().map(|source| (*source).to_owned()).collect();
        let place = |name| tree.find(&sources, name, report_path).unwrap_or_else(|| "-".to_owned());
        names.iter().map(|name| place(name)).collect()
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
    fn two_entries_of_one_file_are_put_together() {
        let lines =
            |line, has_run| FileCoverage { lines: [(line, has_run)].into(), ..FileCoverage::default() };
        let files = [("/project/here/a.py", lines(1, true)), ("/private/project/here/a.py", lines(2, false))];
        let files = files.map(|(name, file)| (name.to_owned(), file)).into();
        let tree = ReportTree::new(["a.py".to_owned()], &["/project/here/", "/private/project/here"]);
        let placed = tree.place(CoverageReport { files, ..CoverageReport::default() }, "c");
        assert_eq!(placed.files["a.py"].lines, [(1, true), (2, false)].into());
        assert!(placed.elsewhere.is_empty());
        assert_eq!(placed.totals().lines.map(|lines| (lines.covered, lines.total)), Some((1, 2)));
    }
}
