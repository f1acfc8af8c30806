//! Reads `go test -v` and `go test -json`: the results of tests including subtests, not those of packages.
//!
//! Every test with a result counts as one, and so does every subtest: go prints a line and a JSON event for each, and
//! no sum. Plain `go test` names only the packages and the tests that failed; how many passed cannot be known from
//! that. The JSON events carry the lines of `-v`, so both forms are read alike.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use crate::suite::output::{Reading, Text};
use crate::suite::{Counts, TestOutcome};

pub(super) fn counts(text: &Text) -> Reading {
    match lines(text.as_str()).and_then(|lines| of_packages(&lines)) {
        Some(None) => Reading::Absent,
        // Results are added up one by one, so those in a gap would be missing.
        Some(Some(counts)) if !text.is_cut => Reading::of(vec![counts]),
        _ => Reading::Unsure,
    }
}

/// The lines of an output, as `-v` prints them: what is no event, and the output of each package. None if an event is broken.
pub(super) fn lines(text: &str) -> Option<String> {
    let (mut plain, mut outputs) = (String::new(), BTreeMap::<String, String>::new());
    for line in text.split_inclusive('\n') {
        if !["{\"Time\":", "{\"Action\":", "{\"ImportPath\":"].iter().any(|start| line.starts_with(start)) {
            plain.push_str(line);
            continue;
        }
        let event: Value = serde_json::from_str(line).ok()?;
        if let (Some(package), Some(output)) = (event["Package"].as_str(), event["Output"].as_str()) {
            outputs.entry(package.to_owned()).or_default().push_str(output);
        }
    }
    plain.extend(outputs.into_values());
    Some(plain)
}

/// The sum over the packages that have ended in these lines, if there are any; `None` if it is not sure.
fn of_packages(lines: &str) -> Option<Option<Counts>> {
    // Tests that have started but not ended, and how often.
    let mut open: HashMap<&str, u32> = HashMap::new();
    let (mut has_started, mut current, mut done) = (false, Counts::ZERO, None::<Counts>);
    for line in lines.lines() {
        // Output without a newline at its end may precede it.
        if let Some((_, name)) = line.rsplit_once("=== RUN   ").filter(|(_, name)| !name.contains(' ')) {
            *open.entry(name).or_default() += 1;
            has_started = true;
            continue;
        }
        if let Some((outcome, name)) = ended(line) {
            // A result counts if its test had started: a test may print such a line itself. Without -v, the tests that fail have
            // result lines and nothing else.
            if let Some(times) = open.get_mut(name).filter(|times| **times > 0) {
                *times -= 1;
                outcome.count_in(&mut current);
            } else if !has_started {
                return None;
            }
            continue;
        }
        let running: u32 = open.values().sum();
        let ends_with = |ends: &[&str]| ends.iter().any(|end| line.ends_with(end));
        if line.starts_with("FAIL\t") {
            let is_unbuilt = ends_with(&[" [build failed]", " [setup failed]"]);
            match (is_unbuilt, running, has_started) {
                (true, 1.., _) => continue,
                (false, _, false) => return None,
                // A panic or a timeout interrupted the tests that were running.
                _ => current.failed = current.failed.saturating_add(running).max(1),
            }
        } else if running > 0 {
            // While tests are running, go does not end the package: a test has printed this.
            continue;
        } else if line.starts_with("ok  \t") {
            (has_started || ends_with(&["[no tests to run]"])).then_some(())?;
        } else if !(line.starts_with("?   \t") && ends_with(&["\t[no test files]"])) {
            continue;
        }
        done = Some(done.unwrap_or_default() + std::mem::take(&mut current));
        open.clear();
        has_started = false;
    }
    (!has_started).then_some(done)
}

/// Outcome and test in `--- PASS: TestX (0.00s)`; subtests are indented, and output may precede it.
fn ended(line: &str) -> Option<(TestOutcome, &str)> {
    let (_, result) = line.rsplit_once("--- ")?;
    let (word, result) = result.split_once(": ")?;
    let (name, seconds) = result.strip_suffix("s)")?.rsplit_once(" (")?;
    seconds.parse::<f64>().ok()?;
    Some((TestOutcome::of_word(word)?, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Captured;

    fn reading(lines: &[&str]) -> Reading {
        counts(&Text::new(&Captured::whole(lines.join("\n").as_bytes())))
    }

    fn sure(passed: u32, failed: u32) -> Reading {
        Reading::Sure(vec![Counts { passed, failed, skipped: 0 }])
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
