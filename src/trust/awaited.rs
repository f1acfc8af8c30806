//! Decides whether test commands failed only because of tests that are awaited: those that were written before the code
//! which makes them pass.

use std::collections::BTreeSet;

use crate::plan::TestType;
use crate::process::ExitReason;
use crate::record::{AwaitedTests, Counts, TaskId};
use crate::suite::{Framework, TestOutcome, TestResults, TestRun};
use crate::text::simple_commands;

/// Whether at least one command failed, and all that failed did so only because of tests that are awaited, by name.
#[must_use]
pub fn excuses(awaited: &AwaitedTests, results: &TestResults) -> bool {
    let mut failed = failed(results).peekable();
    failed.peek().is_some() && failed.all(|run| excuses_run(awaited, run))
}

/// Whether this command, which failed, did so only because of tests that are awaited.
#[must_use]
pub fn excuses_run(awaited: &AwaitedTests, run: &TestRun) -> bool {
    let names: Vec<&str> = not_passed(run).collect();
    // Other statuses say that it could not run, or was ended.
    matches!(run.result.exit_reason, ExitReason::Exited(1..126))
        && run.kind.judges()
        && !names.is_empty()
        && names.iter().all(|name| awaited.contains(name))
        && run.counts.is_some_and(|counts| u32::try_from(names.len()) == Ok(counts.failed))
        && !stops_early(&run.command)
}

/// The awaited tests that these results show to pass. Most frameworks name only the tests that fail; there, a test has passed if
/// a command `runs` it, and the command names all tests that failed, and not this one.
#[must_use]
pub fn passed_in(
    awaited: &AwaitedTests,
    results: &TestResults,
    runs: impl Fn(&TestRun, &TaskId) -> bool,
) -> BTreeSet<String> {
    let names = results.names();
    let passed = awaited.iter().filter(|(name, task)| match names.outcome_of(name) {
        Some(outcome) => outcome == TestOutcome::Passed,
        None => results.runs.iter().any(|run| names_only_failures(run) && runs(run, task)),
    });
    passed.map(|(name, _)| name.to_owned()).collect()
}

/// What ended like this in commands that decide and have failed: tests, or files and packages with tests.
#[must_use]
pub fn fallen(results: &TestResults, outcome: TestOutcome) -> BTreeSet<String> {
    failed(results).flat_map(|run| run.names.with(outcome)).map(str::to_owned).collect()
}

/// The first command that failed and ends at the first failing test, so that nothing is known of the others.
#[must_use]
pub fn stopped_early(results: &TestResults) -> Option<&str> {
    failed(results).map(|run| run.command.as_str()).find(|command| stops_early(command))
}

fn failed(results: &TestResults) -> impl Iterator<Item = &TestRun> {
    results.runs.iter().filter(|run| run.kind != TestType::Mutation && !run.passed())
}

fn not_passed(run: &TestRun) -> impl Iterator<Item = &str> {
    run.names.with(TestOutcome::Failed).chain(run.names.with(TestOutcome::NotLoaded))
}

/// Whether a command ran tests, and names all of them that failed and none that passed.
fn names_only_failures(run: &TestRun) -> bool {
    let has_named = run.names.with(TestOutcome::Passed).next().is_some();
    let failed = u32::try_from(not_passed(run).count());
    !has_named
        && run
            .counts
            .is_some_and(|Counts { passed, failed: counted, .. }| passed > 0 && failed == Ok(counted))
}

/// Whether a command ends at the first test, or the first file with tests, that fails.
fn stops_early(command: &str) -> bool {
    match Framework::guess(command) {
        Some(Framework::CargoTest | Framework::Nextest) => !has_option(command, &["--no-fail-fast"]),
        _ => asks_to_stop_early(command),
    }
}

/// Whether a command line asks a test program to end at the first failure.
#[must_use]
pub fn asks_to_stop_early(command: &str) -> bool {
    let options = ["-x", "--exitfirst", "--maxfail", "--bail", "-failfast", "--failfast", "--fail-fast"];
    has_option(command, &options)
}

