//! Reads the lines that `go test -v` prints for one package after another.

use std::collections::HashMap;

use crate::suite::readers::reading::FrameworkRun;
use crate::suite::readers::{Reading, reading};
use crate::suite::{Counts, TestOutcome};

/// The packages read so far, and the one whose lines are being read.
pub(super) struct Block<'t> {
    /// Whether the lines are known to come from a verbose run.
    is_verbose: bool,
    /// Tests that have started but not ended, and how often.
    open: HashMap<&'t str, u32>,
    /// Whether a test has started in the package that is being read.
    has_started: bool,
    current: Counts,
    /// The sum over the packages that have ended.
    done: Option<Counts>,
    sure: bool,
}

impl<'t> Block<'t> {
    pub(super) fn new(is_verbose: bool) -> Self {
        let (open, current, done) = (HashMap::new(), Counts::ZERO, None);
        Self { is_verbose, open, has_started: false, current, done, sure: true }
    }

    pub(super) fn line(&mut self, line: &'t str) {
        if let Some(name) = started(line) {
            *self.open.entry(name).or_insert(0) += 1;
            self.has_started = true;
        } else if let Some((outcome, name)) = ended(line) {
            self.test_ended(outcome, name);
        } else if let Some(rest) = line.strip_prefix("ok  \t") {
            self.package_passed(rest);
        } else if let Some(rest) = line.strip_prefix("FAIL\t") {
            self.package_failed(rest);
        } else if line.starts_with("?   \t") && line.ends_with("\t[no test files]") && self.open.is_empty() {
            self.end_package();
        }
    }

    /// The result of all lines.
    pub(super) fn reading(&self) -> Reading {
        match self.done {
            _ if !self.sure || self.has_started => Reading::Unsure,
            Some(counts) => Reading::Sure(vec![FrameworkRun::of(counts)]),
            None => Reading::Absent,
        }
    }

    /// A result counts if its test had started: a test may print such a line itself.
    fn test_ended(&mut self, outcome: TestOutcome, name: &str) {
        let Some(times) = self.open.get_mut(name) else {
            // Without -v, the tests that fail have result lines and nothing else.
            self.sure &= self.has_started;
            return;
        };
        *times -= 1;
        if *times == 0 {
            self.open.remove(name);
        }
        outcome.count_in(&mut self.current);
    }

    fn package_passed(&mut self, rest: &str) {
        // While tests are running, go does not end the package: a test has printed this.
        if self.open.is_empty() {
            self.sure &= self.shows_all_tests() || rest.ends_with("[no tests to run]");
            self.end_package();
        }
    }

    fn package_failed(&mut self, rest: &str) {
        let unbuilt = rest.ends_with(" [build failed]") || rest.ends_with(" [setup failed]");
        if unbuilt && !self.open.is_empty() {
            return;
        }
        self.sure &= self.shows_all_tests() || unbuilt;
        // A panic or a timeout interrupted these tests.
        let broken_off = self.open.values().fold(0, |sum: u32, times| sum.saturating_add(*times));
        self.current.failed = self.current.failed.saturating_add(broken_off).max(1);
        self.end_package();
    }

    /// Whether the lines of this package come from a verbose run.
    fn shows_all_tests(&self) -> bool {
        self.has_started || self.is_verbose
    }

    fn end_package(&mut self) {
        self.done = Some(self.done.unwrap_or_default() + self.current);
        self.current = Counts::ZERO;
        self.open.clear();
        self.has_started = false;
    }
}

/// The test in `=== RUN   TestX`; output without a newline at its end may precede it.
fn started(line: &str) -> Option<&str> {
    let (_, name) = line.rsplit_once("=== RUN   ")?;
    if name.is_empty() || name.contains(' ') { None } else { Some(name) }
}

/// Outcome and test in `--- PASS: TestX (0.00s)`; subtests are indented, and output may precede it.
pub(in crate::suite) fn ended(line: &str) -> Option<(TestOutcome, &str)> {
    let (_, result) = line.rsplit_once("--- ")?;
    let (word, result) = result.split_once(": ")?;
    let (name, time) = result.strip_suffix("s)")?.split_once(" (")?;
    let outcome = match word {
        "PASS" => TestOutcome::Passed,
        "FAIL" => TestOutcome::Failed,
        "SKIP" => TestOutcome::Skipped,
        _ => return None,
    };
    reading::is_seconds(time).then_some((outcome, name))
}
