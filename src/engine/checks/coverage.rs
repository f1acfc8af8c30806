//! Judges how much the tests of a task cover, from the reports that its commands have written.

use crate::config::CheckLevel;
use crate::engine::run_context::context::RunContext;
use crate::engine::run_context::settings::CoverageSettings;
use crate::error::Result;
use crate::files;
use crate::git::FilePatch;
use crate::history::{TaskStep, changed_paths};
use crate::plan::{TestCommand, TestType};
use crate::record::{Check, Finding, Severity, StepDraft};
use crate::run::change::trace::{ChangedFile, changed_files};
use crate::run::steps::implement_commits::implement_commits;
use crate::suite::Language;
use crate::suite::coverage::{
    CoverageReport, DiffCoverage, FileLines, Part, Ratio, Versions, may_list_exclusions, new_exclusions,
    shown_lines,
};
use crate::suite::{TestResults, TestRun};
use crate::text::{listed, one_line};
use crate::trust::files::is_test_side;
use crate::trust::inline::test_part;

/// How much the tests of a task cover.
#[derive(Default)]
pub(crate) struct TaskCoverage {
    /// What all reports together say.
    report: CoverageReport,
    diff: DiffCoverage,
    /// Changed files that no report knows, although it knows others of their kind.
    unmeasured: Vec<String>,
    /// Why nothing is known, as clauses.
    unknown: Vec<String>,
}

impl TaskCoverage {
    /// What the reports of these commands say about the change of a task; `None` if no command has a report, or the check
    /// is off. If one report is missing, nothing is known: it might cover what the others do not.
    ///
    /// # Errors
    /// If git cannot list the files of the work tree.
    pub(crate) fn of(run: &RunContext<'_>, results: &TestResults, change: &[u8]) -> Result<Option<Self>> {
        if run.settings.tests.coverage.level.severity().is_none() {
            return Ok(None);
        }
        let measured = || results.runs.iter().filter_map(|run| Some((run, run.coverage.as_ref()?)));
        if measured().next().is_none() {
            return Ok(None);
        }
        let files =
            run.git.known_files()?.into_iter().filter_map(|path| String::from_utf8(path).ok()).collect();
        let top = &run.work_tree.top;
        let tops = [top.clone(), top.canonicalize().unwrap_or_else(|_| top.clone())];
        let tops = tops.each_ref().map(|top| top.to_string_lossy());
        let mut all = CoverageReport::default();
        let mut unknown = Vec::new();
        for (test, coverage) in measured() {
            match &coverage.report {
                Ok(report) => {
                    all.merge(report.clone().placed(
                        &files,
                        &tops.each_ref().map(AsRef::as_ref),
                        &coverage.path,
                    ));
                }
                Err(why) => {
                    let [path, command, why] =
                        [&coverage.path, &test.command, why].map(|text| one_line(text));
                    unknown.push(format!("{path} of `{command}` {why}"));
                }
            }
        }
        if !unknown.is_empty() {
            return Ok(Some(Self { unknown, ..Self::default() }));
        }
        let diff = all.of_change(&changed_source(run, change));
        let is_unmeasured = |path: &&String| all.files.is_empty() || knows_kind_of(&all, path);
        let unmeasured = diff.unknown.iter().filter(is_unmeasured).cloned().collect();
        Ok(Some(Self { report: all, unmeasured, diff, unknown }))
    }

    /// The findings: what the tests cover less than they must.
    pub(crate) fn findings(&self, wanted: &CoverageSettings) -> Vec<Finding> {
        let Some(severity) = wanted.level.severity() else { return Vec::new() };
        let mut found = Vec::new();
        let least = [wanted.lines, wanted.branches, wanted.functions, wanted.statements, wanted.diff];
        let is_wanted = wanted.level == CheckLevel::Require || least.iter().any(Option::is_some);
        if !self.unknown.is_empty() {
            let finding = Finding::new(Check::Coverage, severity, "The coverage was not measured");
            return is_wanted.then(|| finding.at(&self.unknown)).into_iter().collect();
        }
        if is_wanted && !self.unmeasured.is_empty() {
            let seen = "The coverage of these changed files was not measured";
            found.push(Finding::new(Check::Coverage, severity, seen).at(&self.unmeasured));
        }
        if let (Some(ratio), Some(least)) = (self.diff.ratio.known(), wanted.diff)
            && is_less(ratio, least)
        {
            let Ratio { covered, total } = ratio;
            let seen = format!(
                "The tests cover {covered} of the {total} changed lines, and {least} % of them must be covered"
            );
            found.push(Finding::new(Check::Coverage, severity, &seen).at(shown_lines(&self.diff.uncovered)));
        }
        found.extend(self.of_totals(wanted, severity));
        found
    }

