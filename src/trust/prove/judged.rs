//! Judges the runs of a proof by the results of their test commands, and reads nothing else.

use super::ProofSubject;
use super::missing::{TAIL, not_loaded};
use super::report::{ProofRun, ProofRunReport};
use crate::record::{Check, Counts, Finding, Outcome, RunWord, Severity};
use crate::suite::{Failure, TestNames, TestOutcome, TestResults, TestRun};
use crate::text::one_line;
use crate::trust::awaited::excuses;
use crate::trust::canary::SCRIPT_SAYS;
use crate::trust::counts::no_test_ran;
use crate::trust::no_tests::found_no_tests;

/// How many tests a finding names.
const NAMED: usize = 10;

/// How many lines of output a report keeps.
const LINES: usize = 12;

/// A report with what the results say themselves.
pub(super) fn report(run: ProofRun, results: &TestResults, verdict: RunWord, seen: String) -> ProofRunReport {
    let went_wrong = verdict == RunWord::Fail;
    ProofRunReport {
        failure: results.failure(),
        counts: results.counts(),
        duration: results.runtime(),
        output: results.first_failed().filter(|_| went_wrong).map(last_lines).unwrap_or_default(),
        ..ProofRunReport::without_run(run, verdict, seen)
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
    let why = |run: &TestRun| format!("`{}`: {}", one_line(&run.command), run.status());
    results.first_failed().map(why).unwrap_or_default()
}

fn named(names: &TestNames, outcome: TestOutcome) -> Vec<String> {
    names.with(outcome).map(str::to_owned).collect()
}

/// Tests that failed, or files that could not be loaded.
pub(super) fn fallen(names: &TestNames) -> Vec<String> {
    let failed = named(names, TestOutcome::Failed);
    if failed.is_empty() { named(names, TestOutcome::NotLoaded) } else { failed }
}

/// The commit as it is: the tests must pass.
pub(super) fn clean(results: &TestResults, subject: &ProofSubject) -> ProofRunReport {
    let report = |verdict, seen| report(ProofRun::Clean, results, verdict, seen);
    let expect = subject.expect;
    if excuses(&subject.awaited, results) {
        let failed = results.counts().map_or(0, |counts| counts.failed);
        let seen = format!("{}, and {failed} that are awaited fail", passing(results.counts()));
        return report(RunWord::Pass, seen);
    }
    // An exit status alone can be given by the code that is judged.
    let is_missing = results.first_failed().is_some_and(|run| run.missing_program().is_some());
    if expect.needs_no_proof() && found_no_tests(results) {
        return report(RunWord::None, "there is no test yet".to_owned());
    }
    if let Some(why) = results.first_failed().and_then(not_loaded) {
        let seen = format!(
            "the tests cannot be loaded on a clean checkout{why}. `arborist.worktree.setup` prepares such a checkout, and \
             `arborist.worktree.copy` copies files into it that git ignores"
        );
        return ProofRunReport {
            tests: named(&results.names(), TestOutcome::NotLoaded),
            ..report(RunWord::NotApplicable, seen)
        };
    }
    match results.failure() {
        Some(Failure::NotRun) if is_missing => {
            let seen = format!(
                "the tests cannot run on a clean checkout ({}). `arborist.worktree.setup` prepares such a checkout",
                failed(results)
            );
            report(RunWord::NotApplicable, seen)
        }
        Some(_) => {
            let seen = format!("the tests fail on the files of the commit alone ({})", failed(results));
            ProofRunReport { tests: fallen(&results.names()), ..report(RunWord::Fail, seen) }
        }
        None if results.counts().and_then(no_test_ran).is_some() && !expect.needs_no_proof() => {
            report(RunWord::Fail, "no test ran".to_owned())
        }
        None => report(RunWord::Pass, passing(results.counts())),
    }
}

fn old_passes(results: &TestResults) -> ProofRunReport {
    let their = if results.counts().is_some_and(|counts| counts.passed == 1) { "its" } else { "their" };
    let seen = match results.counts() {
        Some(_) => format!("{} in {their} version from before the change", passing(results.counts())),
        None => {
            "the test commands succeed with the files that judge as they were before the change".to_owned()
        }
    };
    report(ProofRun::Old, results, RunWord::Pass, seen)
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
    let report = |verdict, seen| report(ProofRun::Old, results, verdict, seen);
    let mut lost: Vec<Lost> =
        pairs(results, clean).filter_map(|(old, clean)| excused(old, clean, changes_existing)).collect();
    // Where a setup command fails, no other command runs.
    let has_run = |clean: &TestRun| {
        results.runs.iter().any(|run| run.kind == clean.kind && run.command == clean.command)
    };
    let never_ran = clean.runs.iter().filter(|run| run.kind.judges() && !has_run(run));
    lost.extend(never_ran.map(|run| Lost::Command(run.command.clone())));
    let now = results.counts();
    if lost.is_empty()
        && let Some(before) = before.filter(|before| before.passed > now.map_or(0, |now| now.passed))
    {
        lost.push(Lost::Count { before: before.passed, now: now.map_or(0, |now| now.passed) });
    }
    if lost.is_empty() {
        let nothing_passed = !results.runs.iter().filter(|run| run.kind.judges()).any(passed_something);
        return match results.outcome() {
            Outcome::Fail if nothing_passed => {
                report(RunWord::None, "no test passed before the change".to_owned())
            }
            // Whatever ended the process may have done it before a test failed.
            Outcome::Pass if now.is_none() && clean.counts().is_some() => {
                let seen =
                    "the tests in their version from before the change do not say how many of them ran";
                report(RunWord::NotApplicable, seen.to_owned())
            }
            _ => old_passes(results),
        };
    }
    let mut names: Vec<String> = lost.iter().flat_map(|lost| lost.names().to_vec()).collect();
    names.sort();
    names.dedup();
    let why = lost.iter().find_map(Lost::why).filter(|_| names.is_empty());
    let why = why.map(|why| format!(" ({why})")).unwrap_or_default();
    let seen = format!("tests in their version from before the change fail on the new source{why}");
    ProofRunReport { tests: names, ..report(RunWord::Fail, seen) }
}

/// What fails in one run and not in `clean`: tests by name, or commands whose output names none.
pub(super) fn lost(results: &TestResults, clean: &TestResults) -> Vec<String> {
    let mut lost = Vec::new();
    for (run, clean) in pairs(results, clean) {
        let fails = |name: &&str| clean.names.outcome_of(name) == Some(TestOutcome::Failed);
        lost.extend(run.names.with(TestOutcome::Failed).filter(|name| !fails(name)).map(str::to_owned));
        let is_silent = |run: &TestRun| run.counts.is_none() && run.names.is_empty();
        if is_silent(run) && is_silent(clean) && !run.passed() && clean.passed() {
            lost.push(format!("`{}`", one_line(&run.command)));
        }
    }
    lost
}

/// The tests that pass in one run and do not exist in `clean`, where passing tests are named.
pub(super) fn gone(results: &TestResults, clean: &TestResults) -> Vec<String> {
    let now = clean.names();
    let names_all = now.with(TestOutcome::Passed).next().is_some();
    let names = results.names();
    let gone = names.with(TestOutcome::Passed).filter(|name| names_all && now.outcome_of(name).is_none());
    gone.map(str::to_owned).collect()
}

/// What fails with the old files and not with those of the change.
fn excused(old: &TestRun, clean: &TestRun, changes_existing: bool) -> Option<Lost> {
    if old.passed() {
        return None;
    }
    let fell = |name: &&str| {
        !matches!(clean.names.outcome_of(name), Some(TestOutcome::Failed | TestOutcome::NotLoaded))
    };
    let unloaded = old.names.with(TestOutcome::NotLoaded).filter(|_| changes_existing);
    let names: Vec<String> =
        old.names.with(TestOutcome::Failed).chain(unloaded).filter(fell).map(str::to_owned).collect();
    if !names.is_empty() {
        return Some(Lost::Names(names));
    }
    match (old.counts, clean.counts) {
        (Some(now), Some(then)) if now.failed > then.failed => {
            Some(Lost::Count { before: then.passed, now: now.passed })
        }
        (None, _) if clean.passed() && changes_existing => Some(Lost::Command(old.command.clone())),
        _ => None,
    }
}

/// The commands that judge in one run, each with the same command in another.
pub(super) fn pairs<'r>(
    one: &'r TestResults,
    other: &'r TestResults,
) -> impl Iterator<Item = (&'r TestRun, &'r TestRun)> {
    one.runs.iter().filter(|run| run.kind.judges()).filter_map(|run| {
        let same = |other: &&TestRun| other.kind == run.kind && other.command == run.command;
        Some((run, other.runs.iter().find(same)?))
    })
}

