//! Reads pytest: `=== 1 failed, 2 passed in 0.12s ===`, or with `-q`, the same without the rules; and unittest:
//! `Ran 3 tests in 0.001s` under a rule, and below it the verdict `FAILED (failures=1, skipped=1)`.

use std::collections::HashSet;

use super::reading::{Mark, Outcomes, Reading, Sessions, is_seconds, number, test_count};
use crate::suite::output::{Completeness, Text};
use crate::suite::{Counts, TestNames, TestOutcome};

/// An expected failure is skipped, as in pytest's `JUnit` report. A failed subtest also fails its test, and pytest reports
/// both. For other subtests, it counts only the test.
const OF_PYTEST: Outcomes = Outcomes {
    passed: &["passed", "xpassed"],
    failed: &["failed", "error", "errors"],
    skipped: &["skipped", "xfailed"],
    beside: &["warning", "warnings", "deselected", "rerun", "subtests passed", "subtests skipped"],
    ..Outcomes::USUAL
};

pub(super) fn pytest(text: &Text) -> Reading {
    // Whether the session began with `=== test session starts ===`. With `-q`, there is only the progress: `..F    [100%]`.
    let mut has_heading = false;
    let sessions = Sessions::of(text, |lines, is_open| {
        let line = lines[0];
        let summary = match ruled(line) {
            Some("test session starts") => {
                has_heading = true;
                return Mark::Heading(None);
            }
            Some(title) => summary(title),
            // After a heading, the real summary has rules. One without rules is the output of a test.
            None if is_open && has_heading => None,
            None if !is_open && is_bare_progress(line) => {
                has_heading = false;
                return Mark::Heading(None);
            }
            None => summary(line),
        };
        summary.map_or(Mark::Nothing, |counts| Mark::Summary(None, counts))
    });
    sessions.reading()
}

/// `..F.s     [100%]`.
fn is_bare_progress(line: &str) -> bool {
    line.strip_suffix(" [100%]")
        .map(str::trim_end)
        .is_some_and(|outcomes| !outcomes.is_empty() && outcomes.bytes().all(|b| b".FEsxXuR,-".contains(&b)))
}

/// The text between the rules of a heading, `=== title ===`.
fn ruled(line: &str) -> Option<&str> {
    let inner = line.strip_prefix('=')?.strip_suffix('=')?;
    inner.trim_matches('=').strip_prefix(' ')?.strip_suffix(' ')
}

/// Reads `1 failed, 2 passed in 0.12s`.
fn summary(line: &str) -> Option<Counts> {
    let (outcomes, duration) = line.rsplit_once(" in ")?;
    // `0.12s`, `75.30s (0:01:15)`, and `0.12 seconds` before pytest 5.
    let (seconds, clock) = duration.split_once(" (").unwrap_or((duration, ")"));
    let seconds = seconds.strip_suffix(" seconds").or_else(|| seconds.strip_suffix('s'))?;
    let is_clock = |c: char| c.is_ascii_digit() || ":days, ".contains(c);
    if !is_seconds(seconds) || !clock.strip_suffix(')')?.chars().all(is_clock) {
        return None;
    }
    if outcomes == "no tests ran" {
        return Some(Counts::ZERO);
    }
    OF_PYTEST.read(outcomes, ", ").map(|(counts, _)| counts)
}

/// `FAILED a.py::test_x - assert ...` in the summary, and `a.py::test_x PASSED [ 50%]` with `-v`.
pub(super) fn pytest_names(lines: &[&str], names: &mut TestNames) {
    for line in lines {
        let Some((word, rest)) = line.split_once(' ') else { continue };
        if let Some(outcome) = TestOutcome::of_word(word) {
            let name = without_reason(rest);
            if name.contains("::") && (name.contains('[') || !name.ends_with(']')) {
                names.add(name, outcome);
            } else if word == "ERROR" && is_python_path(name) {
                names.add(name, TestOutcome::NotLoaded);
            }
        } else if line.contains("::")
            && let Some((name, outcome)) = verbose(line)
        {
            names.add(name, outcome);
        }
    }
}

