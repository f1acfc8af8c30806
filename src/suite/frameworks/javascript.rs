//! Reads Jest: the block that begins with `Test Suites: 1 failed, 1 passed, 2 total`; Vitest: ` RUN v3.2.7`, and at the end the
//! block that begins with ` Test Files 1 failed | 1 passed (2)`; and `node --test`: the block of `# tests 3` to
//! `# duration_ms 83.1` (TAP), or the same with `ℹ` (spec).

use super::reading::{Mark, Outcomes, Reading, Sessions, item, number};
use super::tap::point;
use crate::suite::output::{Streams, Text};
use crate::suite::{Counts, TestNames, TestOutcome};

const OF_JEST: Outcomes = Outcomes { skipped: &["skipped", "todo"], sum: &["total"], ..Outcomes::USUAL };

pub(super) fn jest(text: &Text) -> Reading {
    let sessions = Sessions::of(text, |lines, _| match lines[0].strip_prefix("Test Suites: ") {
        Some(suites) => jest_block(suites, &lines[1..]).map_or(Mark::Broken, Mark::Run),
        None if found_none(lines[0], "No tests found, exiting with code ") => Mark::Run(Counts::ZERO),
        None => Mark::Nothing,
    });
    sessions.reading()
}

/// Whether a line says that there are no tests, and how the program ends.
fn found_none(line: &str, said: &str) -> bool {
    line.strip_prefix(said).is_some_and(|code| code.len() == 1)
}

/// The four lines `Test Suites:`, `Tests:`, `Snapshots:`, `Time:`.
fn jest_block(suites: &str, below: &[&str]) -> Option<Counts> {
    let [tests, snapshots, time, ..] = below else { return None };
    if !tests.ends_with(" total") || !snapshots.starts_with("Snapshots: ") || !time.starts_with("Time: ") {
        return None;
    }
    let (mut counts, _) = OF_JEST.read(tests.strip_prefix("Tests: ")?.trim_start(), ", ")?;
    // A suite that did not load has no failed test. If jest stopped early, the list ends with `1 of 3 total`.
    let failed_suites = suites.split(", ").find_map(|item| item.trim().split_once(" failed"));
    counts.failed = counts.failed.max(failed_suites.map_or(Some(0), |(count, _)| number(count))?);
    Some(counts)
}

/// An expected failure counts as passed, as in Vitest's own `JUnit` report.
const OF_VITEST: Outcomes =
    Outcomes { passed: &["passed", "expected fail"], skipped: &["skipped", "todo"], ..Outcomes::USUAL };

pub(super) fn vitest(text: &Text, streams: &Streams) -> Reading {
    let finds_none = |line: &str| found_none(line, "No test files found, exiting with code ");
    let mut sessions = Sessions::of(text, |lines, is_open| match lines[0].strip_prefix(" Test Files  ") {
        Some(files) => {
            vitest_block(files, &lines[1..]).map_or(Mark::Broken, |counts| Mark::Summary(None, counts))
        }
        None if lines[0].starts_with(" RUN  v") => Mark::Heading(None),
        None if finds_none(lines[0]) && is_open => Mark::Summary(None, Counts::ZERO),
        None => Mark::Nothing,
    });
    if sessions.is_open() && streams.stderr.lines().any(finds_none) {
        sessions.add(Mark::Summary(None, Counts::ZERO), None);
    }
    sessions.reading()
}

/// The lines `Test Files`, `Tests`, perhaps `Type Errors` and `Errors`, `Start at`, `Duration`.
fn vitest_block(files: &str, below: &[&str]) -> Option<Counts> {
    let (tests, below) = below.split_first()?;
    let mut below = below.iter().skip_while(|line| line.starts_with("Type Errors  ")).peekable();
    let mut counts = of_vitest(tests.strip_prefix("      Tests  ")?)?;
    // A file that did not load has no failed test.
    counts.failed = counts.failed.max(of_vitest(files)?.failed);
    if let Some(errors) = below.peek()?.strip_prefix("     Errors  ") {
        let (errors, _) = item(errors)?;
        counts.failed = counts.failed.saturating_add(errors);
        below.next();
    }
    let is_whole = below.next()?.starts_with("   Start at  ") && below.next()?.starts_with("   Duration  ");
    is_whole.then_some(counts)
}