/// Whether a command ran a test that passed, as far as is known.
fn passed_something(run: &TestRun) -> bool {
    run.counts.map_or_else(|| run.passed(), |counts| counts.passed > 0)
}

/// What passed before and does not pass now.
enum Lost {
    Names(Vec<String>),
    Count { before: u32, now: u32 },
    Command(String),
}

impl Lost {
    fn names(&self) -> &[String] {
        match self {
            Self::Names(names) => names,
            Self::Count { .. } | Self::Command(_) => &[],
        }
    }

    fn why(&self) -> Option<String> {
        match self {
            Self::Names(_) => None,
            Self::Count { before, now } => Some(format!("{now} pass instead of {before}")),
            Self::Command(command) => Some(format!("`{}` fails", one_line(command))),
        }
    }
}

/// Whether a test passed in a run: by its name where passed tests are named, otherwise because every test did that was not
/// skipped, as `skipped` are in the other run.
pub(super) fn passes_by_name(run: &TestRun, name: &str, skipped: u32) -> bool {
    match (run.names.outcome_of(name), run.counts) {
        (Some(outcome), _) => outcome == TestOutcome::Passed,
        (None, Some(counts)) => {
            let all_pass = counts.failed == 0 && counts.skipped <= skipped && counts.passed > 0;
            all_pass && !run.names.agree_with(counts)
        }
        (None, None) => false,
    }
}

