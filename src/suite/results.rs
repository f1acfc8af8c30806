//! The results of test commands that have run.

use std::time::Duration;

use super::coverage::MeasuredCoverage;
use super::{Counts, Framework, TestNames, TestOutcome};
use crate::plan::TestType;
use crate::process::{ExitReason, JobResult};
use crate::record::{Outcome, Quote, StepDraft, seconds};
use crate::text::{clean, one_line};

/// How much of an output is searched, in bytes of each stream.
const PRINTED: usize = 64 << 10;

/// How many failing tests are named in a reason.
const NAMED: usize = 3;

/// A test command that has run.
#[derive(Debug)]
pub struct TestRun {
    /// Its type.
    pub kind: TestType,
    /// The shell command.
    pub command: String,
    /// How it ended, and what it printed.
    pub result: JobResult,
    /// The number of tests, if it could be read.
    pub counts: Option<Counts>,
    /// The tests that its output names.
    pub names: TestNames,
    /// The frameworks whose summaries were recognised in its output; without any, the one that the plan or the command
    /// names.
    pub frameworks: Vec<Framework>,
    /// The tests that failed and then passed in it.
    pub flaky: Vec<String>,
    /// How many runs of it failed before this one.
    pub failed_before: u32,
    /// What its coverage report says, if the plan names one.
    pub coverage: Option<MeasuredCoverage>,
}

/// The results of all test commands of a step, in the order in which they ran.
#[derive(Debug)]
pub struct TestResults {
    /// The commands.
    pub runs: Vec<TestRun>,
}

impl TestRun {
    /// Whether it ended with exit status 0.
    #[must_use]
    pub fn ended_well(&self) -> bool {
        matches!(self.result.exit_reason, ExitReason::Exited(0))
    }

    /// Whether it ended with exit status 0 although its output counts failed tests. Only commands that judge the work are
    /// judged by their counts: a command of type mutation makes tests fail.
    #[must_use]
    pub fn hides_failures(&self) -> bool {
        self.kind.judges() && self.ended_well() && self.counts.is_some_and(|counts| counts.failed > 0)
    }

    /// Whether it ended with exit status 0 and hides no failures.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.ended_well() && !self.hides_failures()
    }

    /// The names of the tests that failed, as far as its output names them.
    pub fn failing_tests(&self) -> impl Iterator<Item = String> + '_ {
        self.names.with(TestOutcome::Failed).map(str::to_owned)
    }

    /// The end of what it printed, cleaned, to be searched.
    #[must_use]
    pub fn printed(&self) -> String {
        let streams = [&self.result.stdout, &self.result.stderr];
        streams.map(|stream| clean(stream.tail_lossy(PRINTED).as_bytes()) + "\n").concat()
    }

    /// Takes back what failing tests with these names have added, and returns how many there were. If no other test has failed, it is as
    /// if the command had passed.
    pub fn forget(&mut self, is_it: impl Fn(&str) -> bool) -> u32 {
        let failed = self.names.with(TestOutcome::Failed).filter(|name| is_it(name));
        let forgotten: Vec<String> = failed.map(str::to_owned).collect();
        forgotten.iter().for_each(|name| self.names.remove(name));
        let count = u32::try_from(forgotten.len()).unwrap_or(u32::MAX);
        if let Some(counts) = self.counts.as_mut().filter(|_| count > 0) {
            counts.failed = counts.failed.saturating_sub(count);
            if counts.failed == 0 {
                self.result.exit_reason = ExitReason::Exited(0);
            }
        }
        count
    }

    /// How it ended, as a clause.
    #[must_use]
    pub fn status(&self) -> String {
        match &self.result.exit_reason {
            ExitReason::Exited(0) if self.hides_failures() => {
                let failed = self.counts.map_or(0, |counts| counts.failed);
                format!("exit status 0, although it printed {failed} failed")
            }
            ExitReason::Exited(126) => "exit status 126: it cannot be executed".to_owned(),
            ExitReason::Exited(127) => "exit status 127: command not found".to_owned(),
            end => end.to_string(),
        }
    }
}

impl TestResults {
    /// Whether all commands passed that decide about it. Without commands, nothing has failed.
    #[must_use]
    pub fn outcome(&self) -> Outcome {
        if self.first_failed().is_none() { Outcome::Pass } else { Outcome::Fail }
    }

    /// The first command that failed.
    #[must_use]
    pub fn first_failed(&self) -> Option<&TestRun> {
        self.deciding().find(|run| !run.passed())
    }

