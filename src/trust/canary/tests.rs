//! Tests where failing tests are added, and how they look; tests/tools runs some of them.

use proptest::prelude::*;

use super::*;
use crate::suite::read_names;

/// The names of tests that passed.
fn passed(names: &[&str]) -> TestNames {
    let text: String = names.iter().map(|name| format!("test {name} ... ok\n")).collect();
    read_names(Framework::CargoTest, text.as_bytes())
}

fn files(files: &[(&str, &str)]) -> Vec<Source> {
    files.iter().map(|(path, text)| Source::read(*path, *text).unwrap()).collect()
}

fn in_form(framework: Framework, path: &str, text: &str) -> Option<String> {
    forms::added(framework, &Source::read(path, text)?)
}

/// What is added to a file.
#[track_caller]
fn added(framework: Framework, path: &str, text: &str) -> String {
    let new = in_form(framework, path, text).expect(text);
    let start = text.bytes().zip(new.bytes()).take_while(|(old, new)| old == new).count();
    let end = text.bytes().rev().zip(new.bytes().rev()).take_while(|(old, new)| old == new).count();
    assert!(start + end.min(text.len() - start) == text.len(), "only lines were added:\n{new}");
    new
}

#[test]
fn a_test_asserts_as_the_file_does() {
    use Framework::{CargoTest, Go, Jest, NodeTest, Pytest, Unittest, Vitest};
    for (framework, path, text, expected) in [
        (
            Pytest,
            "a.py",
            "def test_a():\n    assert a",
            "def test_a():\n    assert a\n\n\ndef test_arborist_canary():\n    assert 1 == 2\n",
        ),
        (
            Pytest,
            "a.py",
            "class A(Base):\n    def test_a(self):\n        self.assertTrue(1, a)\n        self.assertTrue(2, a)\n        self.assertEqual(a)\n",
            "\n\nclass ArboristCanaryTest(Base):\n    def test_arborist_canary(self):\n        self.assertTrue(False)\n",
        ),
        (
            Unittest,
            "a.py",
            "class A(Base):\n    def test_a(self):\n        self.check(1)\n\n\nif __name__ == '__main__':\n    main()\n",
            "\n\nclass ArboristCanaryTest(Base):\n    def test_arborist_canary(self):\n        self.assertEqual(1, 2)\n\n\nif __name__",
        ),
        (
            NodeTest,
            "a.js",
            "import { test } from 'node:test'\nimport { equal } from 'assert'\ntest('a', () => equal(1, 1))",
            "\n\n;test('arborist_canary', () => { equal(1, 2) })\n",
        ),
        (
            NodeTest,
            "a.js",
            "const test = require('node:test')\ntest('a', (t) => { t.assert.ok(true) })\n",
            ";test('arborist_canary', (t) => { t.assert.ok(false) })\n",
        ),
        (
            Jest,
            "a.tsx",
            "it('a', () => {\r\n  expect(a).not.toEqual(b)\r\n})\r\n",
            "\r\n;it('arborist_canary', () => { expect(1).toEqual(2) })\r\n",
        ),
        (
            Vitest,
            "a.ts",
            "test('a', () => { expect(f).toThrow() })\n",
            ";test('arborist_canary', () => { expect(1).toBe(2) })\n",
        ),
        (
            Go,
            "a_test.go",
            "package a\n\nfunc TestA(t *testing.T) {\n\trequire.Equal(t, 1, 1)\n}\n",
            "\nfunc TestArboristCanary(t *testing.T) {\n\trequire.Equal(t, 1, 2)\n}\n",
        ),
        (
            CargoTest,
            "src/a.rs",
            "#[cfg(test)]\nmod tests {\n    #[tokio::test]\n    async fn a() {\n        assert!(true);\n    }\n}\n",
            "    }\n\n    #[test]\n    fn arborist_canary() {\n        assert!(1 == 2);\n    }\n}\n",
        ),
        (
            CargoTest,
            "src/a/tests.rs",
            "use super::*;\n\n#[test]\nfn a() {}\n",
            "\n#[test]\nfn arborist_canary() {\n    assert_eq!(1, 2);\n}\n",
        ),
        (
            CargoTest,
            "tests/a.rs",
            "proptest! {\n    #[test]\n    fn a(b in 0..1) { assert_eq!(b, b) }\n}\n",
            "}\n\n#[test]\nfn arborist_canary() {",
        ),
    ] {
        let new = added(framework, path, text);
        assert!(new.contains(expected), "{new}");
    }
}

#[test]
fn files_in_which_it_might_not_run_are_left_alone() {
    for (framework, path, text) in [
        (Framework::Pytest, "conftest.py", "import pytest\n"),
        (Framework::Jest, "a.test.js", "test.only('a', () => { expect(1).toBe(1) })\ntest('b', () => {})\n"),
        (Framework::Jest, "helper.js", "export const a = 1\n"),
        (Framework::NodeTest, "a.js", "test('a', () => { same(1, 1) })\n"),
        (Framework::Go, "a.go", "package a\n\nfunc A(t *testing.T) {}\n"),
        (
            Framework::CargoTest,
            "src/a.rs",
            "macro_rules! a {\n    () => {\n        #[test]\n        fn a() {}\n    };\n}\n",
        ),
    ] {
        assert_eq!(in_form(framework, path, text), None, "{text}");
    }
}

const PYTHON: &str = "def test_a():\n    assert 1\n";