    /// The findings about the whole. The lines that the task has not covered come first, because it can cover them best.
    fn of_totals(&self, wanted: &CoverageSettings, severity: Severity) -> Vec<Finding> {
        let [lines, branches, functions] = Part::ALL.map(|(part, _)| self.report.total(part));
        let all = [
            ("lines", lines, wanted.lines),
            ("branches", branches, wanted.branches),
            ("functions", functions, wanted.functions),
            // Neither format of reports counts them.
            ("statements", None, wanted.statements),
        ];
        let own = shown_lines(&self.diff.uncovered);
        let places = if own.is_empty() { shown_lines(&self.report.uncovered()) } else { own };
        let finding = |what: &str, ratio: Ratio, least: f64| {
            let share = tenths(ratio);
            let seen = format!("The tests cover {share} % of all {what}, and {least} % must be covered");
            Finding::new(Check::Coverage, severity, &seen).at(&places)
        };
        let below = |(what, ratio, least): (&str, Option<Ratio>, Option<f64>)| match (ratio, least?) {
            (Some(ratio), least) => is_less(ratio, least).then(|| finding(what, ratio, least)),
            (None, least) => {
                let seen = format!("The coverage of {what} was not measured, and {least} % must be covered");
                Some(Finding::new(Check::Coverage, severity, &seen))
            }
        };
        all.into_iter().filter_map(below).collect()
    }

    /// Adds the coverage to a test step.
    pub(crate) fn describe(&self, draft: &mut StepDraft) {
        draft.notes.extend(self.unknown.iter().map(|why| format!("The coverage is unknown: {why}.")));
        let share = |(part, name)| Some(format!("{name}={}", tenths(self.report.total(part)?)));
        let shares: Vec<String> = Part::ALL.into_iter().filter_map(share).collect();
        draft.facts.coverage = Some(shares.join(" ")).filter(|shares| !shares.is_empty());
        if let Some(Ratio { covered, total }) = self.diff.ratio.known() {
            draft.notes.push(format!("The tests cover {covered} of the {total} changed lines."));
            draft.facts.not_covered = shown_lines(&self.diff.uncovered);
            draft.facts.changed_coverage = Some(format!("{covered}/{total}"));
        }
        if !self.unmeasured.is_empty() {
            let files = listed(&self.unmeasured);
            draft.notes.push(format!("The coverage of these changed files is unknown: {files}."));
        }
    }
}

/// The changed lines of a task in files that tests may run, without the tests themselves: covering those proves nothing.
fn changed_source(run: &RunContext<'_>, change: &[u8]) -> FileLines {
    let mut changed = FileLines::new();
    for file in FilePatch::all_in(change) {
        let mut lines = file.new_lines();
        if lines.is_empty() || is_test_side(&file.path) || is_of_tools(&file.path) {
            continue;
        }
        if let Ok(bytes) = files::read(&run.work_tree.top.join(&file.path), files::SMALL) {
            let text = source_in(&file.path, &bytes);
            let source: Vec<&str> = text.lines().map(str::trim).collect();
            let is_source = |line: u32| source.get(line as usize - 1).is_none_or(|line| !line.is_empty());
            lines.retain(|line| is_source(*line));
            if lines.is_empty() || !may_run(&file.path, &text) {
                continue;
            }
        }
        changed.insert(file.path, lines);
    }
    changed
}

/// A file of source as text, in which its tests are blank.
fn source_in(path: &str, bytes: &[u8]) -> String {
    let mut source = bytes.to_vec();
    for part in test_part(path, bytes).unwrap_or_default() {
        source[part].iter_mut().filter(|byte| **byte != b'\n').for_each(|byte| *byte = b' ');
    }
    String::from_utf8_lossy(&source).into_owned()
}

/// Whether a file is for the tools that build, check or document a program, so that tests do not run it.
fn is_of_tools(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.starts_with('.') || name.contains(".config.") || ["setup.py", "conf.py", "build.rs"].contains(&name)
}

/// Whether there may be anything to run in a file. Reports do not name files of Rust without functions, and files of
/// TypeScript that have only types.
fn may_run(path: &str, text: &str) -> bool {
    let words: &[&str] = match Language::of(path) {
        Some(Language::Rust) => &["fn "],
        Some(Language::JavaScript) => {
            &["function", "class ", "const ", "let ", "var ", "enum ", "return", "default "]
        }
        _ => return true,
    };
    words.iter().any(|word| text.contains(word))
}

