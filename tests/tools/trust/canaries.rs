//! Tests with real test runners that a canary fails where the tests beside it pass, also if it runs alone, and that a runner, an
//! assertion or an exit status that does not work is noticed.

use std::path::Path;
use std::process::{Command, Output};

use git_arborist::process::Captured;
use git_arborist::suite::{self, Counts, Framework, TestOutcome, select_one};
use git_arborist::trust::canary::{Canary, canary};
use git_arborist::trust::scan::Source;

use super::matrix::surroundings;
use crate::support::skip::has;

type Files<'a> = &'a [(&'a str, &'a str)];

/// A small project with tests that pass.
struct Project<'a> {
    framework: Framework,
    program: &'a str,
    command: &'a str,
    files: Files<'a>,
}

/// A work tree with the project, in which commands run.
struct Place(tempfile::TempDir);

impl Place {
    fn new(files: Files<'_>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for (path, text) in files {
            write(folder.path(), path, text.as_bytes());
        }
        Self(folder)
    }

    fn run(&self, command: &str) -> Output {
        let mut shell = Command::new("sh");
        surroundings(&mut shell);
        shell.args(["-c", command]).current_dir(self.0.path()).output().unwrap()
    }
}

fn write(folder: &Path, path: &str, text: &[u8]) {
    let file = folder.join(path);
    std::fs::create_dir_all(file.parent().unwrap()).unwrap();
    std::fs::write(file, text).unwrap();
}

fn test_files(files: Files<'_>) -> Vec<Source> {
    let tests = files.iter().filter(|(path, text)| path.contains("test") || text.contains("#[test]"));
    tests.map(|(path, text)| Source::read(*path, *text).unwrap()).collect()
}

