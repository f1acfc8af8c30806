//! Judges the runs of a proof by the results of their test commands.

use std::collections::BTreeSet;

use super::report::{ProofRun, RunReport, Verdict};
use crate::record::Counts;
use crate::suite::{Failure, TestNames, TestOutcome, TestResults, TestRun};

/// How many lines of output a report keeps.
const LINES: usize = 12;

/// A report with what the results say themselves.
fn report(run: ProofRun, results: &TestResults, verdict: Verdict, seen: String) -> RunReport {
    let went_wrong = verdict != Verdict::Proven;
    RunReport {
        failure: results.failure(),
        counts: results.counts(),
        duration: results.runtime(),
        output: results.first_failed().filter(|_| went_wrong).map(last_lines).unwrap_or_default(),
        ..RunReport::without_run(run, verdict, seen)
    }
}

/// The last lines that a command has printed.
fn last_lines(run: &TestRun) -> String {
    let text = [&run.result.stderr, &run.result.stdout]
        .map(|stream| crate::text::clean(stream.tail_lossy(4096).as_bytes()))
        .into_iter()
        .find(|text| !text.trim().is_empty())
        .unwrap_or_default();
    let lines: Vec<&str> = text.trim_end().lines().collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
}

/// `12 tests pass`, or as much of it as is known.
fn passing(counts: Option<Counts>) -> String {
    match counts {
        Some(Counts { passed: 1, .. }) => "1 test passes".to_owned(),
        Some(Counts { passed, .. }) => format!("{passed} tests pass"),
        None => "the test commands succeed".to_owned(),
    }
}

/// Why the first command that failed did so, as a clause.
fn failed(results: &TestResults) -> String {
    results
        .first_failed()
        .map(|run| format!("`{}`: {}", crate::text::one_line(&run.command), run.status()))
        .unwrap_or_default()
}

fn named(names: &TestNames, outcome: TestOutcome) -> Vec<String> {
    names.with(outcome).map(str::to_owned).collect()
}

/// Tests that failed, or files that could not be loaded.
fn fallen(names: &TestNames) -> Vec<String> {
    let failed = named(names, TestOutcome::Failed);
    if failed.is_empty() { named(names, TestOutcome::NotLoaded) } else { failed }
}

/// The commit as it is: the tests must pass.
pub(super) fn clean(results: &TestResults) -> RunReport {
    let report = |verdict, seen| report(ProofRun::Clean, results, verdict, seen);
    if results.failure().is_some() {
        let seen = format!("the tests fail on the files of the commit alone ({})", failed(results));
        return RunReport { tests: fallen(&results.names()), ..report(Verdict::NotProven, seen) };
    }
    if results.counts().is_some_and(|counts| counts.passed + counts.failed == 0) {
        return report(Verdict::NotProven, "no test ran".to_owned());
    }
    report(Verdict::Proven, passing(results.counts()))
}

/// Without the change to the source: a test must fail. `before` are the tests that there were before the change, if
/// they are known.
pub(super) fn red(results: &TestResults, clean: &TestResults, before: Option<&TestNames>) -> RunReport {
    let report = |verdict, seen| report(ProofRun::Red, results, verdict, seen);
    let names = results.names();
    match results.failure() {
        None if fewer(results, clean) => {
            // Tests in source files went with the source.
            let seen = "tests are gone without the change, because they are in files of source that are new";
            report(Verdict::NotApplicable, seen.to_owned())
        }
        None => {
            let seen = "the tests pass without the change too, so they do not test it";
            report(Verdict::NotProven, seen.to_owned())
        }
        Some(Failure::NotRun) => {
            report(Verdict::NotApplicable, format!("{}, so this run says nothing", failed(results)))
        }
        Some(Failure::Build) => {
            let seen = "the tests cannot be built or loaded without the change (build failure)".to_owned();
            RunReport { tests: fallen(&names), ..report(Verdict::Proven, seen) }
        }
        Some(Failure::Unclear) => report(
            Verdict::Proven,
            format!("{} without the change; its output does not say which tests fail", failed(results)),
        ),
        Some(Failure::Tests) => {
            let noticing = named(&names, TestOutcome::Failed);
            let indifferent =
                before.map(|before| indifferent(&names, &clean.names(), before)).unwrap_or_default();
            let seen = format!("{} without the change", how_many_fail(results, clean, before));
            RunReport { tests: noticing, indifferent, ..report(Verdict::Proven, seen) }
        }
    }
}

/// Whether fewer tests ran than with the change.
fn fewer(red: &TestResults, clean: &TestResults) -> bool {
    red.counts().zip(clean.counts()).is_some_and(|(red, clean)| red.passed + red.skipped < clean.passed)
}

/// New tests that pass without the change as well.
fn indifferent(red: &TestNames, clean: &TestNames, before: &TestNames) -> Vec<String> {
    let is_new = |name: &&str| before.outcome_of(name).is_none();
    let passes = |name: &&str| red.outcome_of(name) == Some(TestOutcome::Passed);
    clean.with(TestOutcome::Passed).filter(is_new).filter(passes).map(str::to_owned).collect()
}

/// `3 of 7 new tests fail`, or as much of it as is known.
fn how_many_fail(red: &TestResults, clean: &TestResults, before: Option<&TestNames>) -> String {
    let (names, all) = (red.names(), clean.names());
    let are_all_named = clean.counts().is_some_and(|counts| all.agree_with(counts));
    let failing: BTreeSet<&str> = names.with(TestOutcome::Failed).collect();
    if let Some(before) = before.filter(|_| are_all_named && !failing.is_empty()) {
        let new: BTreeSet<&str> =
            all.with(TestOutcome::Passed).filter(|name| before.outcome_of(name).is_none()).collect();
        if failing.is_subset(&new) {
            return of_all(failing.len(), new.len(), "new test");
        }
    }
    if are_all_named && !failing.is_empty() {
        return of_all(failing.len(), all.with(TestOutcome::Passed).count(), "test");
    }
    match red.counts() {
        Some(Counts { passed, failed, .. }) => {
            let all = u64::from(passed) + u64::from(failed);
            of_all(failed as usize, usize::try_from(all).unwrap_or(usize::MAX), "test")
        }
        None => "tests fail".to_owned(),
    }
}

fn of_all(count: usize, all: usize, noun: &str) -> String {
    let verb = if count == 1 { "fails" } else { "fail" };
    let plural = if all == 1 { "" } else { "s" };
    format!("{count} of {all} {noun}{plural} {verb}")
}

/// Without the change to the tests: they must pass.
pub(super) fn old(results: &TestResults) -> RunReport {
    let report = |verdict, seen| report(ProofRun::Old, results, verdict, seen);
    match results.failure() {
        None => {
            let them = if results.counts().is_some_and(|counts| counts.passed == 1) {
                "it was"
            } else {
                "they were"
            };
            report(Verdict::Proven, format!("{} as {them} before the change", passing(results.counts())))
        }
        Some(Failure::NotRun) => {
            report(Verdict::NotApplicable, format!("{}, so this run says nothing", failed(results)))
        }
        Some(_) => {
            let seen = format!("tests as they were before the change fail with it ({})", failed(results));
            RunReport { tests: fallen(&results.names()), ..report(Verdict::NotProven, seen) }
        }
    }
}
