//! Tells from the output of a test command that there was no test to run, as in a repository that has just begun.

use crate::process::ExitReason;
use crate::suite::{TestOutcome, TestResults, TestRun};

/// What test programs say if they have found no tests, or no place to look for them.
const SAYS_SO: [&str; 10] = [
    "no test files found",
    "no tests found",
    "no tests ran",
    "error: file or directory not found: ",
    "could not find '",
    "start directory is not importable: ",
    "no packages to test",
    "cannot find main module",
    "error: could not find `cargo.toml` in ",
    "missing script: \"test\"",
];

/// Whether at least one command failed, and all that failed did so only because there is no test.
#[must_use]
pub fn found_no_tests(results: &TestResults) -> bool {
    let mut failed = results.runs.iter().filter(|run| !run.passed()).peekable();
    failed.peek().is_some() && failed.all(|run| run.kind.judges() && found_none(run))
}

/// Whether a command ended by itself and says that there is no test.
#[must_use]
pub fn found_none(run: &TestRun) -> bool {
    let has_run = run.counts.is_some_and(|counts| counts.total() > 0)
        || [TestOutcome::Failed, TestOutcome::NotLoaded]
            .iter()
            .any(|end| run.names.with(*end).next().is_some());
    let printed = run.printed().to_lowercase();
    matches!(run.result.exit_reason, ExitReason::Exited(_))
        && !has_run
        && SAYS_SO.iter().any(|said| printed.contains(said))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Captured;

    fn results(status: i32, counts: Option<(u32, u32)>, said: &str) -> TestResults {
        let mut run = TestRun::ended(ExitReason::Exited(status), counts, &[]);
        run.result.stdout = Captured::whole(said.as_bytes());
        TestResults { runs: vec![run] }
    }

    #[test]
    fn only_a_program_that_says_that_there_is_no_test_is_believed() {
        for (status, counts, said, none) in [
            (5, Some((0, 0)), "collected 0 items\n\n==== no tests ran in 0.01s ====\n", true),
            (5, None, "no tests ran in 0.01s\n", true),
            (4, None, "ERROR: file or directory not found: tests\n", true),
            (4, None, "ImportError while loading conftest\n", false),
            (1, None, "No tests found, exiting with code 1\n", true),
            (1, Some((3, 1)), "No tests found, exiting with code 1\n", false),
            (101, None, "error: could not find `Cargo.toml` in `/x` or any parent directory\n", true),
            (127, None, "sh: pytest: not found\n", false),
            (0, None, "", false),
        ] {
            assert_eq!(found_no_tests(&results(status, counts, said)), none, "{status} {said}");
        }
    }
}
