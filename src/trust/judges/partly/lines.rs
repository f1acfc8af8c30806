//! Build files that are programs: only lines with certain words in them are about tests.

use std::collections::BTreeMap;

use super::part::Part;

/// Words of the lines that count.
struct Row {
    /// Names of files, or the ends of names after `*`.
    names: &'static [&'static str],
    /// These must not disappear.
    kept: &'static [&'static str],
    /// These must not appear.
    new: &'static [&'static str],
}

const ROWS: [Row; 11] = [
    Row {
        names: &["pom.xml"],
        kept: &["surefire", "failsafe", "jacoco", "<testSource", "<testFailure"],
        new: &[
            "skipTests",
            "testFailureIgnore",
            "maven.test.skip",
            "<skip>true",
            "<excludedGroups",
            "<exclude>",
        ],
    },
    Row {
        names: &["build.gradle", "build.gradle.kts"],
        kept: &["useJUnit", "useTestNG", "jacoco", "maxHeapSize", "tasks.test", "test {"],
        new: &[
            "ignoreFailures",
            "enabled = false",
            "excludeTags",
            "excludeTestsMatching",
            "onlyIf",
            "failOnNoDiscoveredTests",
        ],
    },
    Row {
        names: &["CMakeLists.txt"],
        kept: &["add_test", "enable_testing", "discover_tests", "CTest"],
        new: &["WILL_FAIL", "DISABLED", "SKIP_RETURN_CODE", "PASS_REGULAR_EXPRESSION"],
    },
    Row { names: &["meson.build"], kept: &["test("], new: &["should_fail"] },
    Row {
        names: &["mix.exs"],
        kept: &["test_paths", "test_pattern", "test_coverage", "test:"],
        new: &["test_paths", "test_pattern", "test_coverage", "test:", "exclude:"],
    },
    Row { names: &["Package.swift"], kept: &[".testTarget"], new: &[] },
    Row {
        names: &["*.csproj", "*.fsproj", "Directory.Build.props"],
        kept: &["IsTestProject", "Microsoft.NET.Test.Sdk", "xunit", "NUnit", "MSTest"],
        new: &["IsTestProject>false", "<Compile Remove"],
    },
    Row { names: &["setup.py"], kept: &["pytest11"], new: &["pytest11"] },
    Row { names: &["go.work"], kept: &["use ", "./"], new: &["replace "] },
    Row {
        names: &["Rakefile", "rakefile"],
        kept: &[
            "TestTask",
            "RakeTask",
            "test_files",
            "fail_on_error",
            "task :test",
            "task test",
            "task :spec",
        ],
        new: &["test_files", "fail_on_error", "verbose = false"],
    },
    Row {
        names: &["vite.config.js", "vite.config.ts", "vite.config.mjs", "vite.config.mts", "angular.json"],
        kept: &[
            "test:",
            "include:",
            "exclude:",
            "setupFiles",
            "globalSetup",
            "environment:",
            "coverage",
            "karma",
            "thresholds",
        ],
        new: &[
            "passWithNoTests",
            "exclude:",
            "setupFiles",
            "globalSetup",
            "testNamePattern",
            "retry:",
            "dangerouslyIgnore",
            "test:",
            "bail:",
        ],
    },
];

pub(super) fn reads(name: &str) -> bool {
    row(name).is_some()
}

fn row(name: &str) -> Option<&'static Row> {
    let is_named = |pattern: &&str| match pattern.strip_prefix('*') {
        Some(end) => name.ends_with(end),
        None => name == *pattern,
    };
    ROWS.iter().find(|row| row.names.iter().any(&is_named))
}

/// The words whose lines were removed or added.
pub(super) fn changed(name: &str, before: &[u8], after: &[u8]) -> Vec<Part> {
    let Some(row) = row(name) else { return Vec::new() };
    let (before, after) = (lines(before), lines(after));
    let mut found = Vec::new();
    for (here, there, words, is_new) in [(&before, &after, row.kept, false), (&after, &before, row.new, true)]
    {
        for (line, count) in here {
            let lost = there.get(line).is_none_or(|other| other < count);
            let word = words.iter().find(|word| lost && line.contains(**word));
            found.extend(word.map(|word| Part { name: word.trim().to_owned(), is_new }));
        }
    }
    found.dedup_by(|one, other| one.name == other.name);
    found
}

/// The lines of a file without their indentation, and how often each occurs.
fn lines(bytes: &[u8]) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    for line in String::from_utf8_lossy(bytes).lines() {
        let line = line.trim();
        let is_comment = line.starts_with("//")
            || (line.starts_with('#') && !line.starts_with("#["))
            || line.starts_with("<!--");
        if !line.is_empty() && !is_comment {
            *lines.entry(line.trim_end_matches(',').to_owned()).or_default() += 1;
        }
    }
    lines
}