/// Reads `1 failed | 2 passed | 1 skipped (4)`.
fn of_vitest(list: &str) -> Option<Counts> {
    if list == "no tests" {
        return Some(Counts::ZERO);
    }
    let (list, total) = list.strip_suffix(')')?.split_once(" (")?;
    let (counts, sum) = OF_VITEST.read(list, " | ")?;
    (number(total)? == sum).then_some(counts)
}

pub(super) fn node(text: &Text) -> Reading {
    let sessions = Sessions::of(text, |lines, _| {
        let counts = ["# ", "ℹ "].into_iter().find_map(|mark| node_block(mark, lines));
        counts.map_or(Mark::Nothing, Mark::Run)
    });
    sessions.reading()
}

/// The block at the beginning of `lines`: eight lines with nothing between them, the numbers agreeing. A test that
/// prints some of these lines is not a summary. (The first releases of Node.js 18 counted files; theirs has fewer lines.)
fn node_block(mark: &str, lines: &[&str]) -> Option<Counts> {
    let mut lines = lines.iter();
    let mut value = |name: &str| {
        let (found, value) = lines.next()?.strip_prefix(mark)?.split_once(' ')?;
        if found == name { Some(value) } else { None }
    };
    let mut number = |name: &str| number(value(name)?);
    let (tests, _suites) = (number("tests")?, number("suites")?);
    let (passed, failed, cancelled) = (number("pass")?, number("fail")?, number("cancelled")?);
    let (skipped, todo) = (number("skipped")?, number("todo")?);
    value("duration_ms")?;
    let counts =
        Counts { passed, failed: failed.checked_add(cancelled)?, skipped: skipped.checked_add(todo)? };
    (counts.total() == tests).then_some(counts)
}

/// The suites around a line, each with its indentation.
#[derive(Default)]
struct Suites<'t>(Vec<(usize, &'t str)>);

impl<'t> Suites<'t> {
    /// Leaves those that are not around a line with this indentation.
    fn at(&mut self, indent: usize) -> &mut Self {
        self.0.retain(|(other, _)| *other < indent);
        self
    }

    fn enter(&mut self, indent: usize, suite: &'t str) {
        self.at(indent).0.push((indent, suite));
    }

    /// The name of a test with those of its suites.
    fn path(&self, name: &str, sign: &str) -> String {
        self.0.iter().map(|(_, suite)| *suite).chain([name]).collect::<Vec<_>>().join(sign)
    }
}

/// A line without the blanks before it, and how many there are.
fn indented(line: &str) -> (usize, &str) {
    let text = line.trim_start();
    (line.len() - text.len(), text)
}

/// `  ● suite › name` for a test that fails, and a tree with `✓ name (1 ms)` with `--verbose` or a single file.
pub(super) fn jest_names(lines: &[&str], names: &mut TestNames) {
    let (mut file, mut suites, mut in_tree) = ("", Suites::default(), false);
    for line in lines {
        let (indent, text) = indented(line);
        if let Some(path) = line.strip_prefix("FAIL ").or_else(|| line.strip_prefix("PASS ")) {
            file = path.split(" (").next().unwrap_or(path).trim();
            suites = Suites::default();
            in_tree = true;
        } else if let Some(heading) = line.strip_prefix("  ● ") {
            in_tree = false;
            if heading == "Test suite failed to run" {
                names.add(file, TestOutcome::NotLoaded);
            } else if !heading.starts_with("Console") {
                names.add(heading.trim(), TestOutcome::Failed);
            }
        } else if in_tree && !text.is_empty() {
            match marked(text) {
                _ if indent == 0 => in_tree = false,
                Some((outcome, name)) => {
                    names.add(suites.at(indent).path(without_time(name), " › "), outcome);
                }
                None => suites.enter(indent, text.trim_end()),
            }
        }
    }
}

/// The test after its mark.
fn marked(text: &str) -> Option<(TestOutcome, &str)> {
    let (mark, name) = text.split_once(' ')?;
    let outcome = TestOutcome::of_word(mark).filter(|_| !mark.is_ascii())?;
    let left_out = name.strip_prefix("skipped ").or_else(|| name.strip_prefix("todo "));
    Some((outcome, left_out.filter(|_| outcome == TestOutcome::Skipped).unwrap_or(name)))
}

