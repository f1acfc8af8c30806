//! Judges how much the tests of a task cover, from the reports that its commands have written.

use std::ops::RangeInclusive;

use crate::config::CheckLevel;
use crate::engine::run_context::context::RunContext;
use crate::engine::run_context::settings::CoverageSettings;
use crate::error::Result;
use crate::files;
use crate::git::Git;
use crate::plan::{TestCommand, TestType};
use crate::record::{Check, Finding, List, Severity, StepMessage};
use crate::run::change::task_diff::TaskDiff;
use crate::suite::coverage::{
    ChangedLines, CoverageReport, DiffCoverage, PlacedReport, Ratio, ReportTree, Totals,
};
use crate::suite::{TestResults, TestRun};
use crate::text::{listed, one_line};
use crate::trust::files::is_test_side;
use crate::trust::inline::test_part;

/// How much the tests of a task cover.
#[derive(Default)]
pub(crate) struct TaskCoverage {
    totals: Totals,
    diff: DiffCoverage,
    /// Changed files that no report knows, although it knows others of their kind.
    unmeasured: Vec<String>,
    /// The lines that are not covered anywhere, one text for each file.
    uncovered: Vec<String>,
    /// Why nothing is known, as clauses.
    unknown: Vec<String>,
}

impl TaskCoverage {
    /// What the reports of these commands say about the change of a task; `None` if no command has a report, or the check
    /// is off. If one report is missing, nothing is known: it might cover what the others do not.
    ///
    /// # Errors
    /// If git cannot list the files of the work tree.
    pub(crate) fn of(run: &RunContext<'_>, results: &TestResults, change: &TaskDiff) -> Result<Option<Self>> {
        if run.settings.tests.coverage.level.severity().is_none() {
            return Ok(None);
        }
        let measured: Vec<_> =
            results.runs.iter().filter_map(|run| Some((run, run.coverage.as_ref()?))).collect();
        if measured.is_empty() {
            return Ok(None);
        }
        let mut reports = Vec::new();
        let mut unknown = Vec::new();
        for (test, coverage) in measured {
            match &coverage.report {
                Ok(report) => reports.push(NamedReport { path: &coverage.path, report }),
                Err(why) => unknown.push(format!(
                    "{} of `{}` {}",
                    one_line(&coverage.path),
                    one_line(&test.command),
                    one_line(why)
                )),
            }
        }
        if !unknown.is_empty() {
            return Ok(Some(Self { unknown, ..Self::default() }));
        }
        let report = placed(run, &reports)?;
        let changed = changed_source(run, change);
        let diff = DiffCoverage::of(&changed, &report);
        let unmeasured = {
            let is_known = |path: &&String| report.files.is_empty() || knows_kind_of(&report, path);
            diff.unknown.iter().filter(is_known).cloned().collect()
        };
        let uncovered = report.uncovered().collect();
        Ok(Some(Self { totals: report.totals(), diff, unmeasured, uncovered, unknown }))
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
        if wanted.diff.is_some() && !self.unmeasured.is_empty() {
            let seen = "The coverage of these changed files was not measured";
            found.push(Finding::new(Check::Coverage, severity, seen).at(&self.unmeasured));
        }
        if let (Some(ratio), Some(least)) = (self.diff.ratio(), wanted.diff)
            && is_less(ratio, least)
        {
            let Ratio { covered, total } = ratio;
            let seen = format!(
                "The tests cover {covered} of the {total} changed lines, and {least} % of them must be covered"
            );
            found.push(Finding::new(Check::Coverage, severity, &seen).at(self.diff.uncovered()));
        }
        found.extend(self.of_totals(wanted, severity));
        found
    }

