//! Reads `go test -v` and `go test -json`: the results of tests including subtests, not those of packages.
//!
//! Every test with a result counts as one, and so does every subtest: go prints a line and a JSON event for each, and
//! no sum. Plain `go test` names only the packages and the tests that failed; how many passed cannot be known from
//! that. The JSON events carry the lines of `-v`, so both forms are read alike.

mod package;

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::Deserialize;

use self::package::Block;
pub(in crate::suite) use self::package::ended;
use super::Reading;
use super::reading::FrameworkRun;
use crate::suite::output::{Completeness, Text};

pub(super) fn read(text: &Text) -> Reading {
    let mut lines = Block::new(false);
    let mut packages: BTreeMap<String, String> = BTreeMap::new();
    for line in text.lines() {
        if !["{\"Time\":", "{\"Action\":", "{\"ImportPath\":"].iter().any(|start| line.starts_with(start)) {
            lines.line(line);
            continue;
        }
        match serde_json::from_str::<Event<'_>>(line) {
            Ok(Event { package: Some(package), output: Some(output) }) => match packages.get_mut(&*package) {
                Some(so_far) => so_far.push_str(&output),
                None => drop(packages.insert(package.into_owned(), output.into_owned())),
            },
            Ok(_) => {}
            Err(_) => return Reading::Unsure,
        }
    }
    let mut readings = vec![lines.reading()];
    for output in packages.values() {
        let mut block = Block::new(true);
        output.lines().for_each(|line| block.line(line));
        readings.push(block.reading());
    }
    match sum(&readings) {
        // Results are added up one by one, so those in the gap would be missing.
        Reading::Sure(_) if text.completeness() == Completeness::Cut => Reading::Unsure,
        reading => reading,
    }
}

fn sum(readings: &[Reading]) -> Reading {
    if readings.contains(&Reading::Unsure) {
        return Reading::Unsure;
    }
    let sum = readings.iter().filter_map(Reading::counts).reduce(|sum, counts| sum + counts);
    Reading::of(sum.map(FrameworkRun::of).into_iter().collect())
}

/// The fields of a test2json event that are needed.
#[derive(Deserialize)]
struct Event<'t> {
    #[serde(rename = "Package", borrow)]
    package: Option<Cow<'t, str>>,
    #[serde(rename = "Output", borrow)]
    output: Option<Cow<'t, str>>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::output::Stream;
    use crate::suite::{Counts, KeptOutput};

    fn reading(lines: &[&str]) -> Reading {
        read(&Text::new(KeptOutput::Whole(lines.join("\n").as_bytes()), Stream::Stdout))
    }

    fn sure(passed: u32, failed: u32) -> Reading {
        Reading::Sure(vec![FrameworkRun::of(Counts { passed, failed, skipped: 0 })])
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
