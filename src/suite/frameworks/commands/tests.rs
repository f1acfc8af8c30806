//! Tests which framework is guessed from a command.

use proptest::prelude::*;

use super::*;

#[test]
fn commands_that_name_their_framework_are_recognised() {
    use Framework::{CargoTest, Go, Jest, Nextest, NodeTest, Pytest, Unittest, Vitest};
    for (command, expected) in [
        ("pytest", Pytest),
        ("pytest tests/ -x", Pytest),
        ("python -m pytest tests/ -x", Pytest),
        ("python3.12 -X dev -W error -m pytest", Pytest),
        (".venv/bin/python -m pytest", Pytest),
        ("./venv/bin/pytest -q 2>&1 | tail -20", Pytest),
        ("cd api && DEBUG=1 PYTHONPATH=. pytest -q", Pytest),
        ("env -u HOME A=b pytest", Pytest),
        ("timeout -k 5 60 pytest", Pytest),
        ("uv run --extra dev pytest", Pytest),
        ("poetry run pytest", Pytest),
        ("coverage run --branch -m pytest && coverage report", Pytest),
        ("pytest tests/unit && pytest tests/api", Pytest),
        ("python -m unittest discover -s tests", Unittest),
        ("coverage run -m unittest", Unittest),
        ("jest", Jest),
        ("npx jest src", Jest),
        ("npx --yes jest@29 || npx jest", Jest),
        ("yarn jest --ci", Jest),
        ("node_modules/.bin/jest", Jest),
        ("node --experimental-vm-modules node_modules/jest/bin/jest.js", Jest),
        ("npx vitest run", Vitest),
        ("pnpm exec vitest run", Vitest),
        ("npm exec -- vitest run", Vitest),
        ("cross=1 yarn run vitest", Vitest),
        ("go test ./...", Go),
        ("go test -v -run 'A|B' ./pkg", Go),
        ("cargo test", CargoTest),
        ("cargo t --all", CargoTest),
        ("cargo +nightly --locked test -p x -- --nocapture", CargoTest),
        ("RUSTFLAGS=-Dwarnings cargo test", CargoTest),
        ("cargo nextest run --workspace", Nextest),
        ("cargo llvm-cov nextest", Nextest),
        ("node --test", NodeTest),
        ("node --import tsx --test 'src/**/*.test.ts'", NodeTest),
        ("tsx --test a.ts", NodeTest),
    ] {
        assert_eq!(Framework::guess(command), Some(expected), "{command}");
    }
}

#[test]
fn nothing_is_guessed_from_a_mention() {
    for command in [
        "",
        "make test",
        "npm test",
        "npm test src/api/__tests__/metrics.test.js",
        "echo pytest",
        "pip install pytest",
        "cat pytest.ini",
        "python script.py -m pytest",
        "python -c 'import pytest'",
        "python -m pip install pytest",
        "cargo build --test x",
        "cargo install cargo-nextest",
        "cargo nextest list",
        "go build ./test",
        "go vet ./...",
        "node server.js --test",
        "node test.js",
        "git commit -m 'go test'",
        "# pytest",
        "ls > pytest",
        "sh -c 'pytest'",
        "timeout 60",
        "env",
        "npx",
    ] {
        assert_eq!(Framework::guess(command), None, "{command}");
    }
}

#[test]
fn nothing_is_guessed_from_a_command_with_two_frameworks() {
    assert_eq!(Framework::guess("pytest && npx jest"), None);
}

#[test]
fn a_framework_is_told_to_run_one_test() {
    for (command, test, expected) in [
        ("pytest -q tests", "tests/test_a.py::test_x[a b]", "pytest -q 'tests/test_a.py::test_x[a b]'"),
        ("python3 -m pytest -n 2 -x a b", "a.py::T::x", "python3 -m pytest -n 2 -x a.py::T::x"),
        ("uv run --with pytest pytest", "a.py::x", "uv run --with pytest pytest a.py::x"),
        ("python -m unittest discover -s t", "a.T.x", "python -m unittest discover -s t -k '*a.T.x'"),
        ("npx jest --ci", "suite › adds (1)", r"npx jest --ci -t '^ ?suite( | › )adds \(1\)$'"),
        ("vitest run", "src/a.test.ts > s > x", "vitest run src/a.test.ts -t '^ ?s( | > )x$'"),
        ("npx vitest run src", "src/a.test.ts > it's", r"npx vitest run src -t '^ ?it'\''s$'"),
        ("node --test lib", "suite > a/b", r"node --test --test-name-pattern='(^| > )a\/b$' lib"),
        ("go test ./...", "TestA/b_c(1)", r"go test -run '^TestA$/^b_c\(1\)$' ./..."),
        ("cargo test -p x", "tests::x", "cargo test -p x -- --exact tests::x"),
        ("cargo t -- --nocapture", "tests::x", "cargo t -- --nocapture --exact tests::x"),
        (
            "cargo nextest run --all",
            "pkg::it tests::x",
            "cargo nextest run -E 'binary_id(=pkg::it) and test(=tests::x)' --all",
        ),
    ] {
        assert_eq!(select_one(command, test).as_deref(), Some(expected), "{command}");
    }
}

#[test]
fn nothing_is_selected_where_it_is_not_sure() {
    for (command, test) in [
        ("make test", "x"),
        ("npm test", "x"),
        ("cd a && pytest", "a.py::x"),
        ("pytest | tail", "a.py::x"),
        ("pytest -k a", "a.py::x"),
        ("pytest --new-option value", "a.py::x"),
        ("pytest --rootdir=a", "a.py::x"),
        ("pytest", "a.py"),
        ("go test -run=TestA ./...", "TestA"),
        ("cargo test price", "tests::price"),
        ("cargo test", "src/lib.rs - add (line 5)"),
        ("cargo test -- a", "tests::a"),
        ("cargo nextest run a", "x tests::a"),
        ("vitest run", "x"),
        ("bats test", "x"),
    ] {
        assert_eq!(select_one(command, test), None, "{command}");
    }
}

proptest! {
    #[test]
    fn guessing_never_panics(command in "(env |npx |timeout |go |cargo |node |-m |--|test |['\"\\\\;&|<>()#=] ?|\\PC{0,4}){0,12}") {
        let _ = Framework::guess(&command);
    }
}