pub(super) fn skipped_in(run: &TestRun) -> u32 {
    run.counts.map_or(0, |counts| counts.skipped)
}

/// Whether as many tests ran as in another run of the same commands, as far as is known.
pub(super) fn ran_as_many(results: &TestResults, clean: &TestResults) -> bool {
    pairs(results, clean).all(|(now, then)| match (now.counts, then.counts) {
        (Some(now), Some(then)) => now.ran() >= then.ran(),
        (None, Some(_)) => false,
        (_, None) => true,
    })
}

/// Whether a command ran at least as many tests as in another run; where that is not known, it says no.
pub(super) fn ran_as_many_of(now: &TestRun, then: &TestRun) -> bool {
    now.counts.zip(then.counts).is_some_and(|(now, then)| now.ran() >= then.ran())
}

/// Whether the same tests ended in the same way, as far as they are known.
pub(super) fn are_equal(one: &TestResults, other: &TestResults) -> bool {
    let of = |run: &TestRun| (run.passed(), run.counts, named(&run.names, TestOutcome::Failed));
    one.runs.iter().map(of).eq(other.runs.iter().map(of))
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
    let has_said = || {
        let said = [&run.result.stdout, &run.result.stderr].map(|stream| stream.tail_lossy(TAIL));
        said.iter().any(|said| said.contains(SCRIPT_SAYS))
    };
    match run.passed() {
        true if before.is_none() && has_said() => CanaryEnd::Missed,
        false if is_counted => CanaryEnd::Caught,
        false if run.counts.is_none() => CanaryEnd::NotLoaded,
        true if ran_more || is_it(TestOutcome::Passed) || one_more => CanaryEnd::Missed,
        _ => CanaryEnd::NotRun,
    }
}

/// The tests that notice the change (`evidence`), with other values in them at these `places`: one of them must fail that passes with
/// its own values. `canaries` are the names of tests that were added and must fail anyway.
pub(super) fn literals(
    results: &TestResults,
    clean: &TestResults,
    evidence: &[String],
    places: &[String],
    canaries: &[&str],
) -> ProofRunReport {
    let report = |verdict, seen: &str| report(ProofRun::Literals, results, verdict, seen.to_owned());
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
    if is_noticed {
        return report(RunWord::Pass, "a test fails with another value in the place of one that it expects");
    }
    if !pairs(results, clean).all(|(run, clean)| clean.counts.is_none() || ran_as_many_of(run, clean)) {
        return report(RunWord::NotApplicable, "not all tests ran with other values in them");
    }
    let seen = "the tests still pass if the values that they expect here are changed";
    ProofRunReport { tests: places.to_vec(), ..report(RunWord::Fail, seen) }
}

/// Tests that failed in one run and passed in the same run once more.
pub(super) fn flaky_tests(tests: &[String]) -> Option<Finding> {
    let seen = "These tests failed once in the proof and then passed, without a change in between";
    (!tests.is_empty())
        .then(|| Finding::new(Check::Flaky, Severity::Warning, seen).at(tests.iter().take(NAMED)))
}
