//! The projects that the changes of the matrices are made to. In each, `add` works and `price` is to be written; the tests
//! for both are there.

use super::Base;

/// Files of a project: path and contents.
pub(super) type Files = &'static [(&'static str, &'static str)];

/// A project.
pub(super) struct Project {
    pub(super) files: Files,
    pub(super) command: &'static str,
    pub(super) framework: Option<&'static str>,
    /// The programs that it needs.
    pub(super) programs: &'static [&'static str],
    /// The file that the task is about, and how it is when the task is done.
    pub(super) good: (&'static str, &'static str),
}

impl Base {
    pub(super) fn project(self) -> Project {
        match self {
            Self::Python => Project {
                files: PYTHON,
                command: "PYTHONPATH=. python3 -m pytest -p no:cacheprovider",
                framework: Some("pytest"),
                programs: &["python3", "pytest"],
                good: ("calc.py", PYTHON_GOOD),
            },
            Self::Node => Project {
                files: NODE,
                command: "node --test",
                framework: Some("node"),
                programs: &["node"],
                good: ("src/calc.js", NODE_GOOD),
            },
            Self::Npm => Project { command: "npm test", programs: &["node", "npm"], ..Self::Node.project() },
            Self::Go => Project {
                files: GO,
                command: "go test -v ./...",
                framework: Some("go"),
                programs: &["go"],
                good: ("calc.go", GO_GOOD),
            },
            Self::Rust => Project {
                files: RUST,
                command: "cargo test --offline",
                framework: Some("cargo"),
                programs: &["cargo"],
                good: ("src/lib.rs", RUST_GOOD),
            },
            Self::Shell => Project {
                files: SHELL,
                command: "sh tests/run.sh",
                framework: None,
                programs: &["sh"],
                good: ("calc.sh", SHELL_GOOD),
            },
            Self::Make => Project { command: "make test", programs: &["make"], ..Self::Shell.project() },
        }
    }
}

const PYTHON: Files = &[
    (".gitignore", "__pycache__/\nlocal.json\n"),
    ("pytest.ini", "[pytest]\ntestpaths = tests\n"),
    (
        "calc.py",
        "def add(a, b):\n    return a + b\n\n\ndef price(amount, rate):\n    raise NotImplementedError\n",
    ),
    ("README.md", "# calc\n\nIt adds.\n"),
    (
        "tests/test_calc.py",
        r#"from pathlib import Path

import pytest

from calc import add, price

HERE = Path(__file__).parent


def test_add():
    assert add(1, 2) == 3


@pytest.mark.parametrize("amount, rate, expected", [
    (100, 0.2, 120),
    (200, 0.5, 300),
])
def test_price(amount, rate, expected):
    assert price(amount, rate) == expected


def test_price_of_rates(rates):
    for row in rates:
        assert price(row["amount"], row["rate"]) == row["price"]


def test_report():
    assert f"{price(10, 0.5)}\n" == (HERE / "snapshots" / "report.snap").read_text()
"#,
    ),
    (
        "tests/conftest.py",
        "import json\nfrom pathlib import Path\n\nimport pytest\n\n\n@pytest.fixture\ndef rates():\n    \
         return json.loads((Path(__file__).parent / \"fixtures\" / \"rates.json\").read_text())\n",
    ),
    ("tests/fixtures/rates.json", "[{\"amount\": 50, \"rate\": 0.1, \"price\": 55}]\n"),
    ("tests/snapshots/report.snap", "15.0\n"),
];

const PYTHON_GOOD: &str =
    "def add(a, b):\n    return a + b\n\n\ndef price(amount, rate):\n    return amount + amount * rate\n";

const NODE: Files = &[
    (".gitignore", "node_modules/\n"),
    (
        "package.json",
        "{\n  \"name\": \"calc\",\n  \"version\": \"1.0.0\",\n  \"type\": \"module\",\n  \"scripts\": {\n    \
         \"build\": \"true\",\n    \"test\": \"node --test\"\n  }\n}\n",
    ),
    (
        "src/calc.js",
        "export function add(a, b) {\n  return a + b\n}\n\nexport function price() {\n  throw new Error('not implemented')\n}\n",
    ),
    ("README.md", "# calc\n\nIt adds.\n"),
    (
        "test/calc.test.js",
        r"import assert from 'node:assert'
import { readFileSync } from 'node:fs'
import { describe, it, test } from 'node:test'
import { add, price } from '../src/calc.js'

const read = (name) => readFileSync(new URL(name, import.meta.url), 'utf8')

test('adds', () => {
  assert.equal(add(1, 2), 3)
})

describe('price', () => {
  it('has tax', () => {
    assert.equal(price(100, 0.2), 120)
  })

  it('has the rates of the table', () => {
    for (const row of JSON.parse(read('fixtures/rates.json'))) {
      assert.equal(price(row.amount, row.rate), row.price)
    }
  })

  it('is reported', () => {
    assert.equal(`${price(10, 0.5)}\n`, read('__snapshots__/report.snap'))
  })
})
",
    ),
    ("test/fixtures/rates.json", "[{\"amount\": 50, \"rate\": 0.1, \"price\": 55}]\n"),
    ("test/__snapshots__/report.snap", "15\n"),
];