#[test]
fn the_file_is_one_whose_tests_ran() {
    let two = files(&[("tests/test_one.py", PYTHON), ("tests/test_two.py", "def test_b():\n    assert 1\n")]);
    for (framework, names, command, expected) in [
        (Framework::Pytest, &[][..], "pytest", "tests/test_one.py"),
        (Framework::Pytest, &["tests/test_two.py::test_b"], "pytest -q", "tests/test_two.py"),
        (Framework::Pytest, &["test_two.py::test_b[x]"], "cd tests && pytest -v", "tests/test_two.py"),
        (Framework::Unittest, &["tests.test_two.A.test_b"], "python -m unittest -v", "tests/test_two.py"),
        (Framework::Unittest, &["other.A.test_b"], "python -m unittest -v", "tests/test_two.py"),
        (Framework::Pytest, &[], "python -m pytest tests/test_two.py", "tests/test_two.py"),
        (Framework::Pytest, &[], "python -m pytest -n 2 ./tests/", "tests/test_one.py"),
        (Framework::Unittest, &[], "python -m unittest tests.test_two", "tests/test_two.py"),
    ] {
        let canary = canary(framework, &two, &passed(names), command).expect(command);
        assert_eq!(canary.path, expected, "{command}");
        assert_eq!(canary.name, "test_arborist_canary");
    }
    assert_eq!(
        canary(Framework::Pytest, &two, &passed(&["c.py::test_z"]), "pytest tests/test_three.py"),
        None
    );
    assert_eq!(canary(Framework::Pytest, &two, &passed(&["elsewhere.py::test_z"]), "make test"), None);
    assert_eq!(canary(Framework::Pytest, &[], &passed(&["c.py::test_z"]), "pytest"), None);
}

#[test]
fn there_is_none_if_the_command_selects_tests_by_name() {
    let all = files(&[
        ("tests/test_a.py", PYTHON),
        ("tests/a.rs", "#[test]\nfn a() {}\n"),
        ("a_test.go", "func TestA(t *testing.T) {}\n"),
        ("a.test.js", "test('a', () => { expect(1).toBe(1) })\n"),
    ]);
    for (framework, command, is_some) in [
        (Framework::Pytest, "python -m pytest", true),
        (Framework::Pytest, "pytest -p no:cacheprovider -n 4 tests", true),
        (Framework::Pytest, "pytest -k a", false),
        (Framework::Pytest, "python -m pytest -m 'not slow'", false),
        (Framework::Pytest, "pytest tests/test_a.py::test_a", false),
        (Framework::Pytest, "tox -- -k a", false),
        (Framework::Pytest, "pytest -q | tail -k", true),
        (Framework::Unittest, "python -m unittest tests.test_a.A", false),
        (Framework::CargoTest, "cargo test --features x -p y", true),
        (Framework::CargoTest, "cargo test --test a -- --test-threads 1", true),
        (Framework::CargoTest, "cargo +nightly test price", false),
        (Framework::CargoTest, "cargo test -- --exact a", false),
        (Framework::Nextest, "cargo nextest run -E 'test(a)'", false),
        (Framework::Go, "go test -v ./...", true),
        (Framework::Go, "go test -run=TestA ./...", false),
        (Framework::Jest, "npx jest --ci", true),
        (Framework::Jest, "npm test -- -t a", false),
        (Framework::Vitest, "vitest run --testNamePattern=a", false),
        (Framework::NodeTest, "node --test --test-name-pattern a", false),
    ] {
        let canary = canary(framework, &all, &TestNames::default(), command);
        assert_eq!(canary.is_some(), is_some, "{command}: {canary:?}");
    }
}

#[test]
fn a_script_goes_where_the_command_looks() {
    let all = files(&[
        ("tests/one_test.sh", ""),
        ("tests/a/two_test.sh", ""),
        ("tests/x.bats", ""),
        ("tests/data.c", ""),
    ]);
    for (command, expected) in [
        ("for t in tests/*.sh; do sh \"$t\" || exit 1; done", Some("tests/arborist_canary.sh")),
        ("test:\n\t@for t in ./tests/*_test.sh; do sh $$t; done\n", Some("tests/arborist_canary_test.sh")),
        ("find ./tests -name '*_test.sh' | xargs -n 1 sh", Some("tests/arborist_canary_test.sh")),
        ("bats tests/", Some("tests/arborist_canary.bats")),
        ("bats -r tests", Some("tests/arborist_canary.bats")),
        ("sh tests/one_test.sh", None),
        ("for t in tests/*.sh; do ! sh $t || exit 1; done", None),
        ("for t in tests/*.sh; do if sh $t; then exit 1; fi; done", None),
        ("for t in tests/*.sh; do sh $t || true; done", None),
        ("for t in spec/*.sh; do sh $t; done", None),
        ("rm -f build/*.o && make test", None),
        ("cc tests/*.c", None),
    ] {
        let canary = script_canary(&all, command);
        assert_eq!(canary.as_ref().map(|canary| canary.path.as_str()), expected, "{command}");
        // A program that only prints the script does not say so.
        assert!(canary.is_none_or(|canary| !canary.content.contains(canary.name)));
    }
}

proptest! {
    #[test]
    fn no_text_stops_it(
        pieces in prop::collection::vec(prop::sample::select(vec![
            "def test_a():", "\n", "\n    ", "assert ", "self.assertEqual(", ")", "class A(", "):", "test('a', () => {", "}", "{", "expect(",
            ".toBe(", "#[test]", "mod a {", "func TestA(t *testing.T) {", "'", "\"", "`", "/*", "ä", "if __name__",
        ]), 0..40),
        command in "[a-z -=:./*']{0,30}",
    ) {
        let text = pieces.concat();
        for path in ["a.py", "a.js", "a_test.go", "tests/a.rs"] {
            let file = files(&[(path, &text)]);
            for framework in Framework::ALL {
                if let Some(content) = in_form(framework, path, &text) {
                    prop_assert!(content.len() > text.len());
                }
                let _ = canary(framework, &file, &TestNames::default(), &command);
            }
            let _ = script_canary(&file, &command);
        }
    }
}
