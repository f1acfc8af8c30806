//! Tests the readers of counts on real output of frameworks: every captured run in `tests/fixtures/suite`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use git_arborist::plan::TestCommand;
use git_arborist::process::Captured;
use git_arborist::suite::{
    Counts, Framework, Recognised, TestNames, TestOutcome, read_counts, read_junit, read_names, recognise,
};
use proptest::prelude::*;

use crate::support::growth::assert_linear;

/// One captured run of a framework.
struct Fixture {
    name: String,
    framework: Framework,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
    expected: Option<Counts>,
}

impl Fixture {
    fn read(&self) -> Option<Counts> {
        read_whole(self.framework, &self.stdout, &self.stderr)
    }
}

fn read_whole(framework: Framework, stdout: &[u8], stderr: &[u8]) -> Option<Counts> {
    read_counts(framework, [&Captured::whole(stdout), &Captured::whole(stderr)])
}

fn fixture_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/suite")
}

fn expectations() -> BTreeMap<String, Option<Counts>> {
    let table = fs::read_to_string(fixture_root().join("expected.txt")).unwrap();
    let rows = table.lines().filter(|line| !line.starts_with('#'));
    rows.map(|row| match row.split_whitespace().collect::<Vec<_>>()[..] {
        [name, "-"] => (name.to_owned(), None),
        [name, passed, failed, skipped] => {
            let [passed, failed, skipped] = [passed, failed, skipped].map(|n| n.parse().unwrap());
            (name.to_owned(), Some(Counts { passed, failed, skipped }))
        }
        _ => panic!("{row}"),
    })
    .collect()
}

fn fixtures() -> Vec<Fixture> {
    let printed = expectations().into_iter().filter(|(name, _)| !name.starts_with("junit/"));
    printed
        .map(|(name, expected)| {
            let file = |stream| fs::read(fixture_root().join(format!("{name}.{stream}"))).unwrap_or_default();
            let framework = Framework::from_name(name.split_once('/').unwrap().0).unwrap();
            Fixture { framework, stdout: file("stdout"), stderr: file("stderr"), expected, name }
        })
        .collect()
}

#[test]
fn every_captured_run_reads_as_expected() {
    for fixture in fixtures() {
        assert_eq!(fixture.read(), fixture.expected, "{}", fixture.name);
    }
    for (name, expected) in expectations().into_iter().filter(|(name, _)| name.starts_with("junit/")) {
        let xml = fs::read(fixture_root().join(format!("{name}.xml"))).unwrap();
        assert_eq!(read_junit(&xml).map(|(counts, _)| counts), expected, "{name}");
    }
}