    /// The commands that decide whether the tests passed: all but the advisory ones.
    fn deciding(&self) -> impl Iterator<Item = &TestRun> {
        self.runs.iter().filter(|run| run.kind != TestType::Mutation)
    }

    /// The advisory commands that failed.
    pub fn failed_advice(&self) -> impl Iterator<Item = &TestRun> {
        self.runs.iter().filter(|run| run.kind == TestType::Mutation && !run.passed())
    }

    /// The commands that judge the work.
    pub fn judging(&self) -> impl Iterator<Item = &TestRun> {
        self.runs.iter().filter(|run| run.kind.judges())
    }

    /// The run of the same command.
    #[must_use]
    pub fn same(&self, run: &TestRun) -> Option<&TestRun> {
        self.runs.iter().find(|other| other.kind == run.kind && other.command == run.command)
    }

    /// The commands that ended with exit status 0 although their output counts failed tests.
    pub fn hiding_failures(&self) -> impl Iterator<Item = &TestRun> {
        self.runs.iter().filter(|run| run.hides_failures())
    }

    /// The commands that judge the work and do not say how many tests ran, unless another one says it: linters and type
    /// checks beside tests count nothing.
    pub fn with_unknown_counts(&self) -> impl Iterator<Item = &TestRun> {
        let is_known = self.counts().is_some();
        self.judging().filter(move |run| !is_known && run.counts.is_none())
    }

    /// The number of tests in all commands that judge the work; `None` if it could be read in none of them.
    #[must_use]
    pub fn counts(&self) -> Option<Counts> {
        self.judging().filter_map(|run| run.counts).reduce(|sum, counts| sum + counts)
    }

    /// Counts tests as passed that have passed in an earlier run of the same commands. Returns all that failed only once in both.
    pub fn forgive(&mut self, earlier: &Self) -> Vec<String> {
        let mut once = Vec::new();
        for run in &mut self.runs {
            let Some(before) = earlier.same(run) else { continue };
            let only_in = |one: &TestRun, other: &TestRun| -> Vec<String> {
                let passed = |name: &String| match other.names.outcome_of(name) {
                    Some(outcome) => outcome == TestOutcome::Passed,
                    // It is named if it fails, and a command that stops early has run fewer tests.
                    None => other.counts.zip(one.counts).is_some_and(|(other, one)| other.ran() >= one.ran()),
                };
                one.failing_tests().filter(passed).collect()
            };
            once.extend(only_in(before, run));
            let forgiven = only_in(run, before);
            let count = run.forget(|name| forgiven.iter().any(|known| known == name));
            run.counts.iter_mut().for_each(|counts| counts.passed += count);
            once.extend(forgiven);
        }
        once
    }

    /// How long all commands took together.
    #[must_use]
    pub fn runtime(&self) -> Duration {
        self.runs.iter().map(|run| run.result.duration).sum()
    }

    /// Adds to a step what its trailers say about them.
    pub fn count_in(&self, draft: &mut StepDraft) {
        let telling = self.first_failed().or(self.runs.last());
        draft.facts.test_type = telling.map(|run| run.kind.word().to_owned());
        draft.facts.tests = self.counts();
        draft.facts.test_time = Some(self.runtime());
    }

    /// A few words for a progress line.
    #[must_use]
    pub fn summary(&self) -> String {
        let counts = self.counts().map(|counts| {
            if counts.total() == 0 {
                return "there is no test yet".to_owned();
            }
            let skipped =
                if counts.skipped > 0 { format!(", {} skipped", counts.skipped) } else { String::new() };
            format!("{} passed, {} failed{skipped}", counts.passed, counts.failed)
        });
        let failed = self.first_failed().map(|run| format!("`{}`: {}", run.command, run.status()));
        [failed, counts].into_iter().flatten().collect::<Vec<_>>().join("; ")
    }

    /// Why the first command failed: the tests that do, otherwise the last line that it printed; `None` if none failed, or
    /// it printed nothing.
    #[must_use]
    pub fn reason(&self) -> Option<String> {
        let failed = self.first_failed()?;
        let tests: Vec<String> = failed.failing_tests().take(NAMED + 1).collect();
        match tests.as_slice() {
            [] => failed.result.last_line_that(|line| !is_figure(line)),
            few if few.len() <= NAMED => Some(format!("failing: {}", few.join(", "))),
            more => Some(format!("failing: {}, ...", more[..NAMED].join(", "))),
        }
    }