/// Whether a report knows files of the same language or with the same ending as this one.
fn knows_kind_of(report: &CoverageReport, path: &str) -> bool {
    let ending = |path: &str| path.rsplit('/').next()?.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let kind = |path: &str| (Language::of(path), ending(path).filter(|_| Language::of(path).is_none()));
    let own = kind(path);
    own != (None, None) && report.files.keys().any(|known| kind(known) == own)
}

/// Whether less is covered than this many per cent.
fn is_less(ratio: Ratio, least: f64) -> bool {
    // Counts of code are far below the 2^53 from which on a float is no longer exact.
    #[allow(clippy::cast_precision_loss)]
    let (covered, total) = (ratio.covered as f64, ratio.total as f64);
    covered * 100.0 < total * least
}

/// The share in per cent with one decimal. It is rounded down, so that 100 means everything.
fn tenths(ratio: Ratio) -> String {
    let tenths = u128::from(ratio.covered) * 1000 / u128::from(ratio.total.max(1));
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// The warning that a task keeps code out of the coverage that was in it. `steps` are its steps, newest first.
///
/// # Errors
/// If an object cannot be read.
pub(crate) fn exclusion_findings(run: &RunContext<'_>, steps: &[TaskStep]) -> Result<Option<Finding>> {
    if run.settings.tests.coverage.level == CheckLevel::Off {
        return Ok(None);
    }
    let commits = implement_commits(&run.git, steps);
    let is_source = |path: &str| Language::of(path).is_some() && !is_test_side(path);
    let mut paths = changed_paths(run.repository, &commits)?;
    paths.retain(|path| {
        let path = String::from_utf8_lossy(path);
        is_source(&path) || may_list_exclusions(&path)
    });
    let changed = changed_files(run.repository, &commits, &paths)?;
    let texts: Vec<[String; 3]> = changed
        .iter()
        .map(|ChangedFile { path, before, after, .. }| {
            let path = String::from_utf8_lossy(path).into_owned();
            let [before, after] =
                [before, after].map(|content| source_in(&path, content.as_deref().unwrap_or_default()));
            [path, before, after]
        })
        .collect();
    let versions: Vec<Versions<'_>> = texts
        .iter()
        .map(|[path, before, after]| Versions { path, before, after, is_source: is_source(path) })
        .collect();
    let found = new_exclusions(&versions);
    let seen = "The change keeps code out of the coverage";
    let warning = || Finding::new(Check::Coverage, Severity::Warning, seen).at(&found);
    Ok((!found.is_empty()).then(warning))
}

/// Whether one of these commands says something about the change of a task, and not only about its result.
pub(crate) fn measures_change(commands: &[TestCommand]) -> bool {
    commands.iter().any(|command| command.kind == TestType::Mutation || command.coverage.is_some())
}

/// The findings of commands of type mutation, which are advisory.
pub(crate) fn mutation_findings(results: &TestResults) -> Vec<Finding> {
    let finding = |run: &TestRun| {
        let seen = format!(
            "The tests may miss mistakes in this change, because a mutation test ended with {}",
            run.status()
        );
        Finding::new(Check::Mutation, Severity::Warning, &seen).at([format!("`{}`", run.command)])
    };
    results.failed_advice().map(finding).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_rounded_down() {
        assert_eq!(tenths(Ratio::new(1, 3)), "33.3");
        assert_eq!(tenths(Ratio::new(9999, 10000)), "99.9");
        assert_eq!(tenths(Ratio::new(5, 5)), "100.0");
        assert!(is_less(Ratio::new(79, 99), 80.0) && !is_less(Ratio::new(4, 5), 80.0));
    }

    #[test]
    fn only_files_with_something_to_run_are_measured() {
        for (path, text, expected) in [
            ("src/a.rs", "pub struct A(u8);", false),
            ("src/a.rs", "fn a() {}", true),
            ("src/a.ts", "export interface A { of: () => string }", false),
            ("src/a.ts", "export const a = 1;", true),
            ("src/a.py", "", true),
        ] {
            assert_eq!(may_run(path, text), expected, "{path}: {text}");
        }
        assert!(
            is_of_tools("eslint.config.mjs") && is_of_tools("docs/conf.py") && !is_of_tools("src/config.py")
        );
    }

    #[test]
    fn the_tests_in_a_file_are_blank() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n}\nfn b() {}\n";
        let lines = source_in("src/a.rs", text.as_bytes());
        assert_eq!(lines.lines().map(str::trim).collect::<Vec<_>>(), ["fn a() {}", "", "", "", "fn b() {}"]);
    }
}
