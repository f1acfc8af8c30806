//! Tests which changes touch what judges.

mod partly;

use proptest::prelude::*;

use super::*;

fn judges(commands: &[&str]) -> Judges {
    Judges::new(commands, &[])
}

/// What is said about a change; empty if nothing.
fn said(judges: &Judges, path: &str, before: &str, after: &str) -> String {
    let touched = judges.touched(path, Some(before.as_bytes()), Some(after.as_bytes()));
    touched.map(|touched| touched.to_string()).unwrap_or_default()
}

#[track_caller]
fn nothing(path: &str, before: &str, after: &str) {
    assert_eq!(
        said(&judges(&["make test", "npm test", "sh tests/run.sh"]), path, before, after),
        "",
        "{path}\n{after}"
    );
}

#[track_caller]
fn something(path: &str, before: &str, after: &str) {
    let found = said(&judges(&["make test", "npm test", "sh tests/run.sh"]), path, before, after);
    assert_ne!(found, "", "{path}\n{after}");
}

#[test]
fn a_change_to_a_test_is_named_with_what_it_does() {
    let judges = judges(&["pytest"]);
    let before = "def test_a():\n    assert f() == 2\n    assert g() == 3\n";
    assert_eq!(
        said(&judges, "tests/test_a.py", before, "def test_a():\n    assert f() == 2\n"),
        "The attempt changed tests (1 assertion removed, none added)"
    );
    let deleted = judges.touched("tests/test_a.py", Some(before.as_bytes()), None).unwrap();
    assert_eq!(
        deleted.to_string(),
        "The attempt deleted tests (1 test removed, none added; 2 assertions removed, none added)"
    );
    assert_eq!(deleted.change, Change::Deleted);
    assert_eq!(said(&judges, "tests/data.json", "{}", "{\"a\": 1}"), "The attempt changed data of tests");
    assert_eq!(
        said(&judges, "pytest.ini", "[pytest]\n", "[pytest]\naddopts = -k nothing\n"),
        "The attempt changed configuration of the tests"
    );
    assert_eq!(
        said(&judges, ".github/workflows/ci.yml", "- run: pytest\n", "- run: pytest || true\n"),
        "The attempt changed a definition of CI (`|| true` added)"
    );
}

const PYTHON: &str = "\
import pytest
from app import add

@pytest.mark.parametrize('a, b', [
    (1, 2),
    (3, 4),
])
def test_rows(a, b):
    assert add(a, 1) == b


class TestAdd:
    def test_one(self):
        assert add(1, 1) == 2
";

#[test]
fn tests_may_be_added_to_a_file_of_python() {
    let test = "\n\ndef test_two():\n    assert add(2, 2) == 4\n";
    for after in [
        format!("{PYTHON}{test}"),
        format!("{PYTHON}\n    def test_two(self):\n        assert add(2, 2) == 4\n"),
        PYTHON.replace("import add\n", "import add, sub\nimport os\n")
            + "def test_sub():\n    assert sub(2, 1) == 1\n",
        PYTHON.replace("    (3, 4),\n", "    (3, 4),\n    (5, 6),\n"),
        PYTHON.replace("\n\nclass", &format!("{test}\n\nclass")),
        format!("{PYTHON}\nCASES = [\n    1,\n]\n\n@pytest.fixture\ndef client():\n    return 3\n{test}"),
    ] {
        nothing("tests/test_add.py", PYTHON, &after);
    }
}

#[test]
fn what_changes_other_tests_of_python_is_no_addition() {
    for after in [
        PYTHON.replace("== 2\n", "== 2 or True\n"),
        PYTHON.replace("        assert add(1, 1)", "        return\n        assert add(1, 1)"),
        PYTHON.replace("class TestAdd", "@pytest.mark.skip\nclass TestAdd"),
        format!("{PYTHON}\nclass TestAdd:\n    pass\n"),
        format!("{PYTHON}\ndef test_rows():\n    pass\n"),
        format!("{PYTHON}\nadd = lambda a, b: 2\n"),
        format!("{PYTHON}\nimport app\napp.add = lambda a, b: 2\n"),
        format!("{PYTHON}\n@pytest.fixture(autouse=True)\ndef fake():\n    yield\n"),
        PYTHON
            .replace("import add\n", "import add\nfrom fake import add\n")
            .replace("import add\nfrom fake", "import sub\nfrom fake"),
        PYTHON.replace("from app import add", "from app import add as real, fake as add"),
        PYTHON.replace("    (3, 4),\n", ""),
        format!("{PYTHON}\npytestmark = pytest.mark.skip\n"),
        format!("{PYTHON}\n    def setup_method(self):\n        fake()\n"),
        format!("{PYTHON}\nimport sys; sys.exit(0)\n"),
    ] {
        something("tests/test_add.py", PYTHON, &after);
    }
}

const JAVASCRIPT: &str = "\
import { add } from '../src/add.js'
import assert from 'node:assert'

describe('add', () => {
  it('adds', () => {
    assert.equal(add(1, 1), 2)
  })
})
";

