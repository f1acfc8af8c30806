//! Tests what is recognised in the output of several programs, and of one that runs its tests again.

use std::fs;
use std::path::Path;

use super::*;
use crate::suite::{TestOutcome, read_counts};

fn recognised(command: &str, output: &[Captured; 2]) -> Recognised {
    recognise(&TestCommand::suite(command), output.each_ref())
}

fn output(stdout: &str, stderr: &str) -> [Captured; 2] {
    [stdout, stderr].map(|text| Captured::whole(text.as_bytes()))
}

/// What was captured of a run: its standard output and its standard error.
fn captured(name: &str) -> (String, String) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/suite");
    let read = |stream| fs::read_to_string(folder.join(format!("{name}.{stream}"))).unwrap_or_default();
    (read("stdout"), read("stderr"))
}

/// One run after the other.
fn both(first: &str, second: &str) -> (String, String) {
    let ((stdout, stderr), (more, errors)) = (captured(first), captured(second));
    (stdout + &more, stderr + &errors)
}

fn counts(passed: u32, failed: u32) -> Option<Counts> {
    Some(Counts { passed, failed, skipped: 0 })
}

/// A run of pytest with one test.
fn pytest(heading: &str, word: &str) -> String {
    let what = if word == "PASSED" { "passed" } else { "failed" };
    format!(
        "== test session starts ==\n{heading}\n== short test summary info ==\n{word} test_m.py::test_f\n== 1 {what} in 0.1s ==\n"
    )
}

#[test]
fn a_test_of_another_place_with_the_same_name_is_another_test() {
    let linux = "platform linux -- Python 3.11.7, pytest-9.2.0\n";
    let (a, b) = (format!("{linux}rootdir: /w/a"), format!("{linux}rootdir: /w/b"));
    let tox = |python: &str, environment: &str| {
        format!("platform linux -- Python {python}\ncachedir: .tox/{environment}/.pytest_cache\nrootdir: /w")
    };
    let cases = [
        ("for d in a b; do (cd $d && python3 -m pytest); done", a.clone(), b.clone(), 1),
        ("(cd a && pytest || true); (cd b && pytest)", a.clone(), b.clone(), 1),
        ("make test", a.clone(), b.clone(), 1),
        ("tox", tox("3.11.7", "py311"), tox("3.12.1", "py312"), 1),
        ("tox", tox("3.11.7", "one"), tox("3.11.7", "two"), 1),
        ("make test", String::new(), String::new(), 1),
        ("DB=one pytest; DB=two pytest", a.clone(), a.clone(), 1),
        ("pytest || true; pytest", a.clone(), a.clone(), 1),
        ("make test", a.clone(), a.clone(), 1),
        ("make test", a.clone(), format!("{a}\nrun-last-failure: rerun previous 1 failure"), 0),
        ("pytest || pytest --lf", a.clone(), a.clone(), 0),
        (
            "cd a && PYTHONPATH=. pytest -q || (sleep 1; timeout 60 pytest -q --lf)",
            String::new(),
            String::new(),
            0,
        ),
        ("npm test || npm test", a.clone(), a, 0),
    ];
    for (command, first, second, failed) in cases {
        let printed = pytest(&first, "FAILED") + &pytest(&second, "PASSED");
        let found = recognised(command, &output(&printed, ""));
        assert_eq!(found.counts, counts(1, failed), "{command}: {found:?}");
        assert_eq!(found.flaky.is_empty(), failed == 1, "{command}");
        assert_eq!(found.names.with(TestOutcome::Failed).count() > 0, failed == 1, "{command}");
    }
}

#[test]
fn other_frameworks_repeat_tests_only_if_the_command_says_so() {
    let rule = "-".repeat(70);
    let fails = format!(
        "test_a (u.T.test_a) ... FAIL\n\n{0}\nFAIL: test_a (u.T.test_a)\n{rule}\nx\n\n{rule}\nRan 1 test in 0.001s\n\nFAILED (failures=1)\n",
        "=".repeat(70)
    );
    let passes = format!("test_a (u.T.test_a) ... ok\n\n{rule}\nRan 1 test in 0.001s\n\nOK\n");
    let printed = fails + &passes;
    for (command, failed) in [
        ("make test", 1),
        ("(cd a && python -m unittest -v); (cd b && python -m unittest -v)", 1),
        ("(cd a && python -m unittest -v || true) && cd b && python -m unittest -v", 1),
        ("python -m unittest -v || python -m unittest -v", 0),
    ] {
        let found = recognised(command, &output("", &printed));
        assert_eq!(found.counts, counts(1, failed), "{command}: {found:?}");
        assert_eq!(
            found.names.outcome_of("u.T.test_a") == Some(TestOutcome::Failed),
            failed == 1,
            "{command}"
        );
    }
}

