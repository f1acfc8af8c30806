//! Judges the runs on the commit as it is and with the files that judge as they were before, by the results of their test
//! commands, and reads nothing else.

use std::collections::BTreeSet;

use super::ProofSubject;
use super::report::ProofRunReport;
use crate::record::{Counts, Outcome, ProofRun, RunWord};
use crate::suite::{Failure, TestNames, TestOutcome, TestResults, TestRun};
use crate::text::{ellipsis, one_line};
use crate::trust::awaited::excuses;
use crate::trust::counts::no_test_ran;
use crate::trust::no_tests::found_no_tests;

/// How many lines of output a report keeps.
const LINES: usize = 12;

/// How many characters of a line a sentence quotes.
const LINE: usize = 160;

/// How programs say that something is missing which they load.
const MISSING: [&str; 7] = [
    "ModuleNotFoundError: ",
    "No module named ",
    "ImportError: cannot import",
    "Cannot find module ",
    "Cannot find package ",
    "Failed to resolve import ",
    "Failed to load url ",
];

/// A report with what the results say themselves.
pub(super) fn report(
    run: ProofRun,
    results: &TestResults,
    verdict: RunWord,
    seen: impl Into<String>,
) -> ProofRunReport {
    let last_lines = |run: &TestRun| {
        let printed = [&run.result.stderr, &run.result.stdout];
        let printed = printed.map(|stream| crate::text::clean(stream.tail_lossy(4096).as_bytes()));
        let text = printed.iter().find(|text| !text.trim().is_empty()).map_or("", |text| text.trim_end());
        let lines: Vec<&str> = text.lines().collect();
        lines[lines.len().saturating_sub(LINES)..].join("\n")
    };
    let wrong = results.first_failed().filter(|_| verdict == RunWord::Fail);
    ProofRunReport {
        failure: results.failure(),
        counts: results.counts(),
        duration: Some(results.runtime()),
        output: wrong.map(last_lines).unwrap_or_default(),
        ..ProofRunReport::without_run(run, verdict, seen)
    }
}

/// What a failed command says of what it could not load, as the end of a clause; `None` if it ran its tests, as far as is known.
pub(super) fn not_loaded(run: &TestRun) -> Option<String> {
    let printed = run.printed();
    let lines = || printed.lines().map(str::trim).filter(|line| !line.is_empty());
    let missing = lines().rfind(|line| MISSING.iter().any(|said| line.contains(said)));
    let named = run.names.with(TestOutcome::NotLoaded).next().is_some();
    if missing.is_none() && !(named && run.failure() == Some(Failure::Build)) {
        return None;
    }
    let is_error = |line: &&str| line.to_ascii_lowercase().contains("error");
    let line = missing.or_else(|| lines().rfind(is_error)).or_else(|| lines().next_back());
    Some(line.map(|line| format!(" (`{}`)", ellipsis(&one_line(line), LINE))).unwrap_or_default())
}

/// `12 tests pass`, or as much of it as is known.
fn passing(counts: Option<Counts>) -> String {
    match counts {
        Some(Counts { passed: 1, .. }) => "1 test passes".to_owned(),
        Some(Counts { passed, .. }) => format!("{passed} tests pass"),
        None => "the test commands succeed".to_owned(),
    }
}

pub(super) fn named(names: &TestNames, outcome: TestOutcome) -> Vec<String> {
    names.with(outcome).map(str::to_owned).collect()
}

/// Tests that failed, or files that could not be loaded.
pub(super) fn fallen(names: &TestNames) -> Vec<String> {
    let failed = named(names, TestOutcome::Failed);
    if failed.is_empty() { named(names, TestOutcome::NotLoaded) } else { failed }
}

/// The commit as it is: the tests must pass.
pub(super) fn clean(results: &TestResults, subject: &ProofSubject) -> ProofRunReport {
    let report = |verdict, seen: String| report(ProofRun::Clean, results, verdict, seen);
    let counts = results.counts();
    if excuses(&subject.awaited, results) {
        let failed = counts.map_or(0, |counts| counts.failed);
        let seen = format!("{}, and {failed} that are awaited fail", passing(counts));
        return report(RunWord::Pass, seen);
    }
    let needs_no_proof = subject.expect.needs_no_proof();
    if needs_no_proof && found_no_tests(results) {
        return report(RunWord::None, "there is no test yet".to_owned());
    }
    let Some(failed) = results.first_failed() else {
        return match counts.and_then(no_test_ran) {
            Some(_) if !needs_no_proof => report(RunWord::Fail, "no test ran".to_owned()),
            _ => report(RunWord::Pass, passing(counts)),
        };
    };
    if let Some(why) = not_loaded(failed) {
        let seen = format!(
            "the tests cannot be loaded on a clean checkout{why}. `arborist.worktree.setup` prepares such a checkout, and \
             `arborist.worktree.copy` copies files into it that git ignores"
        );
        let tests = named(&results.names(), TestOutcome::NotLoaded);
        return ProofRunReport { tests, ..report(RunWord::NotApplicable, seen) };
    }
    let why = format!("`{}`: {}", one_line(&failed.command), failed.status());
    // An exit status alone can be given by the code that is judged.
    if results.failure() == Some(Failure::NotRun) && failed.missing_program().is_some() {
        let seen = format!(
            "the tests cannot run on a clean checkout ({why}). `arborist.worktree.setup` prepares such a checkout"
        );
        return report(RunWord::NotApplicable, seen);
    }
    let seen = format!("the tests fail on the files of the commit alone ({why})");
    ProofRunReport { tests: fallen(&results.names()), ..report(RunWord::Fail, seen) }
}