#[test]
fn tests_may_be_added_to_a_file_of_javascript() {
    let test = "  it('adds more', () => {\n    assert.equal(add(2, 2), 4)\n  })\n";
    for after in [
        JAVASCRIPT.replace("})\n})", &format!("}})\n{test}}})")),
        JAVASCRIPT.replace("{ add }", "{ add, sub }")
            + "\ntest('sub', () => {\n  assert.equal(sub(2, 1), 1)\n})\n",
        format!(
            "{JAVASCRIPT}\nconst cases = [\n  [1, 2],\n]\ndescribe('more', () => {{\n  beforeEach(() => {{}})\n{test}}})\n"
        ),
        JAVASCRIPT.replace("'", "\"").replace(")\n", ");\n"),
        JAVASCRIPT.replace("  it(", "  // Adds two numbers.\n  it("),
    ] {
        nothing("src/add.test.js", JAVASCRIPT, &after);
    }
    for after in [
        JAVASCRIPT.replace("  it(", "  beforeEach(() => { fake() })\n  it("),
        JAVASCRIPT.replace("    assert", "    return\n    assert"),
        JAVASCRIPT.replace("    assert", "    // assert"),
        JAVASCRIPT.replace("\ndescribe", "\njest.mock('../src/add.js')\ndescribe"),
        JAVASCRIPT.replace("equal(add(1, 1), 2)", "ok(add)"),
        JAVASCRIPT.replace("it('adds'", "it.skip('adds'"),
        format!("{JAVASCRIPT}\nit.only('x', () => {{}})\n"),
        format!("{JAVASCRIPT}\nassert.equal = () => {{}}\n"),
        format!("{JAVASCRIPT}\nfunction add() {{ return 2 }}\n"),
    ] {
        something("src/add.test.js", JAVASCRIPT, &after);
    }
}

#[test]
fn tests_may_be_added_to_files_of_go_and_rust() {
    let go = "package a\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tfor _, c := range []struct {\n\t\ta, b int\n\t}{\n\t\t{1, 2},\n\t} {\n\t\tif add(c.a) != c.b {\n\t\t\tt.Fatal(c)\n\t\t}\n\t}\n}\n";
    for after in [
        format!("{go}\nfunc TestSub(t *testing.T) {{\n\tif sub(2) != 1 {{\n\t\tt.Fatal(2)\n\t}}\n}}\n"),
        go.replace("\t\t{1, 2},\n", "\t\t{1, 2},\n\t\t{3, 4},\n"),
        go.replace("import \"testing\"", "import (\n\t\"os\"\n\t\"testing\"\n)"),
    ] {
        nothing("a/add_test.go", go, &after);
    }
    for after in [
        go.replace("\tfor", "\tt.Skip()\n\tfor"),
        go.replace("\tfor", "\treturn\n\tfor"),
        format!("//go:build never\n\n{go}"),
        format!("{go}\nfunc TestMain(m *testing.M) {{\n\tos.Exit(0)\n}}\n"),
        go.replace("!= c.b", "== 0"),
    ] {
        something("a/add_test.go", go, &after);
    }
    let rust = "use a::add;\n\n#[test]\nfn adds() {\n    assert_eq!(add(1, 1), 2);\n}\n";
    for after in [
        rust.replace("#[test]", "#[test]\nfn first() {\n    assert_eq!(add(3, 1), 4);\n}\n\n#[test]"),
        format!("{rust}\n#[test]\nfn adds_more() {{\n    assert_eq!(add(2, 2), 4);\n}}\n"),
        rust.replace("use a::add;", "use a::{add, sub};")
            + "#[test]\nfn subs() {\n    assert_eq!(sub(2, 2), 0);\n}\n",
        rust.replace("assert_eq!(add(1, 1), 2);", "assert_eq!(\n        add(1, 1),\n        2,\n    );"),
    ] {
        nothing("tests/add.rs", rust, &after);
    }
    for after in [
        rust.replace("#[test]", "#[test]\n#[ignore]"),
        rust.replace("#[test]", "#[test]\n#[should_panic]"),
        rust.replace("#[test]", "#[should_panic]\n#[test]"),
        format!("#![cfg(any())]\n{rust}"),
        rust.replace("#[test]\n", ""),
        rust.replace("use a::add;", "use a::add;\nuse fake::assert_eq;"),
    ] {
        something("tests/add.rs", rust, &after);
    }
}

#[test]
fn tests_in_a_source_file_may_change_but_not_lose() {
    let source = "pub fn add() {}\n#[cfg(test)]\nmod tests {\n    use super::*;\n    #[test]\n    fn a() { assert!(add()); }\n}\n";
    nothing("src/a.rs", source, &source.replace("{}", "{ 3 }"));
    nothing("src/a.rs", source, &source.replace("use super::*", "use super::add"));
    nothing(
        "src/a.rs",
        source,
        &source.replace("fn a", "fn b() { assert!(!add()); }\n    #[test]\n    fn a"),
    );
    let judges = judges(&["cargo test"]);
    assert_eq!(
        said(&judges, "src/a.rs", source, "pub fn add() { 3 }\n"),
        "The attempt changed tests in a source file (1 test removed, none added; 1 assertion removed, none added)"
    );
    nothing("src/a.rs", source, "pub fn add() {}\n#[cfg(test)]\nmod tests;\n");
    something("src/a.rs", source, &source.replace("#[test]", "#[test]\n    #[ignore]"));
    something("src/a.rs", source, &source.replace("assert!(add())", "assert!(true)"));
}

