//! Reads `go test -v` and `go test -json`: the results of tests including subtests, not those of packages.
//!
//! Every test with a result counts as one, and so does every subtest: go prints a line and a JSON event for each, and
//! no sum. Plain `go test` names only the packages and the tests that failed; how many passed cannot be known from
//! that. The JSON events carry the lines of `-v`, so both forms are read alike.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::reading::{FrameworkRun, Reading, is_seconds};
use crate::suite::output::{Completeness, Text};
use crate::suite::{Counts, TestNames, TestOutcome};

pub(super) fn counts(text: &Text) -> Reading {
    let mut lines = Packages::new(false);
    let mut outputs: BTreeMap<Cow<'_, str>, String> = BTreeMap::new();
    for line in text.lines() {
        match event(line) {
            None => lines.line(line),
            Some(Ok(Event { package: Some(package), output: Some(output) })) => {
                outputs.entry(package).or_default().push_str(&output);
            }
            Some(Ok(_)) => {}
            Some(Err(_)) => return Reading::Unsure,
        }
    }
    let mut readings = vec![lines.reading()];
    for output in outputs.values() {
        let mut package = Packages::new(true);
        output.lines().for_each(|line| package.line(line));
        readings.push(package.reading());
    }
    // Results are added up one by one, so those in a gap would be missing.
    let is_cut = text.completeness() == Completeness::Cut;
    match readings.iter().filter_map(Reading::counts).reduce(|sum, counts| sum + counts) {
        _ if readings.contains(&Reading::Unsure) => Reading::Unsure,
        Some(_) if is_cut => Reading::Unsure,
        counts => Reading::of(counts.map(|counts| FrameworkRun { counts, at: None }).into_iter().collect()),
    }
}

/// The fields of a test2json event that are needed.
#[derive(Deserialize)]
struct Event<'t> {
    #[serde(rename = "Package", borrow)]
    package: Option<Cow<'t, str>>,
    #[serde(rename = "Output", borrow)]
    output: Option<Cow<'t, str>>,
}

/// The event that a line is.
fn event(line: &str) -> Option<serde_json::Result<Event<'_>>> {
    let is_event =
        ["{\"Time\":", "{\"Action\":", "{\"ImportPath\":"].iter().any(|start| line.starts_with(start));
    is_event.then(|| serde_json::from_str(line))
}

/// The packages read so far, and the one whose lines are being read.
struct Packages<'t> {
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

impl<'t> Packages<'t> {
    fn new(is_verbose: bool) -> Self {
        let (open, current, done) = (HashMap::new(), Counts::ZERO, None);
        Self { is_verbose, open, has_started: false, current, done, sure: true }
    }

    fn line(&mut self, line: &'t str) {
        // Whether the lines of this package come from a verbose run.
        let shows_all = self.has_started || self.is_verbose;
        if let Some(name) = started(line) {
            *self.open.entry(name).or_insert(0) += 1;
            self.has_started = true;
        } else if let Some((outcome, name)) = ended(line) {
            self.test_ended(outcome, name);
        } else if let Some(rest) = line.strip_prefix("FAIL\t") {
            let unbuilt = rest.ends_with(" [build failed]") || rest.ends_with(" [setup failed]");
            if unbuilt && !self.open.is_empty() {
                return;
            }
            self.sure &= shows_all || unbuilt;
            // A panic or a timeout interrupted these tests.
            let broken_off = self.open.values().fold(0, |sum: u32, times| sum.saturating_add(*times));
            self.current.failed = self.current.failed.saturating_add(broken_off).max(1);
            self.end_package();
        } else if !self.open.is_empty() {
            // While tests are running, go does not end the package: a test has printed this.
        } else if let Some(rest) = line.strip_prefix("ok  \t") {
            self.sure &= shows_all || rest.ends_with("[no tests to run]");
            self.end_package();
        } else if line.starts_with("?   \t") && line.ends_with("\t[no test files]") {
            self.end_package();
        }
    }

