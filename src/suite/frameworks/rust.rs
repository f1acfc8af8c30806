//! Reads `cargo test`: adds up one line `test result: ok. 2 passed; 0 failed; ...` per test binary; and cargo-nextest:
//! `Starting 3 tests across 1 binary`, and at the end `Summary [ 0.01s] 3 tests run: 2 passed, ...`.

use super::reading::{FrameworkRun, Mark, Outcomes, Reading, Sessions, number, test_count};
use crate::suite::output::{Completeness, Streams, Text};
use crate::suite::{TestNames, TestOutcome};

const OF_CARGO: Outcomes =
    Outcomes { skipped: &["ignored"], other: &["measured"], beside: &["filtered out"], ..Outcomes::USUAL };

pub(super) fn cargo(text: &Text, streams: &Streams) -> Reading {
    let sessions = Sessions::of(text, |lines, is_open| {
        if let Some(planned) = lines[0].strip_prefix("running ").and_then(test_count) {
            return Mark::Heading(Some(planned));
        }
        match lines[0].strip_prefix("test result: ") {
            Some(result) if is_open => of_cargo(result).unwrap_or(Mark::Broken),
            Some(_) => Mark::Broken,
            None => Mark::Nothing,
        }
    });
    let ended = sessions.ended();
    match sessions.reading() {
        Reading::Sure(_) if !all_there(ended, streams) => Reading::Unsure,
        // Several binaries may have tests of the same names.
        Reading::Sure(runs) => {
            Reading::Sure(runs.into_iter().map(|run| FrameworkRun { at: None, ..run }).collect())
        }
        reading => reading,
    }
}

/// Reads `FAILED. 1 passed; 1 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s`.
fn of_cargo(result: &str) -> Option<Mark> {
    let list = result.strip_prefix("ok. ").or_else(|| result.strip_prefix("FAILED. "))?;
    let list = list.split_once("; finished in ").map_or(list, |(list, _)| list);
    OF_CARGO.read(list, "; ").map(|(counts, sum)| Mark::Summary(Some(sum), counts))
}

/// Whether the number of results is the one that cargo announced on standard error (`Running ...`, `Doc-tests ...`). Otherwise that
/// of a binary is missing that died, has its own harness, or whose output was cut off. With `--quiet`, nothing is announced.
fn all_there(ended: usize, Streams { stdout, stderr }: &Streams) -> bool {
    let announced = |texts: &[&Text], status: &str| {
        texts.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with(status)).count()
    };
    let (running, doc_tests) = ("     Running ", "   Doc-tests ");
    match (stdout.completeness(), stderr.completeness()) {
        (Completeness::Whole, Completeness::Whole) => {
            let texts = [stdout, stderr];
            match (announced(&texts, running), announced(&texts, doc_tests)) {
                (0, 0) => true,
                (binaries, 0) => ended == binaries,
                // The documentation of one crate may be tested in several batches.
                (binaries, crates) => ended >= binaries + crates,
            }
        }
        (Completeness::Cut, Completeness::Whole) => {
            announced(&[stderr], doc_tests) == 0 && announced(&[stderr], running) == ended
        }
        (_, Completeness::Cut) => false,
    }
}

/// `test tests::x ... ok`; with `--quiet` only the tests that failed, in the list behind all output: `failures:`, then a line for
/// each of them, then the result.
pub(super) fn cargo_names(lines: &[&str], names: &mut TestNames) {
    let mut list: Option<Vec<&str>> = None;
    for line in lines {
        if *line == "failures:" {
            list = Some(Vec::new());
        } else if line.starts_with("test result: FAILED.") {
            for name in list.take().into_iter().flatten() {
                names.add(name, TestOutcome::Failed);
            }
        } else if !line.is_empty()
            && let Some(listed) = &mut list
        {
            match line.strip_prefix("    ").filter(|name| !name.starts_with(' ')) {
                Some(name) => listed.push(name),
                // What tests have printed comes below such a line, too.
                None => list = None,
            }
        }
        let result = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... "));
        // A reason may follow: `ignored, takes long`.
        let result =
            result.and_then(|(name, said)| Some((name, TestOutcome::of_word(said.split(", ").next()?)?)));
        if let Some((name, outcome)) = result {
            names.add(name.strip_suffix(" - should panic").unwrap_or(name), outcome);
        }
    }
}

