//! Judges the runs in which a test must fail: without the change, with other values in tests, and with one more test.

use std::collections::BTreeSet;

use super::judged::{fallen, named, pairs, ran_as_many, report};
use super::report::ProofRunReport;
use crate::record::{Counts, Outcome, ProofRun, RunWord};
use crate::suite::{Failure, TestOutcome, TestResults, TestRun};
use crate::text::{listed, one_line};
use crate::trust::canary::SCRIPT_SAYS;

/// When tests notice empty values, as the end of a clause.
const GIVEN: &str = "if what the change adds gives empty values";

/// What notices a change: it fails without it and passes with it.
#[derive(Clone, Debug, Default)]
pub(super) struct Evidence {
    pub(super) tests: BTreeSet<String>,
    /// Commands whose output names and counts no tests.
    pub(super) commands: BTreeSet<String>,
}

impl Evidence {
    /// The tests that fail in `red` and pass by name in `clean`, and the commands that do so and name none.
    pub(super) fn of(red: &TestResults, clean: &TestResults) -> Self {
        // Commands without counts beside some with counts are linters and type checks.
        let has_counts = clean.counts().is_some();
        let is_silent = |run: &TestRun| !has_counts && run.counts.is_none() && run.names.is_empty();
        let mut found = Self::default();
        for (red, clean) in pairs(red, clean) {
            let skipped = red.counts.map_or(0, |counts| counts.skipped);
            let passes = |name: &&str| passes_by_name(clean, name, skipped);
            let tests = red.names.with(TestOutcome::Failed).filter(passes);
            found.tests.extend(tests.map(str::to_owned));
            if is_silent(red) && is_silent(clean) && clean.passed() && red.failure() == Some(Failure::Unclear)
            {
                found.commands.insert(one_line(&red.command));
            }
        }
        found
    }

    pub(super) fn is_empty(&self) -> bool {
        self.tests.is_empty() && self.commands.is_empty()
    }

    /// The report of a run that shows it. `when` says what was done, as the end of a clause.
    pub(super) fn report(self, results: &TestResults, clean: &TestResults, when: &str) -> ProofRunReport {
        let Self { tests, commands } = self;
        let count = if tests.is_empty() { commands.len() } else { tests.len() };
        let fail = if count == 1 { "fails" } else { "fail" };
        let what = match (tests.len(), clean.counts().map(|counts| counts.passed)) {
            (0, _) => listed(&commands.iter().map(|command| format!("`{command}`")).collect::<Vec<_>>()),
            (_, Some(1)) => "the test".to_owned(),
            (count, Some(all)) if count <= all as usize => format!("{count} of {all} tests"),
            (1, _) => "1 test".to_owned(),
            (count, _) => format!("{count} tests"),
        };
        let report = report(ProofRun::Red, results, RunWord::Pass, format!("{what} {fail} {when}"));
        let (tests, commands) = (tests.into_iter().collect(), commands.into_iter().collect());
        ProofRunReport { tests, commands, ..report }
    }
}

/// Whether a test passed in a run: by its name where passed tests are named, otherwise because every test did that was not
/// skipped, as `skipped` are in the other run.
fn passes_by_name(run: &TestRun, name: &str, skipped: u32) -> bool {
    match (run.names.outcome_of(name), run.counts) {
        (Some(outcome), _) => outcome == TestOutcome::Passed,
        (None, Some(counts)) => {
            let all_pass = counts.failed == 0 && counts.skipped <= skipped && counts.passed > 0;
            all_pass && !run.names.agree_with(counts)
        }
        (None, None) => false,
    }
}

/// Without the change to the source, a test must fail that passes with it. `None` if nothing could be loaded, so that the run says
/// nothing about the tests.
pub(super) fn red(results: &TestResults, clean: &TestResults) -> Option<ProofRunReport> {
    let evidence = Evidence::of(results, clean);
    if !evidence.is_empty() {
        return Some(evidence.report(results, clean, "without the change"));
    }
    let gone = results.names().with(TestOutcome::NotLoaded).next().is_some()
        || results.counts().zip(clean.counts()).is_some_and(|(red, clean)| red.ran() < clean.ran());
    let fails_unnamed =
        |run: &TestRun| run.counts.is_some_and(|counts| counts.failed as usize > fallen(&run.names).len());
    let (verdict, seen) = match results.failure() {
        None if !gone => (RunWord::Fail, "no test notices the change: all pass without it too"),
        Some(Failure::Tests) if results.judging().any(fails_unnamed) => {
            (RunWord::NotApplicable, "tests fail without the change, but the output does not say which")
        }
        Some(Failure::Tests) if !gone => {
            (RunWord::Fail, "no test that passes with the change fails without it")
        }
        _ => return None,
    };
    Some(report(ProofRun::Red, results, verdict, seen))
}

/// Nothing could be loaded.
pub(super) fn not_loaded(results: &TestResults) -> ProofRunReport {
    let seen = "the tests cannot be built or loaded without the change";
    report(ProofRun::Red, results, RunWord::NotApplicable, seen)
}

