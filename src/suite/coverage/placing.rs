//! Finds the files of the work tree that a report is about.
//!
//! A file is found only where there is no doubt; coverage of the wrong file would be worse than none. An absolute path
//! below the top of the work tree is that file, or none. A relative path begins at the top, or in a folder above the report;
//! if files of several of them fit, it is none of them. What a report of another machine names is not found.

use std::collections::{BTreeMap, BTreeSet};

use super::hits::shown_lines;
use super::name::{FileName, is_absolute};
use super::report::{CoverageReport, FileCoverage, Totals};

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
    /// The files that are not in the work tree, or of which it is not clear which ones they are.
    pub elsewhere: BTreeMap<FileName, FileCoverage>,
}

impl PlacedReport {
    /// Adds another report.
    pub fn merge(&mut self, other: Self) {
        other.files.into_iter().for_each(|(path, file)| add(&mut self.files, path, file));
        other.elsewhere.into_iter().for_each(|(name, file)| add(&mut self.elsewhere, name, file));
    }

    /// The lines that have not run, for people: `src/a.py:3-5,9`, one text for each file.
    pub fn uncovered(&self) -> impl Iterator<Item = String> {
        self.files.iter().filter_map(|(path, file)| {
            let all = file.lines.within(1..=u32::MAX);
            let lines: Vec<u32> = all.filter(|(_, runs)| *runs == 0).map(|(line, _)| line).collect();
            (!lines.is_empty()).then(|| shown_lines(path, &lines))
        })
    }

    /// The coverage of all files of the report, wherever they are.
    #[must_use]
    pub fn totals(&self) -> Totals {
        Totals::of(self.files.values().chain(self.elsewhere.values()))
    }
}

fn add<K: Ord>(files: &mut BTreeMap<K, FileCoverage>, key: K, file: FileCoverage) {
    match files.get_mut(&key) {
        Some(known) => known.merge(file),
        None => {
            files.insert(key, file);
        }
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
        for file in report.files {
            match self.find(&file.name, report_path) {
                Some(path) => add(&mut placed.files, path, file),
                None => add(&mut placed.elsewhere, file.name.clone(), file),
            }
        }
        placed
    }

    /// The only file that a name may stand for.
    fn find(&self, name: &FileName, report_path: &str) -> Option<String> {
        let above = report_path.match_indices('/').map(|(end, _)| &report_path[..=end]);
        let folders: Vec<&str> = std::iter::once("").chain(above).collect();
        let mut found = BTreeSet::new();
        for reading in name.readings() {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(files: &[&str]) -> ReportTree {
        let files = files.iter().map(|file| (*file).to_owned());
        ReportTree::new(files, &["/project/here/", "/private/project/here"])
    }

    fn path(name: &str) -> FileName {
        FileName::Path(name.to_owned())
    }

    /// Where these files are; `-` if that is not clear.
    fn places(tree: &ReportTree, names: &[FileName], report_path: &str) -> Vec<String> {
        let place = |name| tree.find(name, report_path).unwrap_or_else(|| "-".to_owned());
        names.iter().map(place).collect()
    }

    fn of_paths(files: &[&str], names: &[&str], report_path: &str) -> Vec<String> {
        places(&tree(files), &names.iter().map(|name| path(name)).collect::<Vec<_>>(), report_path)
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
        assert_eq!(of_paths(&files, &names, "c.xml"), ["src/a.py", "a.py", "-", "-", "-"]);
    }

    #[test]
    fn relative_paths_begin_at_the_top_or_in_a_folder_above_the_report() {
        let files = ["src/a.js", "packages/a/src/a.js", "packages/a/src/b.js"];
        assert_eq!(of_paths(&files, &["src/a.js", "src/b.js"], "coverage/lcov.info"), ["src/a.js", "-"]);
        let in_package = of_paths(&files, &["src/a.js", "src/b.js"], "packages/a/coverage/lcov.info");
        assert_eq!(in_package, ["-", "packages/a/src/b.js"], "the first one may be either");
        assert_eq!(of_paths(&files, &["src/a.js"], "packages/abc/lcov.info"), ["src/a.js"]);
        assert_eq!(of_paths(&files, &["src/c.js", "a.js/"], "coverage/lcov.info"), ["-", "-"]);
    }

    #[test]
    fn sources_of_cobertura_stand_before_the_names() {
        let below = |sources: &[&str], path: &str| FileName::Below {
            sources: sources.iter().map(|source| (*source).to_owned()).collect(),
            path: path.to_owned(),
        };
        let tree = tree(&["shop/a.py", "a.py", "lib/b.py", "shop/c.py", "lib/c.py"]);
        let here = ["/project/here/shop", "/project/here/lib"];
        let names = [below(&here, "a.py"), below(&here, "b.py"), below(&here, "c.py"), below(&here, "d.py")];
        assert_eq!(places(&tree, &names, "c.xml"), ["shop/a.py", "lib/b.py", "-", "-"]);
        assert_eq!(places(&tree, &[below(&["/ci/shop"], "a.py")], "c.xml"), ["-"]);
        assert_eq!(places(&tree, &[below(&["shop"], "a.py")], "c.xml"), ["shop/a.py"]);
        assert_eq!(places(&tree, &[below(&[""], "lib/b.py")], "c.xml"), ["lib/b.py"]);
        assert_eq!(places(&tree, &[below(&["/elsewhere"], "/project/here/a.py")], "c.xml"), ["a.py"]);
    }

    #[test]
    fn two_entries_of_one_file_are_put_together() {
        let mut one = FileCoverage::new(path("/project/here/a.py"));
        one.lines.add(1, 1);
        let mut other = FileCoverage::new(path("/private/project/here/a.py"));
        other.lines.add(2, 0);
        let placed = tree(&["a.py"]).place(CoverageReport { files: vec![one, other] }, "c");
        assert_eq!(placed.files["a.py"].lines.within(1..=2).count(), 2);
        assert!(placed.elsewhere.is_empty());
        assert_eq!(placed.totals().lines.map(|lines| (lines.covered, lines.total)), Some((1, 2)));
    }
}
