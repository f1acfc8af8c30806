//! The names that pytest and unittest print.

use crate::suite::test_names::{TestNames, TestOutcome};

/// `FAILED a.py::test_x - assert ...` in the summary, and `a.py::test_x PASSED [ 50%]` with `-v`.
pub(super) fn pytest(lines: &[&str], names: &mut TestNames) {
    for line in lines {
        let Some((word, rest)) = line.split_once(' ') else { continue };
        if let Some(outcome) = of_word(word) {
            let name = without_reason(rest);
            let is_test = name.contains("::");
            match outcome {
                TestOutcome::Failed if word == "ERROR" && !is_test && is_python_path(name) => {
                    names.add(name, TestOutcome::NotLoaded);
                }
                _ if is_test && !name.ends_with(']') || name.contains("::") && name.contains('[') => {
                    names.add(name, outcome);
                }
                _ => {}
            }
        } else if line.contains("::")
            && let Some((name, outcome)) = verbose(line)
        {
            names.add(name, outcome);
        }
    }
}

fn of_word(word: &str) -> Option<TestOutcome> {
    match word {
        "FAILED" | "ERROR" => Some(TestOutcome::Failed),
        "PASSED" | "XPASS" => Some(TestOutcome::Passed),
        "SKIPPED" | "XFAIL" => Some(TestOutcome::Skipped),
        _ => None,
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
    let path = name.split("::").next()?;
    is_python_path(path).then_some(())?;
    Some((name, of_word(word)?))
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

/// `FAIL: test_x (module.Class.test_x)`, and `test_x (module.Class.test_x) ... ok` with `-v`.
pub(super) fn unittest(lines: &[&str], names: &mut TestNames) {
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
            "expected failure" => Some(TestOutcome::Skipped),
            said if said.starts_with("skipped ") => Some(TestOutcome::Skipped),
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
                let names = named(pytest, &format!("{word} {said}\n"));
                assert_eq!(names.with(outcome).collect::<Vec<_>>(), [name], "{said}");
            }
        }
    }

    #[test]
    fn a_test_of_unittest_that_prints_something_has_a_name() {
        let output = "test_a (u.T.test_a) ... WARNING:root:x\nsaid (u.T) twice\nok\n\
                      test_b (u.T.test_b)\nAdds. ... ok\ntest_c (u.T.test_c) ... ok\nok\n";
        let names = named(unittest, output);
        assert_eq!(
            names.with(TestOutcome::Passed).collect::<Vec<_>>(),
            ["u.T.test_a", "u.T.test_b", "u.T.test_c"]
        );
        assert!(names.agree_with(crate::record::Counts { passed: 3, failed: 0, skipped: 0 }));
    }
}
