//! The names that go, cargo, nextest, `RSpec`, Minitest, test-unit and `PHPUnit` print.

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

/// `rspec ./spec/a_spec.rb:3 # name` in the list of failed examples, and files that could not be loaded.
pub(super) fn rspec(lines: &[&str], names: &mut TestNames) {
    for line in lines {
        if let Some((_, name)) = line.strip_prefix("rspec ").and_then(|rest| rest.split_once(" # ")) {
            names.add(name.trim(), TestOutcome::Failed);
        } else if let Some(file) = line.strip_prefix("An error occurred while loading ") {
            names.add(file.trim_end_matches('.'), TestOutcome::NotLoaded);
        }
    }
}

/// `TestA#test_x = 0.00 s = .` with `-v`, and `TestA#test_x [a.rb:4]:` below `Failure:` or `Error:`; of test-unit
/// `Failure: test_x(TestA)`.
pub(super) fn minitest(lines: &[&str], names: &mut TestNames) {
    let mut is_failure = false;
    for line in lines {
        let heading = line.trim_start().split_once(") ").map_or("", |(_, word)| word);
        if is_failure && let Some(name) = line.split([' ', ':']).next().filter(|name| name.contains('#')) {
            names.add(name, TestOutcome::Failed);
        } else if let Some((name, outcome)) = line.split_once(" = ").and_then(|(name, rest)| {
            let (_, mark) = rest.split_once(" s = ")?;
            let outcome = match mark {
                "." => TestOutcome::Passed,
                "F" | "E" => TestOutcome::Failed,
                "S" => TestOutcome::Skipped,
                _ => return None,
            };
            Some((name, outcome))
        }) {
            names.add(name, outcome);
        } else if let Some(name) = line.strip_prefix("Failure: ").or_else(|| line.strip_prefix("Error: "))
            && name.ends_with(')')
        {
            names.add(name, TestOutcome::Failed);
        }
        is_failure = matches!(heading, "Failure:" | "Error:");
    }
}

/// `1) Tests\\CalcTest::testAdd` in the list of failures.
pub(super) fn phpunit(lines: &[&str], names: &mut TestNames) {
    for line in lines {
        let Some((number, name)) = line.split_once(") ") else { continue };
        let is_number = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        if is_number && name.contains("::") && !name.split("::").next().unwrap_or_default().contains(' ') {
            names.add(name, TestOutcome::Failed);
        }
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
