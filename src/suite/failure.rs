//! Tells why a test command failed: because tests failed, because they could not be built, or because nothing was tested. And what is
//! wrong with one that ends with success although tests failed.

use super::frameworks::program_of;
use super::results::{TestResults, TestRun};
use super::{TestNames, TestOutcome};
use crate::process::ExitReason;
use crate::text::{one_line, simple_commands};

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

    /// What is wrong with a command that hides failures, as a clause after `shown`, the command as it may be shown.
    #[must_use]
    pub fn hidden_failures(&self, shown: &str) -> String {
        let failed = self.counts.map_or(0, |counts| counts.failed);
        format!("`{shown}` hides failures: it printed {failed} failed and ended with 0")
    }

    /// What makes it fail when its tests do, as a sentence about the likeliest cause.
    #[must_use]
    pub fn remedy_for_hidden_failures(&self) -> &'static str {
        let has = |sign| self.command.contains(sign);
        match () {
            () if has("||") => "Remove what follows `||`: it turns a failure into a success.",
            () if has("|") => {
                "Drop the pipe, because its last program sets the exit status, or use `bash -o pipefail -c '...'`."
            }
            () if has(";") => {
                "Use `&&` instead of `;`, so that the last program does not hide how the tests ended."
            }
            () => "Let it end with the exit status of its tests.",
        }
    }

    /// The program that the command itself names and that the shell did not find on PATH. A path does not count, and
    /// neither does a program that a script starts: a task may write them.
    #[must_use]
    pub fn missing_program(&self) -> Option<String> {
        let printed = matches!(self.result.exit_reason, ExitReason::Exited(127)).then(|| self.printed())?;
        let named = simple_commands(&self.command);
        let mut programs =
            named.iter().filter_map(|words| program_of(words)).filter(|name| !name.contains('/'));
        programs.find(|name| printed.lines().any(|line| reports_missing(line, name))).map(one_line)
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

/// Whether a line of a shell, or of a program that starts another, says that a program is missing: `sh: 1: x: not found`,
/// `bash: line 1: x: command not found`, `zsh:1: command not found: x`, `env: 'x': No such file or directory`.
fn reports_missing(line: &str, program: &str) -> bool {
    let Some((before, said)) = line.trim().rsplit_once(": ") else { return false };
    let is_it = |text: &str| {
        text.rsplit(' ').next().unwrap_or(text).trim_matches(['\'', '"', '‘', '’', '`']) == program
    };
    match said {
        "not found" | "command not found" | "No such file or directory" => is_it(before),
        _ => before.ends_with("command not found") && is_it(said),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shells_say_in_their_own_words_that_a_program_is_missing() {
        for line in [
            "sh: 1: tox: not found",
            "/bin/sh: 1: tox: not found",
            "sh: line 1: tox: command not found",
            "bash: tox: command not found",
            "zsh:1: command not found: tox",
            "env: 'tox': No such file or directory",
            "env: ‘tox’: No such file or directory",
            "timeout: failed to run command 'tox': No such file or directory",
        ] {
            assert!(reports_missing(line, "tox"), "{line}");
        }
        for line in ["sh: 1: ./tox: not found", "sh: 1: jest: not found", "tox", "tox: 3 tests not found", ""]
        {
            assert!(!reports_missing(line, "tox"), "{line}");
        }
    }
    use crate::suite::Framework;

    fn failure(
        end: ExitReason,
        counts: Option<(u32, u32)>,
        names: &[(&str, TestOutcome)],
        known: bool,
    ) -> Option<Failure> {
        let frameworks = if known { vec![Framework::Pytest] } else { Vec::new() };
        let run = TestRun { frameworks, ..TestRun::ended(end, counts, names) };
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