    /// The result of all lines.
    fn reading(&self) -> Reading {
        match self.done {
            _ if !self.sure || self.has_started => Reading::Unsure,
            Some(counts) => Reading::Sure(vec![FrameworkRun { counts, at: None }]),
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
fn ended(line: &str) -> Option<(TestOutcome, &str)> {
    let (_, result) = line.rsplit_once("--- ")?;
    let (word, result) = result.split_once(": ")?;
    let (name, time) = result.strip_suffix("s)")?.split_once(" (")?;
    is_seconds(time).then_some((TestOutcome::of_word(word)?, name))
}

/// `--- FAIL: TestX (0.00s)`, also in the events of `-json`; packages that could not be built.
pub(super) fn names(lines: &[&str], names: &mut TestNames) {
    for line in lines {
        let output = event(line).and_then(Result::ok).map(|event| event.output.unwrap_or_default());
        let line = output.as_deref().unwrap_or(line).trim_end();
        if let Some(package) = line.strip_prefix("FAIL\t") {
            let unbuilt =
                [" [build failed]", " [setup failed]"].into_iter().find_map(|end| package.strip_suffix(end));
            unbuilt.into_iter().for_each(|package| names.add(package, TestOutcome::NotLoaded));
        } else if let Some((outcome, name)) = ended(line) {
            names.add(name, outcome);
        }
    }
}
#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::KeptOutput;
    use crate::suite::output::Stream;

    fn reading(lines: &[&str]) -> Reading {
        counts(&Text::new(KeptOutput::Whole(lines.join("\n").as_bytes()), Stream::Stdout))
    }

    fn sure(passed: u32, failed: u32) -> Reading {
        Reading::Sure(vec![FrameworkRun { counts: Counts { passed, failed, skipped: 0 }, at: None }])
    }

    #[test]
    fn a_failed_build_in_the_format_of_go_1_24_counts_once() {
        let events = [
            r##"{"ImportPath":"x.test","Action":"build-output","Output":"# x\n"}"##,
            r#"{"ImportPath":"x.test","Action":"build-fail"}"#,
            r#"{"Action":"start","Package":"x"}"#,
            r#"{"Action":"output","Package":"x","Output":"FAIL\tx [build failed]\n"}"#,
            r#"{"Action":"fail","Package":"x","Elapsed":0,"FailedBuild":"x.test"}"#,
        ];
        assert_eq!(reading(&events), sure(0, 1));
    }

    #[test]
    fn events_of_concurrent_packages_are_kept_separate() {
        let events = [
            r#"{"Action":"output","Package":"x","Output":"=== RUN   TestA\n"}"#,
            r#"{"Action":"output","Package":"y","Output":"=== RUN   TestA\n"}"#,
            r#"{"Action":"output","Package":"y","Output":"--- FAIL: TestA (0.00s)\n"}"#,
            r#"{"Action":"output","Package":"x","Output":"a part of a line, "}"#,
            r#"{"Action":"output","Package":"x","Output":"--- PASS: TestA (0.00s)\n"}"#,
            r#"{"Action":"output","Package":"y","Output":"FAIL\ty\t0.1s\n"}"#,
            r#"{"Action":"output","Package":"x","Output":"ok  \tx\t0.1s\n"}"#,
        ];
        assert_eq!(reading(&events), sure(1, 1));
    }

    #[test]
    fn broken_events_and_packages_without_an_end_are_not_counted() {
        for lines in [
            &[r#"{"Action":"output","Package":"x","Output":"ok  \t"#][..],
            &["=== RUN   TestA", "--- PASS: TestA (0.00s)"],
            &["=== RUN   TestA", "ok  \tx\t0.1s"],
            &["--- FAIL: TestA (0.00s)", "FAIL", "FAIL\tx\t0.1s"],
        ] {
            assert_eq!(reading(lines), Reading::Unsure, "{lines:?}");
        }
    }
}