#[test]
fn every_captured_file_has_an_expectation() {
    let mut found = BTreeSet::new();
    for directory in fs::read_dir(fixture_root()).unwrap().map(|entry| entry.unwrap().path()) {
        if directory.is_dir() {
            for file in fs::read_dir(&directory).unwrap().map(|entry| entry.unwrap().path()) {
                let framework = directory.file_name().unwrap().to_str().unwrap();
                let case = file.file_name().unwrap().to_str().unwrap().rsplit_once('.').unwrap().0;
                found.insert(format!("{framework}/{case}"));
            }
        }
    }
    let expected: BTreeSet<String> = expectations().into_keys().collect();
    assert_eq!(found.symmetric_difference(&expected).collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn windows_line_ends_change_nothing() {
    let crlf = |bytes: &[u8]| bytes.split(|&b| b == b'\n').collect::<Vec<_>>().join(&b"\r\n"[..]);
    for fixture in fixtures() {
        let read = read_whole(fixture.framework, &crlf(&fixture.stdout), &crlf(&fixture.stderr));
        assert_eq!(read, fixture.expected, "{}", fixture.name);
    }
}

#[test]
fn colours_and_bad_bytes_around_a_run_change_nothing() {
    for fixture in fixtures() {
        let dressed = |bytes: &[u8]| {
            let coloured = bytes.split(|&b| b == b'\n').collect::<Vec<_>>().join(&b"\x1b[0m\n\x1b[1;31m"[..]);
            [&b"\xff\xfe\x00 begin\n"[..], &coloured, b"\n\xc3 end"].concat()
        };
        let read = read_whole(fixture.framework, &dressed(&fixture.stdout), &dressed(&fixture.stderr));
        // A JSON event has its place at the beginning of a line: go never colours it.
        if !fixture.name.contains("json") {
            assert_eq!(read, fixture.expected, "{}", fixture.name);
        }
    }
}

/// If there are several runs, a whole one may be missing, so these are left out.
#[test]
fn truncated_output_is_read_like_the_whole_or_not_at_all() {
    for fixture in fixtures().into_iter().filter(|fixture| !fixture.name.contains("twice")) {
        let Some(expected) = fixture.expected else { continue };
        for (from, to) in (0..10).flat_map(|from| (from..=10).map(move |to| (from, to))) {
            let cut = |bytes: &'_ [u8]| (bytes.len() * from / 10, bytes.len() * to / 10);
            let (stdout, stderr) = (&fixture.stdout, &fixture.stderr);
            let ((out_head, out_tail), (err_head, err_tail)) = (cut(stdout), cut(stderr));
            let stdout_cut = Captured::cut(&stdout[..out_head], &stdout[out_tail..]);
            let stderr_cut = Captured::cut(&stderr[..err_head], &stderr[err_tail..]);
            for output in [
                [&stdout_cut, &stderr_cut],
                [&stdout_cut, &Captured::whole(stderr)],
                [&Captured::whole(stdout), &stderr_cut],
            ] {
                let read = read_counts(fixture.framework, output);
                let agrees = read.is_none_or(|counts| counts == expected);
                assert!(agrees, "{} without {from}/10 to {to}/10: {read:?}", fixture.name);
            }
        }
    }
}

#[test]
fn the_summary_at_the_end_of_truncated_output_is_read() {
    let ends_with_all = [
        Framework::Pytest,
        Framework::Unittest,
        Framework::Jest,
        Framework::Vitest,
        Framework::CargoTest,
        Framework::Nextest,
        Framework::NodeTest,
    ];
    for framework in ends_with_all {
        let name = match framework {
            Framework::Unittest => "unittest/passing-py3.13".to_owned(),
            Framework::Vitest => "vitest/passing-v4".to_owned(),
            Framework::NodeTest => "node/passing-tap".to_owned(),
            // The only run of one binary.
            Framework::CargoTest => "cargo/mixed".to_owned(),
            other => format!("{other}/passing"),
        };
        let fixture = fixtures().into_iter().find(|fixture| fixture.name == name).unwrap();
        let noise = b"a line that a test printed\n".repeat(10_000);
        let at = |bytes: &[u8]| bytes.iter().position(|&b| b == b'\n').map_or(0, |at| at + 1);
        let parts = |bytes: &[u8]| {
            let (head, tail) = bytes.split_at(at(bytes));
            ([head, &noise].concat(), [&noise, tail].concat())
        };
        let ((head, tail), stderr) = match framework {
            Framework::Unittest | Framework::Jest | Framework::Nextest => {
                (parts(&fixture.stderr), &fixture.stdout)
            }
            _ => (parts(&fixture.stdout), &fixture.stderr),
        };
        let output = [&Captured::cut(&head, &tail), &Captured::whole(stderr)];
        assert_eq!(read_counts(framework, output), fixture.expected, "{name}");
    }
}

#[test]
fn prose_is_never_read_as_counts() {
    let prose = [
        "400 passed validation",
        "400 passed",
        "400 passed, 3 failed",
        "=== 400 passed validation ===",
        "=== 400 passed ===",
        "400 passed in 2s",
        "all 400 tests passed in 0.12s",
        "Ran 400 tests",
        "Ran 400 tests in 0.001s\n\nOK",
        "OK (skipped=4)",
        "Tests: 400 passed, 400 total",
        "Tests:       400 passed, 400 total",
        "Test Suites: 400 passed, 400 total",
        "Test Suites: 1 passed, 1 total\nTests: 400 passed, 400 total",
        "      Tests  400 passed (400)",
        " Test Files  1 passed (1)\n      Tests  400 passed (400)",
        "--- PASS: TestX (0.00s)",
        "=== RUN   TestX\n--- PASS: TestX (0.00s)\nPASS",
        "ok  \texample.com/x\t0.01s",
        "ok  \texample.com/x\t(cached)",
        "{\"Action\":\"pass\",\"Test\":\"TestX\"}",
        "test result: ok. 400 passed; 0 failed",
        "test result: ok. 400 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s",
        "running 3 tests\ntest result: ok. 400 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out",
        "running 400 tests",
        "Summary [ 0.010s] 400 tests run: 400 passed, 0 skipped",
        "     Summary [ 0.010s] 400 tests run: 399 passed, 0 skipped",
        "# tests 400\n# pass 400\n# fail 0",
        "ℹ tests 400\nℹ pass 400\nℹ fail 0",
        "# tests 400\n# pass 4\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 1",
        "400 examples, 0 failures",
        "Finished in no time\n400 good examples, 0 failures",
        "Finished in 0.1 seconds\n4 examples, 5 failures",
    ];
    for text in prose {
        for framework in Framework::ALL {
            let text = format!("\n{text}\n");
            assert_eq!(read_whole(framework, text.as_bytes(), b""), None, "{framework}: {text}");
            assert_eq!(read_whole(framework, b"", text.as_bytes()), None, "{framework}: {text}");
        }
        assert_eq!(read_junit(text.as_bytes()), None, "{text}");
    }
}

/// What is recognised if a command prints this.
fn recognised(command: &str, framework: Option<&str>, stdout: &[u8], stderr: &[u8]) -> Recognised {
    let mut command = TestCommand::suite(command);
    command.framework = framework.map(str::to_owned);
    recognise(&command, [&Captured::whole(stdout), &Captured::whole(stderr)])
}

#[test]
fn a_framework_is_recognised_by_its_output_whatever_the_command_was() {
    for fixture in fixtures() {
        let found = recognised("make test", None, &fixture.stdout, &fixture.stderr);
        // Another reporter prints what any reader of it understands.
        if fixture.name.starts_with("vitest/mixed-tap") {
            assert_eq!(found.frameworks, [Framework::Tap], "{}", fixture.name);
            continue;
        }
        assert_eq!(found.counts, fixture.expected, "{}", fixture.name);
        if fixture.expected.is_some() {
            assert_eq!(found.frameworks, [fixture.framework], "{}", fixture.name);
        }
    }
}

#[test]
fn two_frameworks_are_added_only_if_the_command_may_start_several_programs() {
    let pytest = b"===== test session starts =====\n===== 3 passed in 0.10s =====\n";
    let rule = "-".repeat(70);
    let heading = format!("{}\nFAIL: test_x (m.T.test_x)", "=".repeat(70));
    let unittest = format!("{heading}\n{rule}\nRan 3 tests in 0.001s\n\nFAILED (failures=1)\n");
    let unittest = unittest.as_bytes();
    let both = [&pytest[..], unittest].concat();
    let counts = |passed, failed| Some(Counts { passed, failed, skipped: 0 });
    for (command, framework, expected) in [
        ("make test", None, counts(5, 1)),
        ("pytest && python -m unittest", None, counts(5, 1)),
        // A test of pytest prints what looks like the other summary.
        ("pytest", None, counts(3, 0)),
        ("pytest", Some("pytest"), counts(3, 0)),
        ("make test", Some("unittest"), counts(2, 1)),
        ("make test", Some("jest"), counts(5, 1)),
    ] {
        assert_eq!(recognised(command, framework, &both, b"").counts, expected, "{command} {framework:?}");
        assert_eq!(
            recognised(command, framework, pytest, unittest).counts,
            expected,
            "{command} {framework:?}"
        );
    }
}

#[test]
fn a_framework_is_known_without_a_summary_if_the_plan_or_the_command_names_it() {
    for (command, framework, expected) in [
        ("cargo test", None, vec![Framework::CargoTest]),
        ("make test", Some("go"), vec![Framework::Go]),
        ("make test", None, vec![]),
        ("./check.sh", Some("unknown"), vec![]),
    ] {
        let found = recognised(command, framework, b"", b"error: could not compile\n");
        assert_eq!((found.counts, found.frameworks), (None, expected), "{command}");
    }
}

/// A run of pytest that names all its tests: `P` passes, `F` fails.
fn pytest_run(tests: &str) -> String {
    let mut lines = "===== test session starts =====\n===== short test summary info =====\n".to_owned();
    for (number, outcome) in tests.chars().enumerate().filter(|(_, outcome)| *outcome != '-') {
        let word = if outcome == 'P' { "PASSED" } else { "FAILED" };
        lines += &format!("{word} test_a.py::test_{number}\n");
    }
    let (passed, failed) = (tests.matches('P').count(), tests.matches('F').count());
    lines + &format!("===== {failed} failed, {passed} passed in 0.10s =====\n")
}

/// Several words.
type Words<'a> = &'a [&'a str];

#[test]
fn a_test_that_failed_and_passed_in_the_same_command_is_flaky() {
    let cases: [(Words<'_>, (u32, u32), Words<'_>); 8] = [
        (&["PFP", "-P-"], (3, 0), &["test_a.py::test_1"]),
        (&["PFP", "PPP"], (3, 0), &["test_a.py::test_1"]),
        // Some still fail, so nothing is forgiven.
        (&["FFP", "PF-"], (2, 3), &[]),
        (&["FFP", "PF-", "-P-"], (3, 0), &["test_a.py::test_0", "test_a.py::test_1"]),
        (&["PPP", "PFP"], (5, 1), &[]),
        (&["PF", "--PP"], (3, 1), &[]),
        // Another test than before ran as well, so it is no repetition.
        (&["PF-", "-PP"], (3, 1), &[]),
        (&["P", "-F"], (1, 1), &[]),
    ];
    for (runs, (passed, failed), flaky) in cases {
        let output: String = runs.iter().map(|tests| pytest_run(tests)).collect();
        let command = format!("pytest{}", " || pytest --lf".repeat(runs.len() - 1));
        let found = recognised(&command, None, output.as_bytes(), b"");
        assert_eq!(found.counts, Some(Counts { passed, failed, skipped: 0 }), "{runs:?}");
        assert_eq!(found.flaky, flaky, "{runs:?}");
        let failing = found.names.with(TestOutcome::Failed).count();
        assert_eq!(failing > 0, failed > 0, "{runs:?}");
    }
    // If the tests that passed have no names, nobody knows which of them ran again.
    let unnamed = "F.    [100%]\nFAILED test_a.py::test_0\n1 failed, 1 passed in 0.10s\n.   [100%]\n1 passed in 0.10s\n";
    let found = recognised("pytest -q || pytest -q --lf", None, unnamed.as_bytes(), b"");
    assert_eq!(found.counts, Some(Counts { passed: 2, failed: 1, skipped: 0 }));
}

#[test]
fn runs_at_the_same_time_whose_lines_are_mixed_are_unknown() {
    let (a, b) = ("===== test session starts =====\n", "===== 3 passed in 0.10s =====\n");
    let mixed = [a, a, b, b].concat();
    assert_eq!(recognised("make -j test", None, mixed.as_bytes(), b"").counts, None);
}

/// A program may print one line of megabytes.
#[test]
fn huge_lines_are_read_in_linear_time() {
    let pieces = [
        "=",
        "= ",
        ".",
        "\x1b[",
        "\x1b]",
        "\r",
        "1 passed, ",
        " (",
        "--- ",
        "=== RUN   ",
        "{\"Time\":",
        "\n",
        "-\n",
    ];
    for piece in pieces {
        let text = |size: usize| piece.repeat(size / piece.len());
        for framework in Framework::ALL {
            assert_linear(&format!("{framework}: {piece:?}"), 4_000, text, |text| {
                assert_eq!(read_whole(framework, text.as_bytes(), b""), None, "{framework}: {piece:?}");
            });
        }
        let report = |size| format!("<testsuite>{}</testsuite>", text(size));
        assert_linear(&format!("junit: {piece:?}"), 4_000, report, |report| {
            read_junit(report.as_bytes()).is_some()
        });
    }
}

/// Pieces of true summaries, in any order.
fn scraps() -> impl Strategy<Value = Vec<u8>> {
    let lines: Vec<Vec<u8>> = fixtures()
        .into_iter()
        .flat_map(|fixture| [fixture.stdout, fixture.stderr])
        .flat_map(|bytes| bytes.split_inclusive(|&b| b == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>())
        .collect();
    let line = prop_oneof![
        8 => proptest::sample::select(lines),
        1 => proptest::collection::vec(any::<u8>(), 0..40),
        1 => "[0-9]{1,12} (passed|failed|tests|total|suites)[,;|]? ?".prop_map(String::into_bytes),
    ];
    proptest::collection::vec(line, 0..40).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn readers_never_panic(stdout in scraps(), stderr in scraps(), cut in 0_usize..500) {
        let cut = cut.min(stdout.len());
        for framework in Framework::ALL {
            let _ = read_whole(framework, &stdout, &stderr);
            let _ = recognised("make test", Some(framework.names()[0]), &stdout, &stderr);
            let stdout = Captured::cut(&stdout[..cut], &stdout[cut..]);
            let _ = read_counts(framework, [&stdout, &Captured::default()]);
        }
        let _ = read_junit(&stdout);
    }

    #[test]
    fn junit_never_panics(pieces in proptest::collection::vec(
        proptest::sample::select(vec!["<testsuites>", "</testsuites>", "<testsuite>", "</testsuite>", "<testcase/>",
            "<testcase>", "</testcase>", "<failure/>", "<skipped type='todo'/>", "&amp;", "text", "<![CDATA[", "]]>", "\0"]), 0..30)) {
        let _ = read_junit(pieces.concat().as_bytes());
    }
}

fn names_in(fixture: &Fixture) -> TestNames {
    let mut names = read_names(fixture.framework, &fixture.stdout);
    names.extend(read_names(fixture.framework, &fixture.stderr));
    names
}

#[test]
fn every_test_is_named_where_the_framework_prints_all_names() {
    let complete = [
        "cargo/mixed",
        "cargo/passing-nocapture",
        "go/mixed-verbose",
        "go/mixed-json",
        "jest/mixed-verbose",
        "jest/each",
        "nextest/mixed-no-fail-fast",
        "node/mixed-tap",
        "node/mixed-default-v24",
        "node/suites-spec",
        "pytest/passing-verbose",
        "tap/bats-mixed",
        "tap/bats-two-files",
        "tap/mocha-mixed",
        "unittest/skips-verbose",
        "vitest/mixed-verbose-v3",
        "vitest/mixed-verbose-v4",
    ];
    for fixture in fixtures().into_iter().filter(|fixture| complete.contains(&fixture.name.as_str())) {
        let names = names_in(&fixture);
        assert!(names.agree_with(fixture.expected.unwrap()), "{}: {names:?}", fixture.name);
    }
}

#[test]
fn tests_that_fail_are_named_and_files_that_do_not_load_are_told_from_them() {
    let expected: [(&str, &[&str], &[&str]); 10] = [
        ("pytest/mixed", &["test_mixed.py::test_fails", "test_mixed.py::test_fails_too"], &[]),
        ("pytest/broken-goes-on", &[], &["test_broken.py"]),
        ("unittest/mixed-py3.8", &["test_mixed.Mixed.test_fails", "test_mixed.Mixed.test_raises"], &[]),
        ("unittest/broken-py3.13", &[], &["test_broken"]),
        ("jest/broken", &["fails", "throws"], &["./broken.test.js"]),
        ("vitest/broken-v4", &["mixed.test.mjs > fails", "mixed.test.mjs > throws"], &["broken.test.mjs"]),
        ("go/broken-verbose", &[], &["example.com/sample/a"]),
        ("cargo/mixed", &["tests::fails", "tests::fails_too"], &[]),
        ("node/suites-tap", &["a suite > two"], &[]),
        ("tap/bats-mixed", &["fails, badly"], &[]),
    ];
    let fixtures = fixtures();
    for (name, failed, not_loaded) in expected {
        let names = names_in(fixtures.iter().find(|fixture| fixture.name == name).unwrap());
        assert_eq!(names.with(TestOutcome::Failed).collect::<Vec<_>>(), failed, "{name}");
        assert_eq!(names.with(TestOutcome::NotLoaded).collect::<Vec<_>>(), not_loaded, "{name}");
    }
    let xml = fs::read(fixture_root().join("junit/pytest-mixed.xml")).unwrap();
    let (counts, names) = read_junit(&xml).unwrap();
    assert!(names.agree_with(counts), "{names:?}");
}