/// Reads `a.py::test_x[a b] PASSED      [ 50%]`.
fn verbose(line: &str) -> Option<(&str, TestOutcome)> {
    let line = match line.rsplit_once('[') {
        Some((before, percent)) if percent.ends_with("%]") => before.trim_end(),
        _ => line,
    };
    let line =
        line.split_once(" (").filter(|(_, reason)| reason.ends_with(')')).map_or(line, |(line, _)| line);
    let (name, word) = line.rsplit_once(' ')?;
    is_python_path(name.split("::").next()?).then_some((name, TestOutcome::of_word(word)?))
}

/// `a.py::test_x[1 - 2] - assert ...` without what comes after the name. The message may contain brackets, too.
fn without_reason(text: &str) -> &str {
    let after_parameters = match text.find('[') {
        Some(open) if text[..open].contains("::") && !text[..open].contains(" - ") => {
            text[open..].find("] - ").map_or(text.len(), |at| open + at + 1)
        }
        _ => 0,
    };
    text[after_parameters..].find(" - ").map_or(text, |at| &text[..after_parameters + at])
}

fn is_python_path(text: &str) -> bool {
    text.ends_with(".py") && !text.contains(' ')
}

/// It does not say how many tests passed, and the number that ran is not the sum of the others: a test may fail in several
/// subtests, a class may fail or be skipped before any of its tests starts. So the headings of the failures show which tests
/// failed, and the progress (`..F.` or `... ok`) decides if skipped classes make the answer ambiguous.
pub(super) fn unittest(text: &Text) -> Reading {
    let (mut previous, mut run) = ("", UnittestRun::default());
    let sessions = Sessions::of(text, |lines, _| {
        let line = lines[0];
        let above = std::mem::replace(&mut previous, line);
        if is_rule(above, b'-')
            && let Some(ran) = ran(line)
        {
            let run = std::mem::take(&mut run);
            let verdict = lines.get(2).filter(|_| lines[1].is_empty());
            let counts = verdict.and_then(|verdict| run.counts(ran, verdict, text.completeness()));
            return counts.map_or(Mark::Broken, Mark::Run);
        }
        if is_rule(above, b'=') {
            run.heading(line);
        } else {
            run.progress(line);
        }
        Mark::Nothing
    });
    sessions.reading()
}

/// The lines of one run before its summary.
#[derive(Default)]
struct UnittestRun<'t> {
    /// Headings `FAIL:` and `ERROR:`.
    failures: u32,
    errors: u32,
    /// The tests in these headings; subtests count as one test.
    failed_tests: HashSet<&'t str>,
    /// How many headings are about a test that another one names, too.
    repeated: u32,
    /// Tests whose success was reported as they ran.
    successes: u32,
}

/// The numbers of a verdict.
const NUMBERS: [&str; 5] = ["failures", "errors", "skipped", "expected failures", "unexpected successes"];

impl<'t> UnittestRun<'t> {
    /// `FAIL: test_x (module.Class.test_x) (i=1)`, or `ERROR: setUpClass (module.Class)`.
    fn heading(&mut self, line: &'t str) {
        let (count, name) = match line.split_once(": ") {
            Some(("FAIL", name)) => (&mut self.failures, name),
            Some(("ERROR", name)) => (&mut self.errors, name),
            _ => return,
        };
        *count += 1;
        let fixtures = ["setUpClass (", "tearDownClass (", "setUpModule (", "tearDownModule ("];
        if !fixtures.iter().any(|fixture| name.starts_with(fixture)) {
            let is_new = self.failed_tests.insert(name.find(')').map_or(name, |end| &name[..end]));
            self.repeated += u32::from(!is_new);
        }
    }