    /// Adds to a step the failed commands and the output of all.
    pub fn describe(&self, draft: &mut StepDraft) {
        let failed = self.deciding().filter(|run| !run.passed());
        draft.facts.failed.extend(failed.map(|run| format!("`{}`: {}", run.command, run.status())));
        for run in &self.runs {
            for (stream, captured) in [("stderr", &run.result.stderr), ("stdout", &run.result.stdout)] {
                draft.quotes.push(Quote::test(run.kind.word(), stream, &captured.to_bytes_with_note()));
            }
        }
    }

    /// The whole output of the commands, each under a line with the command, its exit status and its duration.
    #[must_use]
    pub fn log(&self) -> Vec<u8> {
        let mut log = String::new();
        for run in &self.runs {
            log.push_str(&format!(
                "=== {} `{}`: {}, {} s ===\n",
                run.kind.word(),
                one_line(&run.command),
                run.status(),
                seconds(run.result.duration)
            ));
            for (name, captured) in [("stdout", &run.result.stdout), ("stderr", &run.result.stderr)] {
                let text = clean(&captured.to_bytes_with_note());
                if !text.is_empty() {
                    log.push_str(&format!("--- {name} ---\n{text}\n"));
                }
            }
            log.push('\n');
        }
        log.into_bytes()
    }
}
/// Whether a line has nothing but a figure at the end of a run, as in `# duration_ms 534.9`.
fn is_figure(line: &str) -> bool {
    let words: Vec<&str> = line.split(' ').collect();
    matches!(words[..], ["#" | "\u{2139}", _, number] if number.parse::<f64>().is_ok())
}

#[cfg(test)]
impl TestRun {
    /// A run of pytest that has ended like this, with so many tests passed and failed, and has named these.
    pub(crate) fn ended(
        exit_reason: ExitReason,
        counts: Option<(u32, u32)>,
        named: &[(&str, TestOutcome)],
    ) -> Self {
        let mut names = TestNames::default();
        named.iter().for_each(|(name, outcome)| names.add(*name, *outcome));
        Self {
            kind: TestType::Unit,
            command: "x".to_owned(),
            result: JobResult {
                exit_reason,
                stdout: crate::process::Captured::default(),
                stderr: crate::process::Captured::default(),
                duration: Duration::ZERO,
                leaked: Vec::new(),
                survivors: Vec::new(),
            },
            counts: counts.map(|(passed, failed)| Counts { passed, failed, skipped: 0 }),
            names,
            frameworks: vec![Framework::Pytest],
            flaky: Vec::new(),
            failed_before: 0,
            coverage: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run in which these tests passed and failed; `silent` of its passed tests have no name.
    fn results(passed: &[&'static str], failed: &[&'static str], silent: u32) -> TestResults {
        let of = |names: &[&'static str], outcome| -> Vec<_> {
            names.iter().map(|name| (*name, outcome)).collect()
        };
        let named = [of(passed, TestOutcome::Passed), of(failed, TestOutcome::Failed)].concat();
        let count = |names: &[&str]| u32::try_from(names.len()).unwrap();
        let counts = Some((count(passed) + silent, count(failed)));
        let run = TestRun::ended(ExitReason::Exited(i32::from(!failed.is_empty())), counts, &named);
        TestResults { runs: vec![run] }
    }

    #[test]
    fn of_two_runs_only_what_fails_in_both_has_failed() {
        for (first, second, failing, once) in [
            // Each fails in another run.
            (results(&["a"], &["b"], 0), results(&["b"], &["a"], 0), vec![], vec!["b", "a"]),
            // One fails again, and one that was not run before the command stopped.
            (results(&["a"], &["b"], 0), results(&[], &["a", "b"], 0), vec!["b"], vec!["a"]),
            (results(&[], &["b"], 0), results(&["b", "c"], &["a"], 0), vec!["a"], vec!["b"]),
            // Passing tests have no names.
            (results(&[], &["b"], 1), results(&[], &["a"], 1), vec![], vec!["b", "a"]),
            (results(&[], &["b"], 0), results(&[], &["a"], 1), vec!["a"], vec!["b"]),
        ] {
            let mut merged = second;
            let ran = merged.counts().unwrap().ran();
            assert_eq!(merged.forgive(&first), once, "{merged:?}");
            assert_eq!(merged.names().with(TestOutcome::Failed).collect::<Vec<_>>(), failing, "{merged:?}");
            assert_eq!(merged.outcome() == Outcome::Pass, failing.is_empty(), "{merged:?}");
            assert_eq!(merged.counts().unwrap().ran(), ran, "{merged:?}");
        }
    }
}