#[test]
fn tests_of_the_same_name_in_two_packages_both_count() {
    let go = "=== RUN   TestA\n--- FAIL: TestA (0.00s)\nFAIL\nFAIL\tx\t0.1s\n=== RUN   TestA\n--- PASS: TestA (0.00s)\nPASS\nok  \ty\t0.1s\n";
    let cargo = |word: &str, verdict: &str, counts: &str| {
        format!(
            "running 1 test\ntest a ... {word}\n\ntest result: {verdict}. {counts}; 0 ignored; 0 measured; 0 filtered out; finished in 0.00s\n"
        )
    };
    let cargo = cargo("FAILED", "FAILED", "0 passed; 1 failed") + &cargo("ok", "ok", "1 passed; 0 failed");
    for (command, printed) in
        [("cd a && go test -v; cd ../b && go test -v", go), ("cargo test --no-fail-fast", &cargo)]
    {
        let found = recognised(command, &output(printed, ""));
        assert_eq!((found.counts, found.flaky.len()), (counts(1, 1), 0), "{command}");
        assert_eq!(found.names.with(TestOutcome::Failed).count(), 1, "{command}");
    }
}

#[test]
fn the_results_of_all_programs_are_added() {
    use Framework::{CargoTest, Go, Nextest, NodeTest, Tap};
    for (command, (first, one), (second, other)) in [
        (
            "cargo nextest run && cargo test --doc",
            ("nextest/passing", Nextest),
            ("cargo/doctests", CargoTest),
        ),
        (
            "cargo nextest run --no-fail-fast; cargo test --doc",
            ("nextest/mixed-no-fail-fast", Nextest),
            ("cargo/doctests", CargoTest),
        ),
        ("node --test; bats test", ("node/passing-spec", NodeTest), ("tap/bats-mixed", Tap)),
        ("node --test; bats test", ("node/passing-tap", NodeTest), ("tap/bats-mixed", Tap)),
        ("make test", ("node/twice", NodeTest), ("tap/bats-mixed", Tap)),
        ("make test", ("tap/bats-mixed", Tap), ("node/mixed-tap", NodeTest)),
        ("make test", ("go/passing-verbose", Go), ("tap/bats-passing", Tap)),
        ("make test", ("tap/bats-mixed", Tap), ("go/mixed-verbose", Go)),
    ] {
        let counts = |name, framework| {
            let (stdout, stderr) = captured(name);
            read_counts(framework, output(&stdout, &stderr).each_ref()).expect(name)
        };
        let (stdout, stderr) = both(first, second);
        let found = recognised(command, &output(&stdout, &stderr));
        assert_eq!(
            found.counts,
            Some(counts(first, one) + counts(second, other)),
            "{command}: {first}, {second}"
        );
    }
}

#[test]
fn strangers_are_not_believed_where_the_command_names_its_programs() {
    let stranger = format!("{}\nRan 99 tests in 0.001s\n\nOK\n", "-".repeat(70));
    let go = format!("ok  \texample.com/x\t0.1s\n{stranger}");
    let run = "== test session starts ==\n== 3 passed in 0.10s ==\n";
    let python = format!("{stranger}{run}");
    for (command, printed, expected) in [
        ("go test ./...", &go, None),
        ("cd api && go test ./... 2>&1 | tee log", &go, None),
        ("for d in a b; do go test ./$d; done", &go, None),
        ("make test; go test ./...", &go, None),
        ("make test", &go, counts(99, 0)),
        ("cd api && pytest", &python, counts(3, 0)),
        ("pytest && python -m unittest", &python, counts(102, 0)),
        ("pytest && make more", &python, counts(102, 0)),
    ] {
        assert_eq!(recognised(command, &output(printed, "")).counts, expected, "{command}");
    }
    // Most frameworks can print TAP.
    let (stdout, stderr) = captured("vitest/mixed-tap-v4");
    let found = recognised("npx vitest run --reporter=tap-flat", &output(&stdout, &stderr));
    assert_eq!((found.frameworks, found.counts.is_some()), (vec![Framework::Tap], true));
}

#[test]
fn numbers_without_those_of_a_program_that_the_command_names_are_unknown() {
    let (stdout, stderr) = both("go/mixed-plain", "tap/bats-mixed");
    let found = recognised("go test ./...; bats test", &output(&stdout, &stderr));
    assert_eq!((found.counts, found.frameworks), (None, vec![Framework::Tap, Framework::Go]));
    assert!(found.names.outcome_of("fails, badly") == Some(TestOutcome::Failed), "{:?}", found.names);
    let mut declared = TestCommand::suite("make test");
    assert!(recognise(&declared, output(&stdout, &stderr).each_ref()).counts.is_some());
    declared.framework = Some("go".to_owned());
    assert_eq!(recognise(&declared, output(&stdout, &stderr).each_ref()).counts, None);
}