fn has_option(command: &str, options: &[&str]) -> bool {
    let mut words = simple_commands(command).into_iter().flatten();
    words.any(|word| options.contains(&word.split('=').next().unwrap_or(&word)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::AwaitedChange;

    const TEST: &str = "pytest tests";

    /// How many tests passed and failed, if that can be read.
    type Numbers = Option<(u32, u32)>;

    /// Tests that a command names, with how they ended.
    type Named = &'static [(&'static str, TestOutcome)];

    fn task(id: &str) -> TaskId {
        TaskId::parse(id).unwrap()
    }

    fn awaited(names: &[&str]) -> AwaitedTests {
        let awaited = names.iter().map(|name| (*name).to_owned()).collect();
        let mut tests = AwaitedTests::default();
        tests.take(&task("T1"), AwaitedChange { awaited, ..AwaitedChange::default() });
        tests
    }

    fn run(exit_reason: ExitReason, counts: Option<(u32, u32)>, names: &[(&str, TestOutcome)]) -> TestRun {
        TestRun { command: TEST.to_owned(), ..TestRun::ended(exit_reason, counts, names) }
    }

    #[test]
    fn only_failures_of_awaited_tests_are_excused_and_only_if_all_are_named() {
        use ExitReason::Exited;
        use TestOutcome::{Failed, NotLoaded, Passed};
        let tests = awaited(&["a::x", "a::y"]);
        let after = std::time::Duration::from_secs(1);
        let rows: [(ExitReason, Numbers, Named, bool); 12] = [
            (Exited(1), Some((3, 1)), &[("a::x", Failed)], true),
            (Exited(1), Some((3, 2)), &[("a::x", Failed), ("a::y", Failed), ("b", Passed)], true),
            (Exited(0), Some((3, 0)), &[], false),
            (Exited(0), Some((3, 1)), &[("a::x", Failed)], false),
            (Exited(1), Some((3, 2)), &[("a::x", Failed)], false),
            (Exited(1), Some((3, 2)), &[("a::x", Failed), ("b", Failed)], false),
            (Exited(1), Some((3, 2)), &[("a::x", Failed), ("b.py", NotLoaded)], false),
            (Exited(1), Some((3, 0)), &[], false),
            (Exited(1), None, &[("a::x", Failed)], false),
            (Exited(127), Some((3, 1)), &[("a::x", Failed)], false),
            (Exited(139), Some((3, 1)), &[("a::x", Failed)], false),
            (ExitReason::TimedOut { after }, Some((3, 1)), &[("a::x", Failed)], false),
        ];
        for (at, (end, counts, names, excused)) in rows.into_iter().enumerate() {
            let results = TestResults { runs: vec![run(end, counts, names)] };
            assert_eq!(excuses(&tests, &results), excused, "{at}");
        }
    }

    #[test]
    fn each_command_that_fails_needs_an_excuse() {
        let named = run(ExitReason::Exited(1), Some((0, 1)), &[("a", TestOutcome::Failed)]);
        let silent = run(ExitReason::Exited(2), None, &[]);
        let setup = TestRun {
            kind: TestType::Setup,
            ..run(ExitReason::Exited(1), Some((0, 1)), &[("a", TestOutcome::Failed)])
        };
        let tests = awaited(&["a"]);
        assert!(!excuses(&tests, &TestResults { runs: vec![named, silent] }));
        assert!(!excuses(&tests, &TestResults { runs: vec![setup] }));
        assert!(!excuses(&tests, &TestResults { runs: Vec::new() }));
    }

    #[test]
    fn commands_that_end_at_the_first_failure_excuse_nothing() {
        for (command, early) in [
            ("pytest tests -x", true),
            ("python -m pytest --maxfail=1", true),
            ("npx jest --bail", true),
            ("go test -failfast ./...", true),
            ("cargo test", true),
            ("cargo test --no-fail-fast", false),
            ("cargo nextest run", true),
            ("pytest -v", false),
            ("node --test", false),
        ] {
            assert_eq!(stops_early(command), early, "{command}");
        }
    }

    #[test]
    fn a_test_has_passed_if_it_is_named_or_if_only_failures_are_named() {
        use TestOutcome::{Failed, Passed, Skipped};
        let tests = awaited(&["x", "y"]);
        let rows: [((u32, u32), Named, &[&str]); 6] = [
            ((2, 0), &[("x", Passed), ("y", Passed)], &["x", "y"]),
            ((2, 1), &[("x", Passed), ("y", Failed)], &["x"]),
            ((5, 1), &[("y", Failed)], &["x"]),
            ((5, 2), &[("y", Failed)], &[]),
            ((1, 0), &[("x", Skipped), ("z", Passed)], &[]),
            ((0, 0), &[], &[]),
        ];
        for (counts, names, passed) in rows {
            let results = TestResults { runs: vec![run(ExitReason::Exited(1), Some(counts), names)] };
            let found = passed_in(&tests, &results, |run, of| run.command == TEST && *of == task("T1"));
            assert_eq!(found.iter().map(String::as_str).collect::<Vec<_>>(), passed, "{names:?}");
            let named: Vec<&str> =
                passed.iter().filter(|name| names.contains(&(**name, Passed))).copied().collect();
            let by_name = passed_in(&tests, &results, |_, _| false);
            assert_eq!(by_name.iter().map(String::as_str).collect::<Vec<_>>(), named, "{names:?}");
        }
    }
}
