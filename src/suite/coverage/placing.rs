//! Finds the files of the work tree that a report is about.
//!
//! A report may have been written in another folder, on another machine, or in a container, and may name files by
//! packages instead of paths. A file is found only where there is no doubt; coverage of the wrong file would be worse
//! than none. The rules:
//!
//! - An absolute path below the top of the work tree is that file, or none.
//! - Absolute paths of another machine must all begin with the same folder, which stands for the top. It is the one with
//!   which most files are found.
//! - Relative paths must all begin in the same folder of the work tree. It is the one in which most files are found. If
//!   the top is one of several, it is the top, unless the report lies in another of them.
//! - A file in a Java package is the only file whose path ends with that package and that name.

use std::collections::{BTreeMap, BTreeSet};

use super::hits::shown_lines;
use super::name::{FileName, is_absolute};
use super::report::{CoverageReport, FileCoverage, Totals};

/// The files of a work tree, and what else tells which of them a report means.
#[derive(Clone, Debug, Default)]
pub struct ReportTree {
    /// The paths of all files, from the top, each under its parts in reverse order: files with the same end are neighbours.
    by_end: BTreeMap<String, String>,
    tops: Vec<String>,
    modules: Vec<GoModule>,
}

/// A Go module in the work tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GoModule {
    /// Its import path, as its `go.mod` says.
    pub path: String,
    /// The folder of its `go.mod`, from the top of the work tree; empty for the top itself.
    pub folder: String,
}

impl GoModule {
    /// The module of the `go.mod` in this folder; `None` if the file names none.
    #[must_use]
    pub fn read(folder: &str, go_mod: &str) -> Option<Self> {
        let words = go_mod.lines().map(|line| line.split("//").next().unwrap_or_default().split_whitespace());
        let path = words.into_iter().find_map(|mut words| match words.next() {
            Some("module") => words.next(),
            _ => None,
        })?;
        Some(Self {
            path: path.trim_matches(['"', '`']).to_owned(),
            folder: folder.trim_matches('/').to_owned(),
        })
    }
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
        let by_end = files.into_iter().map(|path| (reversed(&path), path)).collect();
        let tops = tops.iter().map(|top| top.trim_end_matches('/').to_owned()).collect();
        Self { by_end, tops, modules: Vec::new() }
    }

    /// With these Go modules in it.
    #[must_use]
    pub fn with_modules(mut self, modules: Vec<GoModule>) -> Self {
        self.modules = modules;
        // The module of a folder within another one comes first.
        self.modules.sort_by_key(|module| std::cmp::Reverse(module.path.len()));
        self
    }

    /// Finds the files of a report. `report_path` is the path of the report itself, from the top.
    #[must_use]
    pub fn place(&self, report: CoverageReport, report_path: &str) -> PlacedReport {
        let readings: Vec<Vec<String>> = report.files.iter().map(|file| file.name.readings()).collect();
        let mut found: Vec<Placement> = report
            .files
            .iter()
            .zip(&readings)
            .map(|(file, readings)| self.look_up(&file.name, readings))
            .collect();
        // A report that names files of this work tree by absolute paths was written here.
        if !found.iter().any(|found| matches!(found, Placement::Here(_))) {
            self.settle(&mut found, &readings, NameKind::Absolute, |path| self.heads_of(path));
        }
        self.settle_relative(&mut found, &readings, report_path);
        let mut placed = PlacedReport::default();
        for (file, found) in report.files.into_iter().zip(found) {
            match found {
                Placement::Here(Some(path)) | Placement::Settled(path) => add(&mut placed.files, path, file),
                _ => add(&mut placed.elsewhere, file.name.clone(), file),
            }
        }
        placed
    }

    /// What can be said about a name without looking at the others.
    fn look_up(&self, name: &FileName, readings: &[String]) -> Placement {
        match name {
            FileName::Package(path) => match self.ending_with(path).as_slice() {
                [only] => Placement::Settled((*only).to_owned()),
                _ => Placement::Unclear,
            },
            FileName::Import(path) => match self.in_module(path) {
                Some(path) => Placement::Here(self.has(&path).then_some(path)),
                None => Placement::Open(NameKind::Absolute),
            },
            FileName::Path(_) | FileName::Below { .. } => {
                let here: Vec<&str> = readings.iter().filter_map(|reading| self.below_top(reading)).collect();
                if here.is_empty() {
                    let absolute = readings.iter().all(|reading| is_absolute(reading));
                    return Placement::Open(if absolute { NameKind::Absolute } else { NameKind::Relative });
                }
                let there: BTreeSet<&str> = here.into_iter().filter(|path| self.has(path)).collect();
                let mut there = there.into_iter();
                Placement::Here(there.next().filter(|_| there.next().is_none()).map(str::to_owned))
            }
        }
    }

    /// The path from the top, of a path below it.
    fn below_top<'p>(&self, path: &'p str) -> Option<&'p str> {
        self.tops.iter().find_map(|top| path.strip_prefix(top.as_str())?.strip_prefix('/'))
    }

    /// The path of a file of a Go module, from its import path.
    fn in_module(&self, import: &str) -> Option<String> {
        self.modules.iter().find_map(|module| {
            let rest = import.strip_prefix(module.path.as_str())?.strip_prefix('/')?;
            Some(if module.folder.is_empty() { rest.to_owned() } else { format!("{}/{rest}", module.folder) })
        })
    }

    /// Settles the relative paths by the folder in which they begin; if there is none, by the folder above the top.
    fn settle_relative(&self, found: &mut [Placement], readings: &[Vec<String>], report_path: &str) {
        let votes = votes(found, readings, NameKind::Relative, |path| self.bases_of(path));
        if votes.is_empty() {
            self.settle(found, readings, NameKind::Relative, |path| self.heads_of(path));
            return;
        }
        let most = votes.values().copied().max();
        let best: Vec<&str> =
            votes.iter().filter(|(_, count)| Some(**count) == most).map(|(base, _)| base.as_str()).collect();
        let lies_in = |base: &str| report_path.strip_prefix(base).is_some_and(|rest| rest.starts_with('/'));
        let base = match best.as_slice() {
            [only] => *only,
            // The empty one is the top, and sorts first.
            ["", others @ ..] if !others.iter().any(|base| lies_in(base)) => "",
            _ => return,
        };
        take(found, readings, NameKind::Relative, |path| {
            let path = if base.is_empty() { path.to_owned() } else { format!("{base}/{path}") };
            self.has(&path).then_some(path)
        });
    }

    /// Settles the paths of one kind by the beginning that stands for the top, if there is one with which most files are
    /// found.
    fn settle(
        &self,
        found: &mut [Placement],
        readings: &[Vec<String>],
        kind: NameKind,
        heads_of: impl Fn(&str) -> Vec<String>,
    ) {
        let votes = votes(found, readings, kind, heads_of);
        let most = votes.values().copied().max();
        let mut best = votes.iter().filter(|(_, count)| Some(**count) == most).map(|(head, _)| head.as_str());
        let (Some(head), None) = (best.next(), best.next()) else { return };
        take(found, readings, kind, |path| {
            let rest = path.strip_prefix(head)?.strip_prefix('/')?;
            self.has(rest).then(|| rest.to_owned())
        });
    }

    /// The beginnings of a path whose rest is the path of a file.
    fn heads_of(&self, path: &str) -> Vec<String> {
        let splits = path.match_indices('/').map(|(at, _)| path.split_at(at));
        splits.filter(|(_, rest)| self.has(&rest[1..])).map(|(head, _)| head.to_owned()).collect()
    }

    /// The folders in which a relative path leads to a file; the empty one is the top.
    fn bases_of(&self, path: &str) -> Vec<String> {
        let base = |file: &str| file[..file.len() - path.len()].trim_end_matches('/').to_owned();
        self.ending_with(path).into_iter().map(base).collect()
    }

    fn has(&self, path: &str) -> bool {
        self.by_end.contains_key(&reversed(path))
    }

    /// The files whose paths end with these parts.
    fn ending_with(&self, path: &str) -> Vec<&str> {
        if path.is_empty() || is_absolute(path) {
            return Vec::new();
        }
        let end = reversed(path);
        let below = format!("{end}/");
        let deeper = self.by_end.range(below.clone()..).take_while(|(key, _)| key.starts_with(&below));
        self.by_end.get(&end).into_iter().chain(deeper.map(|(_, file)| file)).map(String::as_str).collect()
    }
}

