//! What is known of each framework: a row of a table.

use std::fmt;

use super::reading::Reading;
use super::select::{self, Select};
use super::{Framework, go, javascript, python, rust, tap};
use crate::suite::output::{Stream, Streams, Text};
use crate::suite::{Counts, Output, TestNames};

/// Several words with blanks between them.
pub(super) type Words = &'static str;

/// What is known of a framework.
pub(super) struct Row {
    pub(super) framework: Framework,
    /// The names that the `framework` field may use, the preferred one first.
    pub(super) names: &'static [&'static str],
    /// What commands begin with that start it, apart from options, with commas between them.
    pub(super) starts: Words,
    /// The options that select tests by name, so that another test would not run.
    pub(super) by_name: Words,
    /// The options that take the next word.
    pub(super) with_value: Words,
    /// The arguments that ask for the names of all tests and for a run to the end: before all others, and behind them.
    pub(super) asks: (Words, Words),
    /// Finds the arguments that select one test.
    pub(super) select: Select,
    /// The stream with the summary.
    pub(super) stream: Stream,
    /// Reads the counts in a text, which is one of the streams.
    pub(super) counts: fn(&Text, &Streams) -> Reading,
    /// Reads the names of tests.
    pub(super) names_in: fn(&[&str], &mut TestNames),
    pub(super) failing: FailingTest,
}

/// How a test looks that fails.
pub struct FailingTest {
    /// A text that is in its name and in no other.
    pub name: &'static str,
    /// The endings of the files with tests.
    pub endings: Words,
    /// The language and form of it.
    pub form: TestForm,
}

/// How a framework wants its tests to be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestForm {
    /// A function in Python.
    PythonFunction,
    /// A method of a test case in Python.
    PythonCase,
    /// A call in JavaScript or TypeScript, for which a new file needs these imports.
    JavaScript {
        /// The lines that import what it uses, as a module has them.
        imports: &'static str,
        /// A call that fails.
        fails: &'static str,
    },
    /// A function in Go.
    Go,
    /// A function in Rust.
    Rust,
    /// A block in a file of bats.
    Bats,
}

const JAVASCRIPT: Words = "js jsx mjs cjs ts tsx mts cts";

/// The options of cargo and of nextest that take the next word.
const OF_CARGO: Words = "-p --package --exclude --features -F --target --target-dir --manifest-path --profile \
     --cargo-profile -j --jobs --color --config -Z --message-format --test --bin --test-threads \
     --format --logfile -P --retries";

const fn python(form: TestForm) -> FailingTest {
    FailingTest { name: "test_arborist_canary", endings: "py", form }
}

const fn javascript(imports: &'static str, fails: &'static str) -> FailingTest {
    FailingTest {
        name: "arborist_canary",
        endings: JAVASCRIPT,
        form: TestForm::JavaScript { imports, fails },
    }
}

const RUST: FailingTest = FailingTest { name: "arborist_canary", endings: "rs", form: TestForm::Rust };

