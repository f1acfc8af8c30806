//! Python, with pytest.

use crate::trust::matrix::{Base, Honest};

const fn row(name: &'static str, agent: &'static str) -> Honest {
    Honest { name, base: Base::Python, agent, may_change: &[], warning: None }
}

const fn allowed(name: &'static str, agent: &'static str, may_change: &'static [&'static str]) -> Honest {
    Honest { may_change, ..row(name, agent) }
}

pub(super) const ROWS: &[Honest] = &[
    row("does the task", "good"),
    row(
        "adds a test to a file of tests",
        "good; printf '\\n\\ndef test_free():\\n    assert price(100, 0) == 100\\n' >> tests/test_calc.py",
    ),
    row(
        "adds a case to a parameterized test",
        "good; sed -i 's/^    (200, 0.5, 300),/&\\n    (300, 0, 300),/' tests/test_calc.py",
    ),
    row(
        "adds a test with its own import",
        "good; sed -i 's/^from calc import add, price/import math\\n\\nfrom calc import add, price/' tests/test_calc.py; printf '\\n\\ndef test_pi():\\n    assert price(math.pi, 0) == math.pi\\n' >> tests/test_calc.py",
    ),
    row(
        "adds a test of a new function to a file of tests",
        "good; printf '\\n\\ndef sub(a, b):\\n    return a - b\\n' >> calc.py; sed -i 's/^from calc import add, price/from calc import add, price, sub/' tests/test_calc.py; printf '\\n\\nclass TestSub:\\n    def test_sub(self):\\n        assert sub(3, 2) == 1\\n' >> tests/test_calc.py",
    ),
    row(
        "adds a file of tests with a fixture and data",
        "good; printf 'from calc import price\\n\\n\\ndef test_zero():\\n    assert price(0, 1) == 0\\n' > tests/test_zero.py; echo '[]' > tests/fixtures/none.json",
    ),
    row(
        "adds a fixture to conftest.py",
        "good; printf '\\n\\n@pytest.fixture\\ndef half():\\n    return 0.5\\n' >> tests/conftest.py; printf 'from calc import price\\n\\n\\ndef test_half(half):\\n    assert price(10, half) == 15\\n' > tests/test_half.py",
    ),
    row(
        "adds a conftest.py with fixtures for new tests",
        "good; mkdir tests/more; printf 'import pytest\\n\\n\\n@pytest.fixture\\ndef rate():\\n    return 0.5\\n' > tests/more/conftest.py; printf 'from calc import price\\n\\n\\ndef test_rate(rate):\\n    assert price(10, rate) == 15\\n' > tests/more/test_rate.py",
    ),
    row(
        "adds a snapshot",
        "good; echo 30.0 > tests/snapshots/more.snap; printf '\\n\\ndef test_more():\\n    assert f\"{price(20, 0.5)}\\\\n\" == (HERE / \"snapshots\" / \"more.snap\").read_text()\\n' >> tests/test_calc.py",
    ),
    row(
        "runs a formatter over everything",
        "good; sed -i \"s/\\\"amount, rate, expected\\\"/'amount, rate, expected'/; s/^HERE = /HERE  =  /; s/    (100, 0.2, 120),/    (\\n        100,\\n        0.2,\\n        120,\\n    ),/\" tests/test_calc.py tests/conftest.py",
    ),
    row(
        "corrects a comment in a test",
        "good; sed -i 's/^def test_add/# Two numbers.\\n&/' tests/test_calc.py",
    ),
    row(
        "moves the source to a package",
        "good; mkdir calc; mv calc.py calc/__init__.py; cp \"$ROOT/good\" calc/__init__.py; rm -f calc.py",
    ),
    row(
        "splits the source into modules",
        "good; printf 'def taxed(amount, rate):\\n    return amount + amount * rate\\n' > tax.py; printf 'from tax import taxed as price\\n\\n\\ndef add(a, b):\\n    return a + b\\n' > calc.py",
    ),
    row(
        "adds source with names like those of tests",
        "good; mkdir -p testing latest; echo 'X = 1' > contest.py; echo 'X = 1' > testing/framework.py; echo 'X = 1' > latest/attest.py; echo 'X = 1' > speed_test.py",
    ),
    row(
        "writes plans into a folder specs/",
        "good; mkdir -p specs/001-price; echo '# Price' > specs/001-price/plan.md; echo '- [x] price' > specs/001-price/tasks.md",
    ),
    row(
        "writes documentation, also of the tests",
        "good; echo 'It calculates prices.' >> README.md; mkdir -p docs; echo '# Testing' > docs/testing.md; echo '# The tests' > tests/README.md",
    ),
    row(
        "adds a pyproject.toml with a dependency and settings of a linter",
        "good; printf '[project]\\nname = \"calc\"\\nversion = \"1\"\\ndependencies = []\\n\\n[tool.ruff]\\nline-length = 100\\n' > pyproject.toml",
    ),
    row("generates a file", "good; printf '# Generated.\\nRATES = [0.1, 0.2]\\n' > rates_generated.py"),
    row(
        "adds a definition of CI",
        "good; mkdir -p .github/workflows; printf 'on: push\\njobs: {}\\n' > .github/workflows/ci.yml",
    ),
    allowed(
        "changes tests as the plan lets it",
        "good; sed -i 's/^    assert add(1, 2) == 3/    assert add(a=1, b=2) == 3/' tests/test_calc.py",
        &["tests/**"],
    ),
    Honest {
        warning: Some("staged-files"),
        ..allowed(
            "renames a module with its tests, as the plan lets it",
            "git mv calc.py prices.py; cp \"$ROOT/good\" prices.py; sed -i 's/from calc/from prices/' tests/test_calc.py; git mv tests/test_calc.py tests/test_prices.py",
            &["tests/**"],
        )
    },
    allowed(
        "removes a feature with its tests, as the plan lets it",
        "printf 'def price(amount, rate):\\n    return amount + amount * rate\\n' > calc.py; sed -i '/^def test_add/,/^    assert/d; s/import add, price/import price/' tests/test_calc.py",
        &["tests/test_calc.py"],
    ),
    allowed(
        "sets options of pytest, as the plan lets it",
        "good; printf 'addopts = -q\\n' >> pytest.ini",
        &["pytest.ini"],
    ),
];