    /// The findings about the whole. The lines that the task has not covered come first, because it can cover them best.
    fn of_totals(&self, wanted: &CoverageSettings, severity: Severity) -> Vec<Finding> {
        let all = [
            ("lines", self.totals.lines, wanted.lines),
            ("branches", self.totals.branches, wanted.branches),
            ("functions", self.totals.functions, wanted.functions),
            // Neither format of reports counts them.
            ("statements", None, wanted.statements),
        ];
        let own: Vec<String> = self.diff.uncovered().collect();
        let places = if own.is_empty() { &self.uncovered } else { &own };
        let finding = |what: &str, ratio: Ratio, least: f64| {
            let share = tenths(ratio);
            let seen = format!("The tests cover {share} % of all {what}, and {least} % must be covered");
            Finding::new(Check::Coverage, severity, &seen).at(places)
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

    /// The message of a test step with the coverage.
    pub(crate) fn describe(&self, mut message: StepMessage) -> StepMessage {
        for why in &self.unknown {
            message = message.with_sentence(&format!("The coverage is unknown: {why}."));
        }
        let shares: Vec<String> =
            self.totals.known().map(|(name, ratio)| format!("{name}={}", tenths(ratio))).collect();
        let diff = self.diff.ratio();
        if let Some(Ratio { covered, total }) = diff {
            message = message
                .with_sentence(&format!("The tests cover {covered} of the {total} changed lines."))
                .listing(List::NotCovered, self.diff.uncovered());
        }
        if !self.unmeasured.is_empty() {
            let files = listed(&self.unmeasured);
            message =
                message.with_sentence(&format!("The coverage of these changed files is unknown: {files}."));
        }
        let diff = diff.map(|Ratio { covered, total }| format!("{covered}/{total}"));
        message.with_coverage(&shares.join(" "), &diff.unwrap_or_default())
    }
}

/// A report that a command has written at a path.
struct NamedReport<'a> {
    path: &'a str,
    report: &'a CoverageReport,
}

/// All reports together, with the files of the work tree.
fn placed(run: &RunContext<'_>, reports: &[NamedReport<'_>]) -> Result<PlacedReport> {
    let files: Vec<String> = tracked_files(&run.git)?;
    let top = &run.work_tree.top;
    let real = top.canonicalize().unwrap_or_else(|_| top.clone());
    let tops = [top.to_string_lossy(), real.to_string_lossy()];
    let tree = ReportTree::new(files, &[tops[0].as_ref(), tops[1].as_ref()]);
    let mut all = PlacedReport::default();
    for NamedReport { path, report } in reports {
        all.merge(tree.place((*report).clone(), path));
    }
    Ok(all)
}

fn tracked_files(git: &Git) -> Result<Vec<String>> {
    Ok(git.known_files()?.into_iter().filter_map(|path| String::from_utf8(path).ok()).collect())
}

/// The changed lines of a task without those of tests. Tests run themselves, so covering them proves nothing.
fn changed_source(run: &RunContext<'_>, change: &TaskDiff) -> ChangedLines {
    let mut changed = ChangedLines::of_diff(change.patch());
    changed.retain(|path| !is_test_side(path));
    let paths: Vec<String> = changed.files().map(|(path, _)| path.to_owned()).collect();
    for path in paths {
        let Ok(bytes) = files::read(&run.work_tree.top.join(&path), files::SMALL) else { continue };
        for part in test_part(&path, &bytes).unwrap_or_default() {
            changed.remove(&path, &lines_of(&bytes, part));
        }
    }
    changed
}

/// The lines of a range of bytes.
fn lines_of(bytes: &[u8], part: std::ops::Range<usize>) -> RangeInclusive<u32> {
    let ends =
        |text: &[u8]| u32::try_from(text.iter().filter(|byte| **byte == b'\n').count()).unwrap_or(u32::MAX);
    let first = ends(&bytes[..part.start]).saturating_add(1);
    let text = &bytes[part];
    first..=first.saturating_add(ends(text.strip_suffix(b"\n").unwrap_or(text)))
}

/// Whether a report knows files with the same ending as this one.
fn knows_kind_of(report: &PlacedReport, path: &str) -> bool {
    let ending = |path: &str| path.rsplit('/').next()?.rsplit_once('.').map(|(_, ending)| ending.to_owned());
    let own = ending(path);
    own.is_some() && report.files.keys().any(|known| ending(known) == own)
}

/// Whether less is covered than this many per cent.
fn is_less(ratio: Ratio, least: f64) -> bool {
    ratio.percent().is_some_and(|percent| percent < least)
}

/// The share in per cent with one decimal. It is rounded down, so that 100 means everything.
fn tenths(ratio: Ratio) -> String {
    let tenths = u128::from(ratio.covered) * 1000 / u128::from(ratio.total.max(1));
    format!("{}.{}", tenths / 10, tenths % 10)
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
    fn lines_are_counted_from_one() {
        let text = b"a\nbb\nccc\n";
        assert_eq!(lines_of(text, 0..2), 1..=1);
        assert_eq!(lines_of(text, 2..9), 2..=3);
        assert_eq!(lines_of(text, 2..8), 2..=3);
        assert_eq!(lines_of(text, 5..9), 3..=3);
    }
}