fn told(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// What was passed, failed and skipped, and the names.
fn read(framework: Framework, output: &Output) -> (Option<Counts>, suite::TestNames) {
    let captured = [&Captured::whole(&output.stdout), &Captured::whole(&output.stderr)];
    let mut names = suite::read_names(framework, &output.stdout);
    names.extend(suite::read_names(framework, &output.stderr));
    (suite::read_counts(framework, captured), names)
}

/// The canary for a project whose tests pass, and the place where it was added.
#[track_caller]
fn added(project: &Project<'_>) -> (Place, Canary) {
    let place = Place::new(project.files);
    let clean = place.run(project.command);
    assert!(clean.status.success(), "{}\n{}", project.command, told(&clean));
    let (_, names) = read(project.framework, &clean);
    let canary = canary(project.framework, &test_files(project.files), &names, project.command)
        .unwrap_or_else(|| panic!("no canary for {}\n{}", project.command, told(&clean)));
    write(place.0.path(), &canary.path, canary.content.as_bytes());
    (place, canary)
}

/// Makes sure that the command fails because of the canary alone, and that it can be told to run nothing else.
#[track_caller]
fn fails(project: &Project<'_>) {
    if !has(project.program) {
        return;
    }
    let clean = read(project.framework, &Place::new(project.files).run(project.command)).0;
    let (place, canary) = added(project);
    let output = place.run(project.command);
    let told = format!("{}\n{}\n{}", project.command, canary.content, told(&output));
    assert!(!output.status.success(), "{told}");
    assert!(told.contains(canary.name), "{told}");
    let (counts, names) = read(project.framework, &output);
    let name = names.with(TestOutcome::Failed).find(|name| name.contains(canary.name)).expect(&told);
    if let Some(command) = select_one(project.command, name) {
        let output = place.run(&command);
        let (_, alone) = read(project.framework, &output);
        let of = |outcome| alone.with(outcome).map(str::to_owned).collect::<Vec<_>>();
        let (failed, passed) = (of(TestOutcome::Failed), of(TestOutcome::Passed));
        assert!(!output.status.success(), "{command}");
        assert_eq!((failed, passed), (vec![name.to_owned()], vec![]), "{command}\n{}", self::told(&output));
    }
    let (Some(clean), Some(counts)) = (clean, counts) else { panic!("nothing is counted: {told}") };
    assert_eq!((clean.passed, 1), (counts.passed, counts.failed), "{told}");
}

const PYTEST: &str = "python3 -m pytest -v -p no:cacheprovider";

#[test]
fn pytest_counts_it() {
    let files: [Files<'_>; 5] = [
        &[("tests/test_a.py", "def test_a():\n    assert [1] == [1]  # the end")],
        &[(
            "test_a.py",
            "class TestA:\n\n    def test_a(self):\n        assert True\n\n    x = '''\nif __name__\n'''\n",
        )],
        &[(
            "test_a.py",
            "from unittest import TestCase as Case\r\n\r\nclass A(Case):\r\n    def test_a(self):\r\n        self.assertTrue(1)\r\n",
        )],
        &[(
            "test_a.py",
            "import pytest\n\n\ndef test_a():\n    assert 1\n\n\nif __name__ == \"__main__\":\n    pytest.main()\n",
        )],
        &[
            ("conftest.py", "import pytest\n"),
            (
                "tests/test_b.py",
                "import pytest\n\n\n@pytest.mark.parametrize('x', [1, 2])\ndef test_b(x):\n    assert x\n",
            ),
        ],
    ];
    for files in files {
        fails(&Project { framework: Framework::Pytest, program: "pytest", command: PYTEST, files });
    }
}

#[test]
fn unittest_counts_it() {
    let case = "import unittest\n\n\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        self.assertEqual(1, 1)\n";
    let main = "import unittest\n\n\nclass TestA(unittest.TestCase):\n    def test_a(self):\n        assert 1\n\n\nif __name__ == \"__main__\":\n    unittest.main()\n";
    let projects: [(&str, Files<'_>); 4] = [
        ("python3 -m unittest -v", &[("test_a.py", case)]),
        ("python3 -m unittest discover -s tests", &[("tests/test_a.py", case)]),
        ("python3 test_a.py -v", &[("test_a.py", main)]),
        ("python3 -m unittest tests.test_a", &[("tests/__init__.py", ""), ("tests/test_a.py", main)]),
    ];
    for (command, files) in projects {
        fails(&Project { framework: Framework::Unittest, program: "python3", command, files });
    }
}

#[test]
fn node_counts_it() {
    let module = "import assert from 'node:assert/strict'\nimport { describe, it } from 'node:test'\n\ndescribe('a', () => {\n  it('adds', () => {\n    assert.deepEqual([1], [1])\n  })\n})";
    let common = "const { test } = require('node:test');\nconst { strictEqual, ok } = require('assert');\n\ntest('adds', () => {\n  strictEqual(1, 1);\n  ok(`${'`'}`);\n});\nmodule.exports = { a: 1 } // the end";
    let context = "import test from 'node:test'\n\ntest('adds', (t) => {\n  t.assert.equal(1, 1)\n})\n";
    let only_context = "import test from 'node:test'\nimport assert from 'assert'\ntest('adds', async (t) => {\r\n  await t.test('b', () => { assert(true) })\r\n})\r\n";
    let projects = [
        ("test/a.test.mjs", module),
        ("test/a.test.cjs", common),
        ("a.test.mjs", only_context),
        ("a.test.mjs", if node_has_assert() { context } else { module }),
    ];
    for (path, text) in projects {
        let files = &[(path, text)];
        fails(&Project { framework: Framework::NodeTest, program: "node", command: "node --test", files });
    }
}

/// Whether the context of a test has assertions, as from Node 22 on.
fn node_has_assert() -> bool {
    let version = Command::new("node").arg("--version").output();
    version.is_ok_and(|version| version.stdout.get(1..3) >= Some(b"22".as_slice()))
}

#[test]
fn go_counts_it() {
    let plain = "//go:build !never\n\npackage a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {\n\tif 1 != 1 {\n\t\tt.Errorf(\"%d\", 1)\n\t}\n}";
    let external = "package a_test\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tos.Exit(m.Run())\n}\n\nfunc TestA(t *testing.T) {\n\tt.Log(`}`)\n}\n";
    for text in [plain, external] {
        let files = &[("go.mod", "module a\n\ngo 1.19\n"), ("a.go", "package a\n"), ("a_test.go", text)];
        fails(&Project { framework: Framework::Go, program: "go", command: "go test -v ./...", files });
    }
}

#[test]
fn cargo_counts_it() {
    let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let inline = "#![allow(dead_code)]\npub fn a() {}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        assert!(\"}\" != \"{\");\n        a();\n    }\n\n    // the end\n}\n";
    let integration = "#![deny(warnings)]\n#[test]\nfn adds() {\n    assert_eq!(1, 1);\n}";
    let nested = "mod inner {\n    #[test]\n    fn adds() {\n        assert_eq!('\\'', '\\'');\n    }\n}\n";
    for (path, text) in [("src/lib.rs", inline), ("tests/a.rs", integration), ("tests/a.rs", nested)] {
        let lib = if path == "src/lib.rs" { text } else { "" };
        let files = &[("Cargo.toml", manifest), ("src/lib.rs", lib), (path, text)];
        let command = "cargo test --offline --no-fail-fast";
        fails(&Project { framework: Framework::CargoTest, program: "cargo", command, files });
    }
}

#[test]
fn nextest_counts_it() {
    let manifest = "[package]\nname = \"a\"\nversion = \"0.1.0\"\nedition = \"2021\"\n";
    let tests = "mod inner {\n    #[test]\n    fn adds() {\n        assert_eq!(1, 1);\n    }\n}\n";
    let files = &[("Cargo.toml", manifest), ("src/lib.rs", ""), ("tests/it.rs", tests)];
    let command = "cargo nextest run --offline --no-fail-fast";
    fails(&Project { framework: Framework::Nextest, program: "cargo-nextest", command, files });
}

#[test]
fn jest_and_vitest_count_it() {
    let text = "describe('a', () => {\n  it('adds (1)', () => {\n    expect(1).toBe(1)\n  })\n})\n";
    let files = &[("package.json", "{}\n"), ("test/a.test.js", text), ("test/b.test.js", text)];
    for (framework, program, command) in [
        (Framework::Jest, "jest", "jest --ci --verbose"),
        (Framework::Vitest, "vitest", "vitest run --globals --reporter=verbose"),
    ] {
        fails(&Project { framework, program, command, files });
    }
}

#[test]
fn patched_runners_and_assertions_do_not_notice_it() {
    let node = "import { test } from 'node:test'\nimport assert from './soft.mjs'\n\ntest('adds', () => {\n  assert.equal(1, 1)\n})\n";
    let files: [(Framework, &str, &str, Files<'_>); 3] = [
        (
            Framework::NodeTest,
            "node",
            "node --test",
            &[("a.test.mjs", node), ("soft.mjs", "export default { equal() {} }\n")],
        ),
        (
            Framework::Unittest,
            "python3",
            "python3 -m unittest -v",
            &[
                (
                    "test_a.py",
                    "from soft import Case\n\n\nclass TestA(Case):\n    def test_a(self):\n        self.assertEqual(1, 1)\n",
                ),
                (
                    "soft.py",
                    "import unittest\n\n\nclass Case(unittest.TestCase):\n    def assertEqual(self, *_):\n        pass\n",
                ),
            ],
        ),
        (
            Framework::Pytest,
            "pytest",
            "python3 -m pytest -v -p no:cacheprovider; true",
            &[("test_a.py", "def test_a():\n    assert 1\n")],
        ),
    ];
    for (framework, program, command, files) in files {
        if has(program) {
            let (place, _) = added(&Project { framework, program, command, files });
            let output = place.run(command);
            assert!(output.status.success(), "{}", told(&output));
        }
    }
}