/// A name without `(12 ms)`, `12ms` or `(0.5ms)` after it.
fn without_time(name: &str) -> &str {
    let is_time = |text: &str| {
        let number = text.trim_end_matches("ms").trim_end_matches('s').trim_end();
        text.ends_with('s') && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    };
    let in_brackets =
        name.rsplit_once(" (").and_then(|(before, time)| Some((before, time.strip_suffix(')')?)));
    let timed = in_brackets.filter(|(_, time)| is_time(time));
    let timed = timed.or_else(|| name.rsplit_once(' ').filter(|(_, time)| is_time(time)));
    timed.map_or(name, |(before, _)| before).trim_end()
}

/// ` ✓ a.test.ts > suite > name 1ms` and ` FAIL  a.test.ts > name`; below ` ❯ a.test.ts (5 tests | 2 failed)` only
/// `   × name 6ms`.
pub(super) fn vitest_names(lines: &[&str], names: &mut TestNames) {
    let mut file = "";
    for line in lines {
        if let Some(failed) = line.strip_prefix(" FAIL  ").map(str::trim) {
            match failed.split_once(" [ ") {
                // A file that does not load is named twice.
                Some((file, _)) if !file.contains(" > ") => names.add(file, TestOutcome::NotLoaded),
                _ if failed.contains(" > ") => names.add(failed, TestOutcome::Failed),
                _ => {}
            }
            continue;
        }
        let (indent, text) = indented(line);
        let is_nested = indent > 2;
        if indent == 0 {
            continue;
        }
        if let Some(path) = of_file(text).filter(|_| !is_nested) {
            file = path;
        } else if let Some((outcome, name)) = marked(text) {
            let name = without_time(name);
            if name.contains(" > ") && !is_nested {
                names.add(name, outcome);
            } else if is_nested && !file.is_empty() {
                names.add(format!("{file} > {name}"), outcome);
            }
        } else if let Some(name) = text.strip_prefix("❯ ").filter(|name| is_nested && name.contains(" > "))
        {
            // Vitest 1 names a test that fails in this way.
            names.add(without_time(name), TestOutcome::Failed);
        }
    }
}

/// The path in `❯ a.test.ts (5 tests | 2 failed)`.
fn of_file(text: &str) -> Option<&str> {
    let (path, tests) = text.split_once(' ')?.1.split_once(" (")?;
    tests.split(' ').nth(1).filter(|word| word.starts_with("test")).map(|_| path.trim())
}

/// `✔ name (0.5ms)` below `▶ suite`, and `not ok 2 - name` below `# Subtest: suite`.
pub(super) fn node_names(lines: &[&str], names: &mut TestNames) {
    let mut suites = Suites::default();
    for (at, line) in lines.iter().enumerate() {
        let (indent, text) = indented(line);
        if text == "✖ failing tests:" {
            return;
        }
        if let Some(suite) = text.strip_prefix("▶ ").or_else(|| text.strip_prefix("# Subtest: ")) {
            suites.enter(indent, without_time(suite));
            continue;
        }
        // The end of a suite comes after its tests. In TAP, every test is announced like a suite.
        let (outcome, name, is_suite) = if let Some((outcome, name)) = marked(text) {
            let name = without_time(name);
            (outcome, name, suites.0.last() == Some(&(indent, name)))
        } else if let Some(point) = point(text).filter(|point| point.number.is_some()) {
            let Some(name) = point.name.strip_prefix("- ") else { continue };
            let details = lines[at + 1..].iter().map(|line| line.trim()).take_while(|line| *line != "...");
            (point.outcome, name, details.take(8).any(|line| line == "type: 'suite'"))
        } else {
            continue;
        };
        let path = suites.at(indent).path(name, " > ");
        match outcome {
            _ if is_suite => {}
            TestOutcome::Failed if is_script(name) => names.add(path, TestOutcome::NotLoaded),
            outcome => names.add(path, outcome),
        }
    }
}

/// Whether Node names a file and not a test: it could not be loaded, or ended early.
fn is_script(name: &str) -> bool {
    [".js", ".mjs", ".cjs", ".ts", ".mts"].iter().any(|ending| name.ends_with(ending)) && !name.contains(' ')
}
