//! What is known of each framework: a row of a table.

use std::fmt;

use regex_lite::Regex;

use crate::suite::Language;
use crate::suite::output::Stream;

/// A test framework whose printed output can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Framework {
    /// pytest and its plugins.
    Pytest,
    /// Python's own `unittest`.
    Unittest,
    /// Jest.
    Jest,
    /// Vitest.
    Vitest,
    /// `go test -v` and `go test -json`; plain `go test` does not say how many tests passed.
    Go,
    /// `cargo test`, with libtest as the harness.
    CargoTest,
    /// `cargo nextest run`.
    Nextest,
    /// `node --test`, with the `spec` or the `tap` reporter.
    NodeTest,
    /// Programs that print the Test Anything Protocol: bats, tape, and others.
    Tap,
}

impl Framework {
    /// All frameworks.
    pub const ALL: [Self; 9] = [
        Self::Pytest,
        Self::Unittest,
        Self::Jest,
        Self::Vitest,
        Self::Go,
        Self::CargoTest,
        Self::Nextest,
        Self::NodeTest,
        Self::Tap,
    ];
}

/// Several words with blanks between them.
pub(super) type Words = &'static str;

/// A pattern for a text that begins with a line.
pub(super) fn at_line_start(pattern: &str) -> Regex {
    Regex::new(&format!(r"\A(?m:{pattern})")).expect("the patterns of the table are valid")
}

/// What is known of a framework.
///
/// Patterns are regular expressions that match from the beginning of a line on; `$` is the end of a line.
pub(super) struct Row {
    /// The names that the `framework` field may use, the preferred one first.
    pub(super) names: &'static [&'static str],
    /// A pattern for what commands begin with that start it. Options may stand where a blank is.
    pub(super) starts: &'static str,
    /// The options that select tests by name, so that another test would not run.
    pub(super) by_name: Words,
    /// The options that take the next word.
    pub(super) with_value: Words,
    /// The stream with the summary.
    pub(super) stream: Stream,
    /// Patterns for the heading of a run, if it has one, and for its summary. Groups of the summary are the `list` of what became of
    /// the tests, without which it is broken; their `sum`, also in the heading; how many `ran`, and how many were `planned`; and how
    /// many `files` did not load, and `errors` there were besides.
    pub(super) runs: &'static [(&'static str, &'static str)],
    /// Patterns for the lines that name tests and suites ([`Framework::names_in`]).
    pub(super) tests: &'static [&'static str],
    /// The language of its tests, if one that fails can be added to a file.
    pub(super) language: Option<Language>,
}

/// The options of cargo and of nextest that take the next word.
const OF_CARGO: Words = "-p --package --exclude --features -F --target --target-dir --manifest-path --profile \
     --cargo-profile -j --jobs --color --config -Z --message-format --test --bin --test-threads \
     --format --logfile -P --retries";

/// What pytest says of its tests, which is `OUTCOMES` in a pattern: `1 failed, 2 passed in 75.30s (0:01:15)`.
pub(super) const OUTCOMES: &str = r"(?<list>no tests ran|\d+ (?:passed|failed|errors?|skipped|deselected|x[a-z]+|warnings?|rerun)(?:, \d+ [a-z ]+)*) in \d+\.\d+(?:s| seconds)(?: \([\d:days, ]+\))?";

