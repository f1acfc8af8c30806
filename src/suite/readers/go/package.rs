//! Reads the lines that `go test -v` prints for one package after another.

use std::collections::HashMap;

use crate::suite::Counts;
use crate::suite::readers::reading::FrameworkRun;
use crate::suite::readers::{Reading, reading};

/// Whether the lines are known to come from a verbose run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verbosity {
    Verbose,
    Unknown,
}

/// The packages read so far, and the one whose lines are being read.
pub(super) struct Block<'t> {
    verbosity: Verbosity,
    /// Tests that have started but not ended, and how often.
    open: HashMap<&'t str, u32>,
    started: Started,
    current: Counts,
    /// The sum over the packages that have ended.
    done: Option<Counts>,
    sure: bool,
}

/// Whether a test has started in the package that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Started {
    No,
    Yes,
}

/// A result line's first word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ResultWord {
    Pass,
    Fail,
    Skip,
}

impl<'t> Block<'t> {
    pub(super) fn new(verbosity: Verbosity) -> Self {
        let (open, current, done) = (HashMap::new(), Counts::ZERO, None);
        Self { verbosity, open, started: Started::No, current, done, sure: true }
    }

    pub(super) fn line(&mut self, line: &'t str) {
        if let Some(name) = started(line) {
            *self.open.entry(name).or_insert(0) += 1;
            self.started = Started::Yes;
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
            _ if !self.sure || self.started == Started::Yes => Reading::Unsure,
            Some(counts) => Reading::Sure(vec![FrameworkRun::of(counts)]),
            None => Reading::Absent,
        }
    }

    /// A result counts if its test had started: a test may print such a line itself.
    fn test_ended(&mut self, outcome: ResultWord, name: &str) {
        let Some(times) = self.open.get_mut(name) else {
            // Without -v, the tests that fail have result lines and nothing else.
            self.sure &= self.started == Started::Yes;
            return;
        };
        *times -= 1;
        if *times == 0 {
            self.open.remove(name);
        }
        let slot = match outcome {
            ResultWord::Pass => &mut self.current.passed,
            ResultWord::Fail => &mut self.current.failed,
            ResultWord::Skip => &mut self.current.skipped,
        };
        *slot = slot.saturating_add(1);
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
        self.started == Started::Yes || self.verbosity == Verbosity::Verbose
    }

    fn end_package(&mut self) {
        self.done = Some(self.done.unwrap_or_default() + self.current);
        self.current = Counts::ZERO;
        self.open.clear();
        self.started = Started::No;
    }
}

/// The test in `=== RUN   TestX`; output without a newline at its end may precede it.
fn started(line: &str) -> Option<&str> {
    let (_, name) = line.rsplit_once("=== RUN   ")?;
    if name.is_empty() || name.contains(' ') { None } else { Some(name) }
}

/// Outcome and test in `--- PASS: TestX (0.00s)`; subtests are indented, and output may precede it.
fn ended(line: &str) -> Option<(ResultWord, &str)> {
    let (_, result) = line.rsplit_once("--- ")?;
    let (word, result) = result.split_once(": ")?;
    let (name, time) = result.strip_suffix("s)")?.split_once(" (")?;
    let outcome = match word {
        "PASS" => ResultWord::Pass,
        "FAIL" => ResultWord::Fail,
        "SKIP" => ResultWord::Skip,
        _ => return None,
    };
    if reading::is_seconds(time) { Some((outcome, name)) } else { None }
}