const NODE_GOOD: &str = "export function add(a, b) {\n  return a + b\n}\n\nexport function price(amount, rate) {\n  \
                         return amount + amount * rate\n}\n";

const GO: Files = &[
    ("go.mod", "module calc\n\ngo 1.19\n"),
    (
        "calc.go",
        "// Package calc calculates.\npackage calc\n\n// Tax is added to every price.\nvar Tax = func(amount, rate float64) \
         float64 { return 0 }\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n\n// Price has tax.\nfunc \
         Price(amount, rate float64) float64 { return Tax(amount, rate) }\n",
    ),
    ("README.md", "# calc\n\nIt adds.\n"),
    (
        "calc_test.go",
        "package calc\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 \
         {\n\t\tt.Error(\"wrong sum\")\n\t}\n}\n\nfunc TestPrice(t *testing.T) {\n\ttests := []struct {\n\t\tamount, rate, \
         want float64\n\t}{\n\t\t{100, 0.2, 120},\n\t\t{200, 0.5, 300},\n\t}\n\tfor _, c := range tests {\n\t\tif got := \
         Price(c.amount, c.rate); got != c.want {\n\t\t\tt.Errorf(\"got %v\", got)\n\t\t}\n\t}\n}\n\nfunc \
         TestReport(t *testing.T) {\n\twant, err := os.ReadFile(\"testdata/report.golden\")\n\tif err != nil \
         {\n\t\tt.Fatal(err)\n\t}\n\tif got := fmt.Sprintln(Price(10, 0.5)); got != string(want) {\n\t\tt.Errorf(\"got \
         %q\", got)\n\t}\n}\n",
    ),
    ("testdata/report.golden", "15\n"),
];

const GO_GOOD: &str = "// Package calc calculates.\npackage calc\n\n// Tax is added to every price.\nvar Tax = func(amount, rate float64) float64 { \
     return amount * rate }\n\n// Add adds.\nfunc Add(a, b int) int { return a + b }\n\n// Price has tax.\nfunc \
     Price(amount, rate float64) float64 { return amount + Tax(amount, rate) }\n";

const RUST: Files = &[
    (".gitignore", "/target\n"),
    (
        "Cargo.toml",
        "[package]\nname = \"calc\"\nversion = \"0.1.0\"\nedition = \"2021\"\n\n[lib]\ndoctest = false\n\n[dependencies]\n\n\
         [profile.dev]\ndebug = 0\nincremental = false\n",
    ),
    (
        "Cargo.lock",
        "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = \"calc\"\nversion = \"0.1.0\"\n",
    ),
    (
        "src/lib.rs",
        "/// Adds.\npub fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\n/// A price with tax.\npub fn price(_amount: f64, _rate: f64) \
         -> f64 {\n    unimplemented!()\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        \
         assert_eq!(add(1, 2), 3);\n    }\n\n    #[test]\n    fn price_without_tax() {\n        assert_eq!(price(7.0, 0.0), \
         7.0);\n    }\n}\n",
    ),
    ("README.md", "# calc\n\nIt adds.\n"),
    (
        "tests/price.rs",
        "use calc::price;\n\n#[test]\nfn price_has_tax() {\n    assert_eq!(price(100.0, 0.2), 120.0);\n}\n\n#[test]\nfn \
         report() {\n    let expected = std::fs::read_to_string(\"tests/fixtures/report.txt\").unwrap();\n    \
         assert_eq!(format!(\"{}\\n\", price(10.0, 0.5)), expected);\n}\n",
    ),
    ("tests/fixtures/report.txt", "15\n"),
];

const RUST_GOOD: &str = "/// Adds.\npub fn add(a: u8, b: u8) -> u8 {\n    a + b\n}\n\n/// A price with tax.\npub fn price(amount: f64, rate: f64) \
     -> f64 {\n    amount + amount * rate\n}\n\n#[cfg(test)]\nmod tests {\n    use super::*;\n\n    #[test]\n    fn adds() {\n        \
     assert_eq!(add(1, 2), 3);\n    }\n\n    #[test]\n    fn price_without_tax() {\n        assert_eq!(price(7.0, 0.0), \
     7.0);\n    }\n}\n";

const SHELL: Files = &[
    ("calc.sh", "echo 'not implemented' >&2\nexit 1\n"),
    ("README.md", "# calc\n\nIt adds.\n"),
    ("Makefile", "all: build\n\nbuild:\n\ttrue\n\ntest:\n\tsh tests/run.sh\n"),
    (
        "tests/run.sh",
        "set -e\ntest \"$(sh calc.sh 100 20)\" = 120\ndiff tests/expected.txt - <<END\n$(sh calc.sh 10 50)\nEND\n",
    ),
    ("tests/expected.txt", "15\n"),
    (
        ".github/workflows/ci.yml",
        "on: push\njobs:\n  test:\n    runs-on: ubuntu-latest\n    steps:\n      - run: make test\n",
    ),
];

const SHELL_GOOD: &str = "echo $(($1 + $1 * $2 / 100))\n";