#[test]
fn protected_patterns_extend_the_table() {
    let judges = Judges::new(&[], &[PathPattern::parse("schema/**").unwrap()]);
    assert!(judges.may_judge("schema/a.sql") && !judges.may_judge("other/a.sql"));
    assert_eq!(said(&judges, "schema/a.sql", "a", "b"), "The attempt changed a protected file");
    assert_eq!(judges.touched("schema/a.sql", None, Some(b"new")), None);
}

#[test]
fn a_program_with_a_name_like_a_test_is_none() {
    nothing("src/speed_test.py", "def measure():\n    return 3\n", "def measure():\n    return 4\n");
    something("src/speed_test.py", "def test_a():\n    assert f()\n", "def test_a():\n    f()\n");
    nothing("src/commands/test.js", "export function run() {}\n", "export function run() { return 3 }\n");
}

#[test]
fn layout_and_comments_do_not_matter() {
    for (path, before, after) in [
        (
            "tests/test_a.py",
            "def test_a():\n  assert f( 1 ) == 'x'\n",
            "def test_a():\n    # why\n    assert f(1) == \"x\"\n",
        ),
        ("tests/test_a.py", "assert f(a, b) == [1]\n", "assert f(\n    a,\n    b,\n) == [\n    1,\n]\n"),
        ("tests/a.rs", "#[test] fn a() { assert!( x ) }", "// Why.\n#[test]\nfn a() {\n    assert!(x)\n}\n"),
        ("jest.config.js", "module.exports = { a: 'b' }\n", "module.exports = {\n  a: \"b\",\n};\n"),
    ] {
        nothing(path, before, after);
        nothing(path, after, before);
    }
    for (path, before, after) in [
        ("tests/test_a.py", "if x:\n    assert a\n    assert b\n", "if x:\n    assert a\nassert b\n"),
        ("tests/test_a.py", "if x:\n    assert a\nassert b\n", "if x:\n    assert a\n    assert b\n"),
        (
            "a.test.js",
            "it('a', () => { return expect(x).toBe(1) })",
            "it('a', () => { return\n expect(x).toBe(1) })",
        ),
        ("a_test.go", "package a\nfunc ExampleA() {\n\t// Output: 1\n}", "package a\nfunc ExampleA() {\n}"),
    ] {
        something(path, before, after);
    }
}

const PATHS: [&str; 14] = [
    "tests/a.py",
    "a.test.js",
    "a_test.go",
    "tests/a.rs",
    "src/a.rs",
    "package.json",
    "pyproject.toml",
    "Makefile",
    "pom.xml",
    "tests/A.java",
    "conftest.py",
    "tests/a.bats",
    "tests/A.cs",
    "setup.cfg",
];

const PIECES: [&str; 36] = [
    "def a():",
    "    ",
    "\n",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "'",
    "\"",
    "\"\"\"",
    "import a",
    "from a import b",
    "const a = ",
    "#",
    "//",
    "[a]",
    "a = b",
    "test:",
    "\t",
    "use a;",
    "fn a()",
    "#[test]",
    "it('a', () => {",
    "})",
    "class A:",
    "@x",
    "=",
    ":",
    "return",
    "\\",
    "é",
    "{\"scripts\": {\"test\": \"x\"}}",
    ";",
    ",",
];

proptest! {
    #[test]
    fn no_change_makes_it_panic(
        before in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..25),
        after in prop::collection::vec(prop::sample::select(PIECES.to_vec()), 0..25),
    ) {
        let (before, after) = (before.concat(), after.concat());
        let judges = judges(&["make test", "npm test"]);
        for path in PATHS {
            let _ = judges.touched(path, Some(before.as_bytes()), Some(after.as_bytes()));
            let _ = judges.touched(path, Some(before.as_bytes()), None);
            let _ = judges.touched(path, None, Some(after.as_bytes()));
            prop_assert_eq!(judges.touched(path, Some(before.as_bytes()), Some(before.as_bytes())), None);
        }
    }

    #[test]
    fn no_command_makes_it_panic(command in "[a-z ./'\"&|;$(){}=-]{0,40}") {
        let _ = Judges::new(&[&command, &format!("bash -c '{command}'")], &[]);
    }
}

/// Each of these would take minutes if something were read again and again.
#[test]
fn long_files_are_read_at_once() {
    let judges = judges(&["make test", "npm test"]);
    for path in PATHS {
        for piece in PIECES {
            let source = piece.repeat(1_000 / piece.len());
            let more = format!("{source}\n{source}");
            let _ = judges.touched(path, Some(source.as_bytes()), Some(more.as_bytes()));
        }
    }
}
