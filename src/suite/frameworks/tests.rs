//! Tests what is read from summaries and names that were not captured from real runs.

use super::*;
use crate::process::Captured;
use crate::suite::output::{Reading, Streams};
use crate::suite::{Counts, TestNames, TestOutcome};

fn named(framework: Framework, output: &str, outcome: TestOutcome) -> Vec<String> {
    let names: TestNames = read_names(framework, output.as_bytes());
    names.with(outcome).map(str::to_owned).collect()
}

fn reading(framework: Framework, printed: &str) -> Reading {
    framework.read(&Streams::new([&Captured::whole(printed.as_bytes()), &Captured::default()]))
}

fn counts(framework: Framework, printed: &str) -> Option<(u32, u32, u32)> {
    reading(framework, printed).counts().map(|counts| (counts.passed, counts.failed, counts.skipped))
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
            assert_eq!(named(Framework::Pytest, &format!("{word} {said}\n"), outcome), [name], "{said}");
        }
    }
}

#[test]
fn a_test_of_unittest_that_prints_something_has_a_name() {
    let output = "test_a (u.T.test_a) ... WARNING:root:x\nsaid (u.T) twice\nok\n\
                  test_b (u.T.test_b)\nAdds. ... ok\ntest_c (u.T.test_c) ... ok\nok\n";
    let names = named(Framework::Unittest, output, TestOutcome::Passed);
    assert_eq!(names, ["u.T.test_a", "u.T.test_b", "u.T.test_c"]);
    assert_eq!(named(Framework::Unittest, output, TestOutcome::Failed), [""; 0]);
}

#[test]
fn quiet_cargo_names_the_tests_that_failed_in_its_last_list() {
    let output = "\nrunning 3 tests\n.F.\nfailures:\n\n---- tests::two stdout ----\n\nfailures:\n    tests::no\nthread 'tests::two' \
                  panicked\n\n\nfailures:\n    tests::two\n\ntest result: FAILED. 2 passed; 1 failed; 0 ignored\n\n\
                  running 1 test\n.\ntest result: ok. 1 passed; 0 failed; 0 ignored\n";
    assert_eq!(named(Framework::CargoTest, output, TestOutcome::Failed), ["tests::two"]);
    assert_eq!(named(Framework::CargoTest, output, TestOutcome::Passed), [""; 0]);
}

#[test]
fn what_a_test_prints_is_no_result_of_nextest() {
    let output = "        PASS [   0.005s] (1/2) sample tests::x\n    PASS [   0.005s] sample tests::y\nPASS [ 1s] a z\n";
    assert_eq!(named(Framework::Nextest, output, TestOutcome::Passed), ["sample tests::x"]);
}

#[test]
fn points_without_numbers_have_names_and_prose_has_none() {
    let output = "ok - adds\nnot ok - takes away # 2\nok | 3 passed\nok then\nnot ok 2 - last\n1..3\n";
    assert_eq!(named(Framework::Tap, output, TestOutcome::Passed), ["adds"]);
    assert_eq!(named(Framework::Tap, output, TestOutcome::Failed), ["last", "takes away # 2"]);
}

#[test]
fn a_directive_leaves_a_test_out_and_a_number_sign_in_its_name_does_not() {
    for (line, name, expected) in [
        ("ok 1 - adds", Some("adds"), Some((1, 0, 0))),
        ("not ok 1 C# skips blanks", Some("C# skips blanks"), Some((0, 1, 0))),
        ("not ok 1 a # b # TODO see # 5", Some("a # b"), Some((0, 0, 1))),
        ("ok 1 - waits # Skip no network", Some("waits"), Some((0, 0, 1))),
        ("ok 1 # skip", None, Some((0, 0, 1))),
        ("ok # skip", None, Some((0, 0, 1))),
        ("ok", None, Some((1, 0, 0))),
        ("ok - adds", Some("adds"), Some((1, 0, 0))),
        ("not ok 2 - adds", Some("adds"), None),
        ("ok  \texample.com/x\t0.1s", None, None),
        ("okay 1", None, None),
        ("not okay", None, None),
    ] {
        assert_eq!(counts(Framework::Tap, &format!("1..1\n{line}\n")), expected, "{line}");
        let outcomes = [TestOutcome::Passed, TestOutcome::Failed, TestOutcome::Skipped];
        let names: Vec<String> =
            outcomes.into_iter().flat_map(|outcome| named(Framework::Tap, line, outcome)).collect();
        assert_eq!(names.first().map(String::as_str), name, "{line}");
    }
}

#[test]
fn summaries_are_read_and_prose_is_not() {
    for (line, expected) in [
        (
            "3 failed, 2 passed, 1 skipped, 1 xfailed, 1 xpassed, 1 error, 2 warnings, 1 deselected in 0.12s",
            Some((3, 4, 2)),
        ),
        ("1 passed in 75.30s (0:01:15)", Some((1, 0, 0))),
        ("1 passed in 90000.30s (1 day, 1:00:00)", Some((1, 0, 0))),
        ("1 passed in 0.12 seconds", Some((1, 0, 0))),
        ("no tests ran in 0.00s", Some((0, 0, 0))),
        ("400 passed validation", None),
        ("400 passed in 2s", None),
        ("400 passed in total", None),
        ("3 tests collected in 0.00s", None),
        ("I have 400 passed in 0.12s", None),
        ("400 passed, surely, in 0.12s", None),
        ("passed in 0.12s", None),
        ("5000000000 passed in 0.12s", None),
    ] {
        assert_eq!(counts(Framework::Pytest, line), expected, "{line}");
        assert_eq!(counts(Framework::Pytest, &format!("== {line} ==")), expected, "{line}");
    }
}

#[test]
fn lists_are_read_only_if_every_item_is_a_number_and_words() {
    let failed = Counts { failed: 3, ..Counts::ZERO };
    assert_eq!(reading::outcomes("2 failed, 1 exec failed, 4 deselected"), Some((failed, 3)));
    assert_eq!(reading::outcomes("fail 1\n# cancelled 2\n# pass 0"), Some((failed, 3)));
    assert_eq!(reading::outcomes("3 failed (1 slow, 2 leaky), 0 skipped"), Some((failed, 3)));
    for bad in [
        "",
        "2",
        "failed",
        "2  failed",
        "-1 failed",
        "2 failed, ",
        "2 failures",
        "99999999999 failed",
        "4294967295 failed, 1 error",
    ] {
        assert_eq!(reading::outcomes(bad), None, "{bad:?}");
    }
}

#[test]
fn only_alternating_headings_and_summaries_are_certain() {
    for (order, expected) in [
        ("", None),
        ("3 =3", Some(3)),
        ("3 =3 4 =4", Some(7)),
        ("=3", Some(3)),
        ("=3 4 =4", Some(7)),
        ("3", None),
        ("3 =4", None),
        ("3 =3 =4", None),
        ("3 4 =4 =3", None),
        ("3 3 =3", None),
        ("3 =3 4", None),
    ] {
        let line = |token: &str| match token.strip_prefix('=') {
            Some(count) => format!("     Summary [ 0.1s] {count} tests run: {count} passed, 0 skipped\n"),
            None => format!("    Starting {token} tests across 1 binary\n"),
        };
        let printed: String = order.split_whitespace().map(line).collect();
        let passed = counts(Framework::Nextest, &printed).map(|(passed, ..)| passed);
        assert_eq!(passed, expected, "{order}");
        let is_unsure = expected.is_none() && !order.is_empty();
        assert_eq!(reading(Framework::Nextest, &printed) == Reading::Unsure, is_unsure, "{order}");
    }
}