/// With empty values in the place of what the change adds, a test must fail that passes with it. `accuses` says that the change is
/// unnoticed if all tests pass: they may name what is hollow, and name nothing else that the change touches.
pub(super) fn hollow(results: &TestResults, clean: &TestResults, accuses: bool) -> ProofRunReport {
    let evidence = Evidence::of(results, clean);
    if !evidence.is_empty() {
        return ProofRunReport { is_hollow: true, ..evidence.report(results, clean, GIVEN) };
    }
    if accuses && results.outcome() == Outcome::Pass && ran_as_many(results, clean) {
        let seen = format!("no test notices the change: all pass {GIVEN}");
        return ProofRunReport { is_hollow: true, ..report(ProofRun::Red, results, RunWord::Fail, seen) };
    }
    not_loaded(results)
}

/// Without a refactoring, the same tests end in the same way, as far as they are known.
pub(super) fn equal(results: &TestResults, clean: &TestResults) -> ProofRunReport {
    let of = |run: &TestRun| (run.passed(), run.counts, named(&run.names, TestOutcome::Failed));
    let (verdict, seen) = match results.runs.iter().map(of).eq(clean.runs.iter().map(of)) {
        true => (RunWord::None, "the tests give the same results as before the change"),
        false => (RunWord::Fail, "the tests give other results than before the change"),
    };
    report(ProofRun::Red, results, verdict, seen)
}

/// The tests that notice the change (`evidence`), with other values in them where they were `changed`: one of them must fail that passes
/// with its own values. `canaries` are the names of tests that were added and must fail anyway.
pub(super) fn literals(
    results: &TestResults,
    clean: &TestResults,
    evidence: &[String],
    changed: &[String],
    canaries: &[&str],
) -> ProofRunReport {
    let function = |name: &str| name.split('[').next().unwrap_or(name).to_owned();
    let is_noticed = pairs(results, clean).any(|(run, clean)| {
        // A case of a test may be named after its values, so that it has another name now.
        let is_meant = |name: &str| match clean.names.outcome_of(name) {
            None => !canaries.iter().any(|canary| name.contains(canary)),
            Some(TestOutcome::Passed) => evidence.iter().any(|test| function(test) == function(name)),
            Some(_) => false,
        };
        run.names.with(TestOutcome::Failed).any(is_meant)
    });
    let (verdict, places, seen) = if is_noticed {
        (RunWord::Pass, &[][..], "a test fails with another value in the place of one that it expects")
    } else if !ran_as_many(results, clean) {
        (RunWord::NotApplicable, &[][..], "not all tests ran with other values in them")
    } else {
        (RunWord::Fail, changed, "the tests still pass if the values that they expect here are changed")
    };
    ProofRunReport { tests: places.to_vec(), ..report(ProofRun::Literals, results, verdict, seen) }
}

/// What became of a test that must fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CanaryEnd {
    /// The commands failed, and counted it.
    Caught,
    /// It ran, and nothing failed, or it was not counted.
    Missed,
    /// It did not run.
    NotRun,
    /// The file with it could not be loaded.
    NotLoaded,
}

/// What became of the canary in a command that has run with it. `before` is the number of tests without it, and `name` is how an output
/// names it. `alone` says that nothing else was changed: then a test more that fails is the canary, even if it has no name.
pub(super) fn canary(run: &TestRun, before: Option<Counts>, name: &str, alone: bool) -> CanaryEnd {
    let is_it = |outcome| run.names.with(outcome).any(|found| found.contains(name));
    let both = run.counts.zip(before);
    let one_more = alone && both.is_some_and(|(now, before)| now.failed > before.failed);
    let ran_more = both.is_some_and(|(now, before)| now.total() > before.total());
    let is_counted = one_more || is_it(TestOutcome::Failed) || before.is_none();
    let is_unloaded = run.names.with(TestOutcome::NotLoaded).next().is_some();
    if (is_unloaded || run.failure() == Some(Failure::Build)) && !is_it(TestOutcome::Failed) {
        return CanaryEnd::NotLoaded;
    }
    // The failure is counted, but the exit status says success.
    if is_counted && run.hides_failures() {
        return CanaryEnd::Missed;
    }
    // A script has no name in the output, but it says that it ran.
    if name == SCRIPT_SAYS {
        return match (run.passed(), run.printed().contains(name)) {
            (false, _) => CanaryEnd::Caught,
            (true, true) => CanaryEnd::Missed,
            (true, false) => CanaryEnd::NotLoaded,
        };
    }
    match run.passed() {
        false if is_counted => CanaryEnd::Caught,
        false if run.counts.is_none() => CanaryEnd::NotLoaded,
        true if ran_more || is_it(TestOutcome::Passed) || one_more => CanaryEnd::Missed,
        _ => CanaryEnd::NotRun,
    }
}