    fn progress(&mut self, line: &str) {
        if line.bytes().all(|b| b".FEsxu".contains(&b)) {
            let dots = line.bytes().filter(|&b| b == b'.').count();
            self.successes = self.successes.saturating_add(u32::try_from(dots).unwrap_or(u32::MAX));
        } else if line.ends_with(" ... ok") {
            self.successes = self.successes.saturating_add(1);
        }
    }

    /// The counts, with the number of tests that ran and the verdict: `OK`, `OK (skipped=1)`, `FAILED (failures=1, errors=1)`
    /// or `NO TESTS RAN`.
    fn counts(&self, ran: u32, verdict: &str, progress: Completeness) -> Option<Counts> {
        let (word, list) = match verdict.split_once(" (") {
            Some((word, list)) => (word, list.strip_suffix(')')?),
            None => (verdict, ""),
        };
        if !matches!(word, "OK" | "FAILED" | "NO TESTS RAN") {
            return None;
        }
        let mut said = [0; NUMBERS.len()];
        for item in list.split(", ").filter(|item| !item.is_empty()) {
            let (what, count) = item.split_once('=')?;
            said[NUMBERS.iter().position(|known| *known == what)?] = number(count)?;
        }
        let [failures, errors, skipped, expected, unexpected] = said;
        if (self.failures, self.errors) != (failures, errors) {
            return None;
        }
        let failed_tests = u32::try_from(self.failed_tests.len()).ok()?;
        // Every skipped test may or may not have been counted as run.
        let most = [failed_tests, expected, unexpected].into_iter().try_fold(ran, u32::checked_sub)?;
        let least = most.saturating_sub(skipped);
        let passed = match progress {
            Completeness::Whole if (least..=most).contains(&self.successes) => self.successes,
            // The progress is mixed with other output: most skipped tests do count as run.
            Completeness::Whole => least,
            Completeness::Cut if least == most => most,
            Completeness::Cut => return None,
        };
        let failed = [failures, errors, unexpected].into_iter().fold(0, u32::saturating_add);
        Some(Counts {
            passed,
            // A test with subtests was one before it failed in several of them, and is one when it passes again.
            failed: failed.saturating_sub(self.repeated),
            skipped: skipped.saturating_add(expected),
        })
    }
}

fn is_rule(line: &str, of: u8) -> bool {
    line.len() == 70 && line.bytes().all(|b| b == of)
}

/// The number in `Ran 3 tests in 0.001s`.
fn ran(line: &str) -> Option<u32> {
    let (count, time) = line.strip_prefix("Ran ")?.split_once(" in ")?;
    test_count(count).filter(|_| time.strip_suffix('s').is_some_and(is_seconds))
}

/// `FAIL: test_x (module.Class.test_x)`, and `test_x (module.Class.test_x) ... ok` with `-v`.
pub(super) fn unittest_names(lines: &[&str], names: &mut TestNames) {
    // With a first line of documentation, the outcome is on the line below the name.
    let mut last = None;
    for line in lines {
        if let Some(heading) = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: ")) {
            if let Some(name) = of_method(heading) {
                let not_loaded = name.contains("_FailedTest.");
                let outcome = if not_loaded { TestOutcome::NotLoaded } else { TestOutcome::Failed };
                names.add(name.trim_start_matches("unittest.loader._FailedTest."), outcome);
            }
            continue;
        }
        let (name, said) = match line.rsplit_once(" ... ") {
            Some((before, said)) => (of_method(before), said),
            // After what a test has printed, its outcome has a line for itself.
            None if *line == "ok" => (None, "ok"),
            None => (of_method(line).filter(|_| line.ends_with(')')), ""),
        };
        let name = name.or_else(|| last.take());
        let outcome = match said {
            "ok" => Some(TestOutcome::Passed),
            "FAIL" => Some(TestOutcome::Failed),
            said if said == "expected failure" || said.starts_with("skipped ") => Some(TestOutcome::Skipped),
            _ => None,
        };
        match (name, outcome) {
            (Some(name), Some(outcome)) => names.add(name, outcome),
            (name, _) => last = name,
        }
    }
}

