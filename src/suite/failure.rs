//! Tells why a test command failed: because tests failed, because they could not be built, or because nothing was tested.

use super::results::{TestResults, TestRun};
use super::{TestNames, TestOutcome};
use crate::process::ExitReason;

/// Why a test command failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Failure {
    /// Its output does not say why.
    Unclear,
    /// Tests ran, and at least one failed.
    Tests,
    /// Files with tests could not be built or loaded, and no test failed.
    Build,
    /// It says nothing about the code: the command cannot be executed, or it had to be ended.
    NotRun,
}

impl TestRun {
    /// Why it failed; `None` if it passed.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        match self.result.exit_reason {
            ExitReason::Exited(0) if self.hides_failures() => return Some(Failure::Tests),
            ExitReason::Exited(0) => return None,
            // The shell did not find the command, or could not start it.
            ExitReason::Exited(126 | 127) => return Some(Failure::NotRun),
            ExitReason::Exited(_) => {}
            _ => return Some(Failure::NotRun),
        }
        let named = |outcome| self.names.with(outcome).next().is_some();
        Some(if named(TestOutcome::Failed) {
            Failure::Tests
        } else if named(TestOutcome::NotLoaded) {
            Failure::Build
        } else {
            match self.counts {
                Some(counts) if counts.failed > 0 => Failure::Tests,
                // All tests passed, and the command fails for another reason, such as too little coverage.
                Some(counts) if counts.passed > 0 => Failure::Unclear,
                _ if !self.frameworks.is_empty() => Failure::Build,
                _ => Failure::Unclear,
            }
        })
    }
}

impl TestResults {
    /// Why the first command that failed did so; `None` if all passed. A failure of tests comes before all others.
    #[must_use]
    pub fn failure(&self) -> Option<Failure> {
        let failures = || self.runs.iter().filter_map(TestRun::failure);
        failures().find(|failure| *failure == Failure::Tests).or_else(|| failures().next())
    }

    /// The tests that all commands name.
    #[must_use]
    pub fn names(&self) -> TestNames {
        let mut names = TestNames::default();
        self.runs.iter().for_each(|run| names.extend(run.names.clone()));
        names
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::TestType;
    use crate::process::{Captured, JobResult};
    use crate::record::Counts;
    use crate::suite::Framework;

    fn failure(
        end: ExitReason,
        counts: Option<(u32, u32)>,
        names: &[(&str, TestOutcome)],
        known: bool,
    ) -> Option<Failure> {
        let result = JobResult {
            exit_reason: end,
            stdout: Captured::default(),
            stderr: Captured::default(),
            duration: std::time::Duration::ZERO,
            leaked: Vec::new(),
            survivors: Vec::new(),
        };
        let mut all = TestNames::default();
        names.iter().for_each(|(name, outcome)| all.add(*name, *outcome));
        let run = TestRun {
            kind: TestType::Unit,
            command: "x".to_owned(),
            result,
            counts: counts.map(|(passed, failed)| Counts { passed, failed, skipped: 0 }),
            names: all,
            frameworks: if known { vec![Framework::Pytest] } else { Vec::new() },
            flaky: Vec::new(),
            failed_before: 0,
            coverage: None,
        };
        run.failure()
    }

    #[test]
    fn failed_tests_failed_builds_and_commands_that_did_not_run_are_told_apart() {
        use ExitReason::Exited;
        let not_loaded = [("a.py", TestOutcome::NotLoaded)];
        let mixed = [("a.py", TestOutcome::NotLoaded), ("b::c", TestOutcome::Failed)];
        assert_eq!(failure(Exited(0), None, &[], true), None);
        assert_eq!(failure(Exited(0), Some((3, 0)), &[], true), None);
        assert_eq!(failure(Exited(0), Some((1, 2)), &[], true), Some(Failure::Tests), "`pytest | cat`");
        assert_eq!(failure(Exited(1), Some((1, 2)), &[], true), Some(Failure::Tests));
        assert_eq!(failure(Exited(2), Some((0, 1)), &not_loaded, true), Some(Failure::Build));
        assert_eq!(failure(Exited(1), Some((0, 2)), &mixed, true), Some(Failure::Tests));
        assert_eq!(failure(Exited(101), None, &[], true), Some(Failure::Build), "cargo does not compile");
        assert_eq!(failure(Exited(1), Some((3, 0)), &[], true), Some(Failure::Unclear), "a threshold");
        assert_eq!(failure(Exited(1), None, &[], false), Some(Failure::Unclear), "a script");
        assert_eq!(failure(Exited(127), None, &[], true), Some(Failure::NotRun));
        let after = std::time::Duration::from_secs(1);
        assert_eq!(failure(ExitReason::TimedOut { after }, None, &[], true), Some(Failure::NotRun));
    }
}