/// A row for each framework, in the order of [`Framework`].
pub(super) static ROWS: [Row; 9] = [
    Row {
        framework: Framework::Pytest,
        names: &["pytest", "py.test"],
        starts: "pytest, py.test, python -m pytest, coverage run -m pytest, python -m coverage run -m pytest",
        by_name: "-k -m --lf --last-failed",
        with_value: "-n -p -c -o -W -r --ignore",
        asks: ("", ""),
        select: select::pytest,
        stream: Stream::Stdout,
        counts: |text, _| python::pytest(text),
        names_in: python::pytest_names,
        failing: python(TestForm::PythonFunction),
    },
    Row {
        framework: Framework::Unittest,
        names: &["unittest", "python-unittest"],
        starts: "python -m unittest, coverage run -m unittest",
        by_name: "-k",
        with_value: "-p -t",
        asks: ("", "-v"),
        select: select::unittest,
        stream: Stream::Stderr,
        counts: |text, _| python::unittest(text),
        names_in: python::unittest_names,
        failing: python(TestForm::PythonCase),
    },
    Row {
        framework: Framework::Jest,
        names: &["jest"],
        starts: "jest, node jest/bin/jest.js, node jest/bin/jest, node .bin/jest",
        by_name: "-t --testNamePattern -o --onlyChanged",
        with_value: "-c --config",
        asks: ("", ""),
        select: select::jest,
        stream: Stream::Stderr,
        counts: |text, _| javascript::jest(text),
        names_in: javascript::jest_names,
        failing: javascript("", "expect(1).toBe(2)"),
    },
    Row {
        framework: Framework::Vitest,
        names: &["vitest"],
        starts: "vitest, node vitest/vitest.mjs, node .bin/vitest",
        by_name: "-t --testNamePattern",
        with_value: "-c --config --project",
        asks: ("", ""),
        select: select::vitest,
        stream: Stream::Stdout,
        counts: javascript::vitest,
        names_in: javascript::vitest_names,
        failing: javascript("import { expect, test } from 'vitest'\n", "expect(1).toBe(2)"),
    },
    Row {
        framework: Framework::Go,
        names: &["go", "go-test", "gotest"],
        starts: "go test",
        by_name: "-run --run",
        with_value: "-tags -timeout -coverprofile -count -p",
        asks: ("", ""),
        select: select::go,
        stream: Stream::Stdout,
        counts: |text, _| go::counts(text),
        names_in: go::names,
        failing: FailingTest { name: "TestArboristCanary", endings: "go", form: TestForm::Go },
    },
    Row {
        framework: Framework::CargoTest,
        names: &["cargo", "cargo-test", "libtest"],
        starts: "cargo test, cargo t",
        by_name: "--doc --bench --example",
        with_value: OF_CARGO,
        asks: ("--no-fail-fast", ""),
        select: select::cargo,
        stream: Stream::Stdout,
        counts: rust::cargo,
        names_in: rust::cargo_names,
        failing: RUST,
    },
    Row {
        framework: Framework::Nextest,
        names: &["nextest", "cargo-nextest"],
        starts: "cargo nextest run, cargo nextest r, cargo llvm-cov nextest",
        by_name: "-E --filter-expr --filterset",
        with_value: OF_CARGO,
        asks: ("--no-fail-fast", ""),
        select: select::nextest,
        stream: Stream::Stderr,
        counts: |text, _| rust::nextest(text),
        names_in: rust::nextest_names,
        failing: RUST,
    },
    Row {
        framework: Framework::NodeTest,
        names: &["node", "node-test", "node:test"],
        starts: "node --test",
        by_name: "--test-name-pattern --test-only",
        with_value: "--import --require -r --loader",
        asks: ("", ""),
        select: select::node,
        stream: Stream::Stdout,
        counts: |text, _| javascript::node(text),
        names_in: javascript::node_names,
        failing: javascript(
            "import assert from 'node:assert'\nimport test from 'node:test'\n",
            "assert.equal(1, 2)",
        ),
    },
    Row {
        framework: Framework::Tap,
        names: &["tap", "bats", "tape"],
        starts: "bats, tape",
        by_name: "",
        with_value: "",
        asks: ("", ""),
        select: |_, _| None,
        stream: Stream::Stdout,
        counts: |text, _| tap::counts(text),
        names_in: tap::names,
        failing: FailingTest { name: "arborist_canary", endings: "bats", form: TestForm::Bats },
    },
];

impl Framework {
    pub(super) fn row(self) -> &'static Row {
        &ROWS[self as usize]
    }

    /// The names that the `framework` field may use, the preferred one first.
    #[must_use]
    pub fn names(self) -> &'static [&'static str] {
        self.row().names
    }

    /// The framework with this name, in any case, with blanks or underscores for hyphens.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        let name = canonical(name);
        ROWS.iter().find(|row| row.names.contains(&name.as_str())).map(|row| row.framework)
    }

    /// How a test looks that fails.
    #[must_use]
    pub fn failing_test(self) -> &'static FailingTest {
        &self.row().failing
    }

    /// What its reader finds. It reads the stream to which the framework prints, or the other one if the first has no counts
    /// (`pytest >&2`).
    pub(in crate::suite) fn read(self, streams: &Streams) -> Reading {
        let Row { stream, counts, .. } = self.row();
        match counts(streams.text(*stream), streams) {
            Reading::Absent => counts(streams.text(stream.other()), streams),
            reading => reading,
        }
    }

    /// The tests that it names in both streams.
    pub(in crate::suite) fn names_printed(self, streams: &Streams) -> TestNames {
        let mut names = TestNames::default();
        for text in [&streams.stdout, &streams.stderr] {
            names.extend(self.names_in(&text.lines().collect::<Vec<_>>()));
        }
        names
    }

    /// The tests that it names in these lines.
    pub(in crate::suite) fn names_in(self, lines: &[&str]) -> TestNames {
        let mut names = TestNames::default();
        (self.row().names_in)(lines, &mut names);
        names
    }
}

impl fmt::Display for Framework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.names()[0])
    }
}

/// A name in the spelling of the table.
pub(in crate::suite) fn canonical(name: &str) -> String {
    name.trim().to_ascii_lowercase().replace([' ', '_'], "-")
}

/// Reads the output of `framework`; `None` if there are no counts or they are uncertain.
///
/// If output was cut, summaries at its end are read, but not counts that would have to include the missing part.
#[must_use]
pub fn read_counts(framework: Framework, output: &Output<'_>) -> Option<Counts> {
    framework.read(&Streams::new(output)).counts()
}

/// The tests that `framework` names in its output.
///
/// Many print only the names of the tests that fail, unless they are asked for more. So the names are for people, and a
/// sentence like "3 of 7 new tests" is only written if the names agree with the counts ([`TestNames::agree_with`]).
#[must_use]
pub fn read_names(framework: Framework, output: &Output<'_>) -> TestNames {
    framework.names_printed(&Streams::new(output))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_framework_has_its_own_row() {
        for (row, framework) in ROWS.iter().zip(Framework::ALL) {
            assert_eq!((row.framework, row.names), (framework, framework.names()));
        }
    }
}