/// A row for each framework, in the order of [`Framework`].
pub(super) static ROWS: [Row; 9] = [
    Row {
        names: &["pytest", "py.test"],
        starts: "(?:python -m )?(?:coverage run -m )?pytest|py.test",
        by_name: "-k -m --lf --last-failed",
        with_value: "-n -p -c -o -W -r --ignore",
        stream: Stream::Stdout,
        // With `-q`, there are no rules, and only the progress comes before the summary.
        runs: &[
            ("=+ test session starts =+$", "=+ OUTCOMES =+$"),
            (r"[.FEsxXuR,-]+ +\[100%\]$", "OUTCOMES$"),
        ],
        tests: &[
            r"ERROR (?<unloaded>[^ :\n]+\.py)(?: - .*)?$",
            r"(?<said>[A-Z]+) (?<test>[^\[\n]*?::[^\[ \n]*(?:\[.*?\])?)(?: - .*)?$",
            r"(?<test>\S+?\.py::.+?) (?<said>[A-Z]+)(?: \(.*\))?(?: +\[ *\d+%\])?$",
        ],
        language: Some(Language::Python),
    },
    Row {
        names: &["unittest", "python-unittest"],
        starts: "(?:python|coverage run) -m unittest",
        by_name: "-k",
        with_value: "-p -t",
        stream: Stream::Stderr,
        runs: &[(
            "",
            r"-{70}\nRan (?<ran>\d+) tests? in \d+\.\d+s$(?:\n\n(?:OK|FAILED|NO TESTS RAN)(?<list>(?: \(.*\))?)$)?",
        )],
        tests: &[
            r"ERROR: (?<unloaded>\S+) \(unittest\.loader\._FailedTest\b",
            r"(?<said>FAIL|ERROR): (?<test>\S+) \((?<class>[^ )\n]+)\)",
            r"(?<test>\S+) \((?<class>[^ )\n]+)\).* \.\.\. (?<said>ok|FAIL|ERROR|expected|skipped)(?: .*)?$",
            // With a first line of documentation, or after what the test has printed, the outcome is on another line.
            r"(?<test>\S+) \((?<class>[^ )\n]+)\)(?: \.\.\. .*)?$",
            r".* \.\.\. (?<said>ok|FAIL|ERROR|expected|skipped)(?: .*)?$",
            r"(?<said>ok)$",
        ],
        language: Some(Language::Python),
    },
    Row {
        names: &["jest"],
        starts: r"jest|node \S*(?:jest/bin/jest(?:\.js)?|\.bin/jest)",
        by_name: "-t --testNamePattern -o --onlyChanged",
        with_value: "-c --config",
        stream: Stream::Stderr,
        runs: &[
            ("", r"No tests found, exiting with code \d(?<list>)$"),
            (
                "",
                r"Test Suites: (?:(?:(?<files>\d+) failed, )?.*\nTests: +(?<list>.*?)(?:, )?(?<sum>\d+) total\nSnapshots: .*\nTime: )?",
            ),
        ],
        tests: &[
            r"(?:FAIL|PASS) (?<unloaded>.+?)(?: \(.*\))?\n  ● Test suite failed to run$",
            "  ● (?:Console|Test suite failed to run)",
            "  (?<said>●) (?<test>.+)$",
            r"(?<indent> +)(?<said>[✓✕○✎]) (?:skipped |todo )?(?<test>.+?)(?: \([\d.]+ m?s\))?$",
            r"(?<indent> +)(?<suite>\S.*)$",
        ],
        language: Some(Language::JavaScript),
    },
    Row {
        names: &["vitest"],
        starts: r"vitest|node \S*(?:vitest/vitest\.mjs|\.bin/vitest)",
        by_name: "-t --testNamePattern",
        with_value: "-c --config --project",
        stream: Stream::Stdout,
        runs: &[(
            " RUN  v",
            r" Test Files  (?:(?:(?<files>\d+) failed.*|.*)\n      Tests  (?<list>.*?)(?: \((?<sum>\d+)\))?\n(?:Type Errors  .*\n)*(?:     Errors  (?<errors>\d+) .*\n)?   Start at  .*\n   Duration  )?",
        )],
        tests: &[
            // A file that does not load is named twice.
            r" FAIL  (?<unloaded>[^>\n]+?) \[ ",
            r" (?<said>FAIL)  (?<test>.+ > .+)$",
            r"(?<indent> {1,2})\S+ +(?:TS +)?(?<suite>\S.*?) +\(\d+ tests?\b",
            r"(?<indent> {1,2})(?<said>[✓×↓□]) (?<test>.+ > .+?)(?: [\d.]+m?s)?$",
            r"(?<indent> {3,})(?<said>[✓×↓□]) (?<test>.+?)(?: [\d.]+m?s)?$",
            // Vitest 1 names a test that fails in this way.
            r"   +(?<said>❯) (?<test>.+ > .+?)(?: [\d.]+m?s)?$",
        ],
        language: Some(Language::JavaScript),
    },
    Row {
        names: &["go", "go-test", "gotest"],
        starts: "go test",
        by_name: "-run --run",
        with_value: "-tags -timeout -coverprofile -count -p",
        stream: Stream::Stdout,
        runs: &[],
        tests: &[
            r"FAIL\t(?<unloaded>\S+) \[(?:build|setup) failed\]$",
            r".*--- (?<said>PASS|FAIL|SKIP): (?<test>.+) \(\d+\.\d+s\)$",
        ],
        language: Some(Language::Go),
    },
    Row {
        names: &["cargo", "cargo-test", "libtest"],
        starts: "cargo (?:test|t)",
        by_name: "--doc --bench --example",
        with_value: OF_CARGO,
        stream: Stream::Stdout,
        runs: &[(
            r"running (?<sum>\d+) tests?$",
            r"test result: (?:(?:ok|FAILED)\. (?<list>.*?)(?:; finished in .*)?$)?",
        )],
        tests: &[
            r"test (?<test>.+?)(?: - should panic)? \.\.\. (?<said>ok|FAILED|ignored)(?:, .*)?$",
            // With `--quiet`, only this list behind all output names tests: those that failed.
            r"failures:\n(?<failed>(?:    \S.*\n)+)\ntest result: FAILED\.",
        ],
        language: Some(Language::Rust),
    },
    Row {
        names: &["nextest", "cargo-nextest"],
        starts: "cargo (?:nextest (?:run|r)|llvm-cov nextest)",
        by_name: "-E --filter-expr --filterset",
        with_value: OF_CARGO,
        stream: Stream::Stderr,
        // What tests print is indented further, so quoted summaries do not begin like this.
        runs: &[(
            r"    Starting (?<sum>\d+) tests? across ",
            r"     Summary \[(?:.*?\] (?<ran>\d+)(?:/(?<planned>\d+))? tests? run: (?<list>.*)$)?",
        )],
        // The words end in the same column.
        tests: &[r"(?<said>[A-Z ]{12}) \[.*?\] +(?:\( *\d+/\d+\) +)?(?<test>\S.*)$"],
        language: Some(Language::Rust),
    },
    Row {
        names: &["node", "node-test", "node:test"],
        starts: "node --test",
        by_name: "--test-name-pattern --test-only",
        with_value: "--import --require -r --loader",
        stream: Stream::Stdout,
        runs: &[(
            "",
            r"[#ℹ] tests (?<sum>\d+)\n[#ℹ] suites \d+\n[#ℹ] (?<list>pass \d+\n. fail \d+\n. cancelled \d+\n. skipped \d+\n. todo \d+)\n[#ℹ] duration_ms ",
        )],
        tests: &[
            "(?<end>✖ failing tests:)$",
            r"(?<indent> *)▶ (?<begins>.+?)(?: \([\d.]+ms\))?$",
            r"(?<indent> *)# Subtest: (?<suite>.+)$",
            r" *(?:not )?ok \d+ - .*\n +---\n +duration_ms: .*\n +type: 'suite'$",
            r" *(?:✖|not ok \d+ -) (?<unloaded>\S+\.[cm]?[jt]s)(?: \([\d.]+ms\))?$",
            r"(?<indent> *)(?<said>[✔✖﹣]) (?<test>.+?)(?: \([\d.]+ms\))?(?: # .*)?$",
            r"(?<indent> *)(?:not )?ok \d+ - (?<test>.+?) # (?<said>(?i:skip|todo)).*$",
            r"(?<indent> *)(?<said>not ok|ok) \d+ - (?<test>.+)$",
        ],
        language: Some(Language::JavaScript),
    },
    Row {
        names: &["tap", "bats", "tape"],
        starts: "bats|tape",
        by_name: "",
        with_value: "",
        stream: Stream::Stdout,
        runs: &[],
        tests: &[
            r"(?:not )?ok (?:\d+(?: -)?|-) (?<test>[^#\n].*?) # (?<said>(?i:skip|todo)).*$",
            r"(?<said>not ok|ok) (?:\d+(?: -)?|-) (?<test>[^#\n].*)$",
        ],
        language: None,
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
        Self::ALL.into_iter().find(|framework| framework.names().contains(&name.as_str()))
    }

    /// The language of its tests, if one that fails can be added to a file with tests.
    #[must_use]
    pub fn language(self) -> Option<Language> {
        self.row().language
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