/// The tests from before the change on the changed source. None may fail that passes, or is gone, with the change: it passes only
/// because the files that judge were changed. Nor may fewer pass than `before`, if that is known. `changes_existing` says whether the
/// change touched files that judge and were there before, and did not only add some.
pub(super) fn old(
    results: &TestResults,
    clean: &TestResults,
    before: Option<Counts>,
    changes_existing: bool,
) -> ProofRunReport {
    let now = results.counts();
    let passed = now.map_or(0, |now| now.passed);
    // Where a setup command fails, no other command runs.
    let mut is_worse = clean.judging().any(|run| results.same(run).is_none())
        || before.is_some_and(|before| before.passed > passed);
    let mut lost = BTreeSet::new();
    for (run, clean) in pairs(results, clean).filter(|(run, _)| !run.passed()) {
        let fell = |name: &&str| {
            !matches!(clean.names.outcome_of(name), Some(TestOutcome::Failed | TestOutcome::NotLoaded))
        };
        let unloaded = run.names.with(TestOutcome::NotLoaded).filter(|_| changes_existing);
        lost.extend(run.names.with(TestOutcome::Failed).chain(unloaded).filter(fell).map(str::to_owned));
        is_worse |= match (run.counts, clean.counts) {
            (Some(now), Some(then)) => now.failed > then.failed,
            (None, _) => clean.passed() && changes_existing,
            _ => false,
        };
    }
    if !lost.is_empty() || is_worse {
        let seen = "tests in their version from before the change fail on the new source";
        let report = report(ProofRun::Old, results, RunWord::Fail, seen);
        return ProofRunReport { tests: lost.into_iter().collect(), ..report };
    }
    // Whether a test passed, as far as is known.
    let has_passed = |run: &TestRun| run.counts.map_or_else(|| run.passed(), |counts| counts.passed > 0);
    let its = if passed == 1 { "its" } else { "their" };
    let (verdict, seen) = match (results.outcome(), now) {
        (Outcome::Fail, _) if !results.judging().any(has_passed) => {
            (RunWord::None, "no test passed before the change".to_owned())
        }
        // Whatever ended the process may have done it before a test failed.
        (Outcome::Pass, None) if clean.counts().is_some() => {
            let seen = "the tests in their version from before the change do not say how many of them ran";
            (RunWord::NotApplicable, seen.to_owned())
        }
        (_, Some(_)) => (RunWord::Pass, format!("{} in {its} version from before the change", passing(now))),
        (_, None) => {
            let seen = "the test commands succeed with the files that judge as they were before the change";
            (RunWord::Pass, seen.to_owned())
        }
    };
    report(ProofRun::Old, results, verdict, seen)
}

/// The tests that pass in one run and do not exist in `clean`, where passing tests are named.
pub(super) fn gone(results: &TestResults, clean: &TestResults) -> Vec<String> {
    let now = clean.names();
    let names_all = now.with(TestOutcome::Passed).next().is_some();
    let names = results.names();
    let gone = names.with(TestOutcome::Passed).filter(|name| names_all && now.outcome_of(name).is_none());
    gone.map(str::to_owned).collect()
}

/// The commands that judge in one run, each with the same command in another.
pub(super) fn pairs<'r>(
    one: &'r TestResults,
    other: &'r TestResults,
) -> impl Iterator<Item = (&'r TestRun, &'r TestRun)> {
    one.judging().filter_map(|run| Some((run, other.same(run)?)))
}

/// Whether as many tests ran as in another run of the same commands, as far as is known.
pub(super) fn ran_as_many(results: &TestResults, clean: &TestResults) -> bool {
    pairs(results, clean).all(|(now, then)| match (now.counts, then.counts) {
        (Some(now), Some(then)) => now.ran() >= then.ran(),
        (None, Some(_)) => false,
        (_, None) => true,
    })
}
