//! Tells from the output of a test command that there was no test to run, as in a repository that has just begun.

use crate::process::{Captured, ExitReason};
use crate::suite::{TestOutcome, TestResults, TestRun};

/// The beginnings of lines by which test programs say that they have found no tests, or no place to look for them. The line
/// may have an exit status that it comes with.
const SAYS_SO: [(&str, Option<i32>); 11] = [
    // pytest
    ("ERROR: file or directory not found: ", Some(4)),
    // jest, vitest
    ("No tests found, exiting with code 1", Some(1)),
    ("No test files found, exiting with code 1", Some(1)),
    // node --test
    ("Could not find '", Some(1)),
    // unittest
    ("NO TESTS RAN", Some(5)),
    ("ImportError: Start directory is not importable: ", Some(1)),
    // go
    ("no packages to test", Some(1)),
    ("go: cannot find main module", Some(1)),
    // cargo
    ("error: could not find `Cargo.toml` in ", Some(101)),
    // npm
    ("npm error Missing script: \"test\"", None),
    ("npm ERR! Missing script: \"test\"", None),
];

/// The exit status of pytest if it has collected no test.
const PYTEST_NONE: i32 = 5;

/// Whether at least one command failed, and all that failed did so only because there is no test.
#[must_use]
pub fn found_no_tests(results: &TestResults) -> bool {
    let mut failed = results.runs.iter().filter(|run| !run.passed()).peekable();
    failed.peek().is_some() && failed.all(found_none)
}

fn found_none(run: &TestRun) -> bool {
    let ExitReason::Exited(status) = run.result.exit_reason else { return false };
    let has_run = run.counts.is_some_and(|counts| counts.total() > 0)
        || [TestOutcome::Failed, TestOutcome::NotLoaded]
            .iter()
            .any(|end| run.names.with(*end).next().is_some());
    if has_run || !run.kind.judges() {
        return false;
    }
    let says = |captured: &Captured| {
        let text = String::from_utf8_lossy(&captured.to_bytes_with_note()).into_owned();
        text.lines().any(|line| {
            let line = line.trim_start();
            let fits = |(start, with): &(&str, Option<i32>)| {
                line.starts_with(start) && with.is_none_or(|with| with == status)
            };
            SAYS_SO.iter().any(fits)
                || (status == PYTEST_NONE && line.trim_matches(['=', ' ']).starts_with("no tests ran in "))
        })
    };
    says(&run.result.stdout) || says(&run.result.stderr)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TestType;
    use crate::process::JobResult;
    use crate::record::Counts;
    use crate::suite::{Framework, TestNames};

    fn results(status: i32, counts: Option<(u32, u32)>, said: &str) -> TestResults {
        let run = TestRun {
            kind: TestType::Unit,
            command: "x".to_owned(),
            result: JobResult {
                exit_reason: ExitReason::Exited(status),
                stdout: Captured::whole(said.as_bytes()),
                stderr: Captured::default(),
                duration: std::time::Duration::ZERO,
                leaked: Vec::new(),
                survivors: Vec::new(),
            },
            counts: counts.map(|(passed, failed)| Counts { passed, failed, skipped: 0 }),
            names: TestNames::default(),
            frameworks: vec![Framework::Pytest],
            flaky: Vec::new(),
            failed_before: 0,
            coverage: None,
        };
        TestResults { runs: vec![run] }
    }

    #[test]
    fn only_a_program_that_says_that_there_is_no_test_is_believed() {
        for (status, counts, said, none) in [
            (5, Some((0, 0)), "collected 0 items\n\n==== no tests ran in 0.01s ====\n", true),
            (5, None, "no tests ran in 0.01s\n", true),
            (4, None, "ERROR: file or directory not found: tests\n", true),
            (4, None, "ImportError while loading conftest\n", false),
            (1, None, "no tests ran in 0.01s\n", false),
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