/// The name in `test_x (module.Class.test_x)` or, before Python 3.11, in `test_x (module.Class)`.
fn of_method(text: &str) -> Option<String> {
    let (method, rest) = text.split_once(" (")?;
    let (place, _) = rest.split_once(')')?;
    if method.is_empty() || method.contains(' ') || place.contains(' ') || place.is_empty() {
        return None;
    }
    let is_whole = place.strip_suffix(method).is_some_and(|class| class.ends_with('.'));
    Some(if is_whole { place.to_owned() } else { format!("{place}.{method}") })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::clean;

    fn named(read: fn(&[&str], &mut TestNames), output: &str) -> TestNames {
        let mut names = TestNames::default();
        let output = clean(output.as_bytes());
        read(&output.lines().collect::<Vec<_>>(), &mut names);
        names
    }

    #[test]
    fn the_message_of_a_failure_is_no_part_of_the_name() {
        for (said, name) in [
            ("t.py::test_x[a,b] - AssertionError: assert ['a,b'] == ['a', 'b']", "t.py::test_x[a,b]"),
            ("t.py::test_x[1 - 2] - assert [1]", "t.py::test_x[1 - 2]"),
            ("t.py::test_x[[1]] - assert [1] - [2]", "t.py::test_x[[1]]"),
            ("t.py::test_x[a b]", "t.py::test_x[a b]"),
            ("t.py::test_x - assert [1] == [2]", "t.py::test_x"),
            ("t.py::test_x - [x] - [y]", "t.py::test_x"),
            ("t.py::test_x", "t.py::test_x"),
            ("t.py::\u{1b}[1mtest_x[a]\u{1b}[0m - assert ['a']", "t.py::test_x[a]"),
            // The same for a test that passes, so that both are known to be one.
            ("t.py::test_x[a] - b]", "t.py::test_x[a]"),
        ] {
            for (word, outcome) in [("FAILED", TestOutcome::Failed), ("PASSED", TestOutcome::Passed)] {
                let names = named(pytest_names, &format!("{word} {said}\n"));
                assert_eq!(names.with(outcome).collect::<Vec<_>>(), [name], "{said}");
            }
        }
    }

    #[test]
    fn a_test_of_unittest_that_prints_something_has_a_name() {
        let output = "test_a (u.T.test_a) ... WARNING:root:x\nsaid (u.T) twice\nok\n\
                      test_b (u.T.test_b)\nAdds. ... ok\ntest_c (u.T.test_c) ... ok\nok\n";
        let names = named(unittest_names, output);
        assert_eq!(
            names.with(TestOutcome::Passed).collect::<Vec<_>>(),
            ["u.T.test_a", "u.T.test_b", "u.T.test_c"]
        );
        assert!(names.agree_with(crate::record::Counts { passed: 3, failed: 0, skipped: 0 }));
    }

    #[test]
    fn summaries_are_read_and_prose_is_not() {
        let counts = |passed, failed, skipped| Some(Counts { passed, failed, skipped });
        for (line, expected) in [
            (
                "3 failed, 2 passed, 1 skipped, 1 xfailed, 1 xpassed, 1 error, 2 warnings, 1 deselected in 0.12s",
                counts(3, 4, 2),
            ),
            ("1 passed in 75.30s (0:01:15)", counts(1, 0, 0)),
            ("1 passed in 90000.30s (1 day, 1:00:00)", counts(1, 0, 0)),
            ("1 passed in 0.12 seconds", counts(1, 0, 0)),
            ("no tests ran in 0.00s", counts(0, 0, 0)),
            ("400 passed validation", None),
            ("400 passed in 2s", None),
            ("400 passed in total", None),
            ("3 tests collected in 0.00s", None),
            ("I have 400 passed in 0.12s", None),
            ("400 passed, surely, in 0.12s", None),
            ("passed in 0.12s", None),
            ("5000000000 passed in 0.12s", None),
        ] {
            assert_eq!(summary(line), expected, "{line}");
        }
    }
}
