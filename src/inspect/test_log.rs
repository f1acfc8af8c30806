//! Reads the log of a failed test step, which `TestResults::log` has written: with which status its commands ended, and which
//! tests failed.

use crate::plan::TestCommand;
use crate::report::LoggedTests;
use crate::suite::{TestOutcome, recognise_text};

/// How the line before the output of a command begins, and how it ends.
const BEGIN: &str = "=== ";
const END: &str = " ===";
/// What precedes the status of a command that ended by itself.
const STATUS: &str = "`: exit status ";

/// A command, and what it printed.
struct Part<'l> {
    command: &'l str,
    status: i32,
    output: String,
}

/// What a log says of the commands that failed.
pub(crate) fn logged(log: &str) -> LoggedTests {
    let failed: Vec<Part<'_>> = parts(log).into_iter().filter(|part| part.status != 0).collect();
    let names = failed.iter().flat_map(|part| {
        let names = recognise_text(&TestCommand::suite(part.command), &part.output).names;
        names.with(TestOutcome::Failed).map(str::to_owned).collect::<Vec<_>>()
    });
    LoggedTests { failed: names.collect(), exit_code: failed.first().map(|part| part.status) }
}

/// The commands that ended by themselves.
fn parts(log: &str) -> Vec<Part<'_>> {
    let mut parts: Vec<Part<'_>> = Vec::new();
    let mut is_inside = false;
    for line in log.lines() {
        match line.strip_prefix(BEGIN).and_then(|line| line.strip_suffix(END)).map(part_of) {
            Some(Some(part)) => {
                parts.push(part);
                is_inside = true;
            }
            Some(None) => is_inside = false,
            None if is_inside && !line.starts_with("--- ") => {
                let last = parts.last_mut().expect("a part has begun");
                last.output.push_str(line);
                last.output.push('\n');
            }
            None => {}
        }
    }
    parts
}

/// The part that a line such as ``unit `npm test`: exit status 1, 2 s`` begins.
fn part_of(line: &str) -> Option<Part<'_>> {
    let (head, rest) = line.rsplit_once(STATUS)?;
    let (_, command) = head.split_once('`')?;
    let digits = rest.split(|c: char| !c.is_ascii_digit()).next()?;
    Some(Part { command, status: digits.parse().ok()?, output: String::new() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_status_that_is_a_failure_and_the_names_of_failed_tests_are_read() {
        let log = "error[counts]: something\n\n=== setup `make`: exit status 0, 1 s ===\n--- stdout ---\nFAILED a.py::no\n\n\
                   === unit `pytest -q`: exit status 1, 0.3 s ===\n--- stdout ---\n\
                   FAILED tests/test_a.py::test_one - assert 1 == 2\n1 failed, 2 passed in 0.12s\n\n";
        let read = logged(log);
        assert_eq!(read.exit_code, Some(1));
        assert_eq!(read.failed, ["tests/test_a.py::test_one"]);
        assert_eq!(logged("=== unit `x`: it was killed, 3 s ===\n"), LoggedTests::default());
        assert_eq!(logged(""), LoggedTests::default());
    }
}
