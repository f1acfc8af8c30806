//! The names that go, cargo and nextest print.

use serde::Deserialize;

use crate::suite::readers::go_test_ended;
use crate::suite::test_names::{TestNames, TestOutcome};

/// `--- FAIL: TestX (0.00s)`, also in the events of `-json`; packages that could not be built.
pub(super) fn go(lines: &[&str], names: &mut TestNames) {
    /// The field of a test2json event that holds a line.
    #[derive(Deserialize)]
    struct Event {
        #[serde(rename = "Output")]
        output: Option<String>,
    }
    for line in lines {
        if line.starts_with('{')
            && let Ok(event) = serde_json::from_str::<Event>(line)
        {
            event.output.iter().for_each(|output| go_line(output.trim_end(), names));
        } else {
            go_line(line, names);
        }
    }
}

fn go_line(line: &str, names: &mut TestNames) {
    if let Some(package) = line.strip_prefix("FAIL\t") {
        let unbuilt =
            package.strip_suffix(" [build failed]").or_else(|| package.strip_suffix(" [setup failed]"));
        if let Some(package) = unbuilt {
            names.add(package, TestOutcome::NotLoaded);
        }
        return;
    }
    if let Some((outcome, name)) = go_test_ended(line) {
        names.add(name, outcome);
    }
}

/// `test tests::x ... ok`; with `--quiet` only the tests that failed, in the list behind all output: `failures:`, then a line for each
/// of them, then the result.
pub(super) fn cargo(lines: &[&str], names: &mut TestNames) {
    let (mut listed, mut is_list) = (Vec::new(), false);
    for line in lines {
        if *line == "failures:" {
            (listed, is_list) = (Vec::new(), true);
        } else if line.starts_with("test result: FAILED.") {
            for name in std::mem::take(&mut listed) {
                names.add(name, TestOutcome::Failed);
            }
            is_list = false;
        } else if is_list && !line.is_empty() {
            match line.strip_prefix("    ").filter(|name| !name.starts_with(' ')) {
                Some(name) => listed.push(name),
                // What tests have printed comes below such a line, too.
                None => (listed, is_list) = (Vec::new(), false),
            }
        }
        let Some((name, said)) = line.strip_prefix("test ").and_then(|rest| rest.rsplit_once(" ... ")) else {
            continue;
        };
        let outcome = match said {
            "ok" => TestOutcome::Passed,
            "FAILED" => TestOutcome::Failed,
            said if said == "ignored" || said.starts_with("ignored, ") => TestOutcome::Skipped,
            _ => continue,
        };
        names.add(name.strip_suffix(" - should panic").unwrap_or(name), outcome);
    }
}

/// `        PASS [   0.005s] (1/5) sample tests::x`.
pub(super) fn nextest(lines: &[&str], names: &mut TestNames) {
    for line in lines {
        // The words end in the same column. What tests print is indented by four.
        let Some((word, rest)) = line.split_once(" [").filter(|(word, _)| word.len() == 12) else { continue };
        let outcome = match word.trim_start() {
            "PASS" | "SLOW PASS" | "LEAK" => TestOutcome::Passed,
            "FAIL" | "TIMEOUT" | "ABORT" | "SIGABRT" | "SIGSEGV" => TestOutcome::Failed,
            "SKIP" => TestOutcome::Skipped,
            _ => continue,
        };
        let Some((_, name)) = rest.split_once("] ") else { continue };
        let name = name.trim_start();
        let name = match name.strip_prefix('(').and_then(|rest| rest.split_once(") ")) {
            Some((_, name)) => name.trim_start(),
            None => name,
        };
        names.add(name, outcome);
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
        cargo(&output.lines().collect::<Vec<_>>(), &mut names);
        assert_eq!(names.with(TestOutcome::Failed).collect::<Vec<_>>(), ["tests::two"]);
        assert_eq!(names.with(TestOutcome::Passed).count(), 0);
    }

    #[test]
    fn what_a_test_prints_is_no_result_of_nextest() {
        let output = "        PASS [   0.005s] (1/2) sample tests::x\n    PASS [   0.005s] sample tests::y\nPASS [ 1s] a z\n";
        let mut names = TestNames::default();
        nextest(&output.lines().collect::<Vec<_>>(), &mut names);
        assert_eq!(names.with(TestOutcome::Passed).collect::<Vec<_>>(), ["sample tests::x"]);
    }
}