/// What is known about where a file is.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Placement {
    /// It is at this place in the work tree, or certainly not a file of it.
    Here(Option<String>),
    /// It is at this place in the work tree, as the other names of the report show.
    Settled(String),
    /// There are several such files, or none.
    Unclear,
    /// The other names of the report must show it.
    Open(NameKind),
}

/// How the other names can show where a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NameKind {
    Absolute,
    Relative,
}

/// For each folder that the open names of this kind suggest, how many names do.
fn votes(
    found: &[Placement],
    readings: &[Vec<String>],
    kind: NameKind,
    folders_of: impl Fn(&str) -> Vec<String>,
) -> BTreeMap<String, usize> {
    let mut votes = BTreeMap::new();
    for (_, readings) in found.iter().zip(readings).filter(|(found, _)| **found == Placement::Open(kind)) {
        let folders: BTreeSet<String> = readings.iter().flat_map(|reading| folders_of(reading)).collect();
        folders.into_iter().for_each(|folder| *votes.entry(folder).or_default() += 1);
    }
    votes
}

/// Settles the open names of this kind of which exactly one reading is a file.
fn take(
    found: &mut [Placement],
    readings: &[Vec<String>],
    kind: NameKind,
    file_of: impl Fn(&str) -> Option<String>,
) {
    for (found, readings) in
        found.iter_mut().zip(readings).filter(|(found, _)| **found == Placement::Open(kind))
    {
        let files: BTreeSet<String> = readings.iter().filter_map(|reading| file_of(reading)).collect();
        let mut files = files.into_iter();
        *found = match (files.next(), files.next()) {
            (Some(only), None) => Placement::Settled(only),
            _ => Placement::Unclear,
        };
    }
}

/// The parts of a path in reverse order.
fn reversed(path: &str) -> String {
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.reverse();
    parts.join("/")
}

#[cfg(test)]
mod tests;