const OF_NEXTEST: Outcomes = Outcomes { failed: &["failed", "exec failed", "timed out"], ..Outcomes::USUAL };

pub(super) fn nextest(text: &Text) -> Reading {
    let sessions = Sessions::of(text, |lines, _| {
        // What tests print is indented further, so quoted summaries do not begin like this.
        if let Some(starting) = lines[0].strip_prefix("    Starting ") {
            let planned = starting.split_once(" across ").and_then(|(count, _)| test_count(count));
            return planned.map_or(Mark::Nothing, |planned| Mark::Heading(Some(planned)));
        }
        let summary = lines[0].strip_prefix("     Summary [").and_then(|rest| rest.split_once("] "));
        summary.map_or(Mark::Nothing, |(_, summary)| of_nextest(summary).unwrap_or(Mark::Broken))
    });
    sessions.reading()
}

/// Reads `2/4 tests run: 1 passed (1 flaky), 1 timed out, 0 skipped`: counts, and how many tests had been planned.
fn of_nextest(summary: &str) -> Option<Mark> {
    let (run, outcomes) = summary.split_once(" run: ")?;
    let (run, planned) = match run.split_once('/') {
        Some((run, planned)) => (number(run)?, test_count(planned)?),
        None => (test_count(run)?, test_count(run)?),
    };
    // Without what is in parentheses.
    let parts = outcomes.split(" (").enumerate();
    let outcomes: String = parts
        .map(|(at, part)| if at == 0 { part } else { part.split_once(')').map_or("", |(_, rest)| rest) })
        .collect();
    let (counts, _) = OF_NEXTEST.read(&outcomes, ", ")?;
    (counts.ran() == run).then_some(Mark::Summary(Some(planned), counts))
}

/// `        PASS [   0.005s] (1/5) sample tests::x`.
pub(super) fn nextest_names(lines: &[&str], names: &mut TestNames) {
    for line in lines {
        // The words end in the same column. What tests print is indented by four.
        let Some((word, rest)) = line.split_once(" [").filter(|(word, _)| word.len() == 12) else { continue };
        let Some(outcome) = TestOutcome::of_word(word.trim_start()) else { continue };
        let Some((_, name)) = rest.split_once("] ") else { continue };
        let name = name.trim_start();
        let numbered = name.strip_prefix('(').and_then(|rest| rest.split_once(") "));
        names.add(numbered.map_or(name, |(_, name)| name.trim_start()), outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_cargo_names_the_tests_that_failed_in_its_last_list() {
        let output = "\nrunning 3 tests\n.F.\nfailures:\n\n---- tests::two stdout ----\n\nfailures:\n    tests::no\nthread 'tests::two' \
                      panicked\n\n\nfailures:\n    tests::two\n\ntest result: FAILED. 2 passed; 1 failed; 0 ignored\n\n\
                      running 1 test\n.\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
        let mut names = TestNames::default();
        cargo_names(&output.lines().collect::<Vec<_>>(), &mut names);
        assert_eq!(names.with(TestOutcome::Failed).collect::<Vec<_>>(), ["tests::two"]);
        assert_eq!(names.with(TestOutcome::Passed).count(), 0);
    }

    #[test]
    fn what_a_test_prints_is_no_result_of_nextest() {
        let output = "        PASS [   0.005s] (1/2) sample tests::x\n    PASS [   0.005s] sample tests::y\nPASS [ 1s] a z\n";
        let mut names = TestNames::default();
        nextest_names(&output.lines().collect::<Vec<_>>(), &mut names);
        assert_eq!(names.with(TestOutcome::Passed).collect::<Vec<_>>(), ["sample tests::x"]);
    }
}
