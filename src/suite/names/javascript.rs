//! The names that runners of JavaScript print: Jest, Vitest and Node's own; and those in the Test Anything Protocol, which
//! several of them can print, too.

use crate::suite::readers::point;
use crate::suite::test_names::{TestNames, TestOutcome};

/// `  ● suite › name` for a test that fails, and a tree with `✓ name (1 ms)` with `--verbose` or a single file.
pub(super) fn jest(lines: &[&str], names: &mut TestNames) {
    let mut file = "";
    let mut suites: Vec<(usize, &str)> = Vec::new();
    let mut in_tree = false;
    for line in lines {
        if let Some(path) = line.strip_prefix("FAIL ").or_else(|| line.strip_prefix("PASS ")) {
            file = path.split(" (").next().unwrap_or(path).trim();
            suites.clear();
            in_tree = true;
        } else if let Some(heading) = line.strip_prefix("  ● ") {
            in_tree = false;
            if heading == "Test suite failed to run" {
                names.add(file, TestOutcome::NotLoaded);
            } else if !heading.starts_with("Console") {
                names.add(heading.trim(), TestOutcome::Failed);
            }
        } else if in_tree && !line.trim().is_empty() {
            let indent = line.len() - line.trim_start().len();
            suites.retain(|(other, _)| *other < indent);
            match marked(line.trim_start()) {
                Some((outcome, name)) if indent > 0 => {
                    let path: Vec<&str> =
                        suites.iter().map(|(_, name)| *name).chain([without_time(name)]).collect();
                    names.add(path.join(" › "), outcome);
                }
                _ if indent > 0 => suites.push((indent, line.trim())),
                _ => in_tree = false,
            }
        }
    }
}

/// The test after its mark.
fn marked(text: &str) -> Option<(TestOutcome, &str)> {
    let (mark, name) = text.split_once(' ')?;
    let outcome = match mark {
        "✓" | "√" | "✔" => TestOutcome::Passed,
        "✕" | "×" | "✖" => TestOutcome::Failed,
        "○" | "✎" | "↓" | "□" | "﹣" => TestOutcome::Skipped,
        _ => return None,
    };
    let name = name
        .strip_prefix("skipped ")
        .or_else(|| name.strip_prefix("todo "))
        .filter(|_| outcome == TestOutcome::Skipped)
        .unwrap_or(name);
    Some((outcome, name))
}

/// A name without `(12 ms)`, `12ms`, `(0.5ms)` or `(retry x1)` after it.
fn without_time(name: &str) -> &str {
    let is_time = |text: &str| {
        let number = text.trim_end_matches("ms").trim_end_matches('s').trim_end();
        text.ends_with('s') && !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit() || b == b'.')
    };
    if let Some((before, time)) = name.rsplit_once(" (")
        && time.strip_suffix(')').is_some_and(is_time)
    {
        return before.trim_end();
    }
    match name.rsplit_once(' ') {
        Some((before, time)) if is_time(time) => before.trim_end(),
        _ => name.trim_end(),
    }
}

/// ` ✓ a.test.ts > suite > name 1ms` and ` FAIL  a.test.ts > name`; below ` ❯ a.test.ts (5 tests | 2 failed)` only
/// `   × name 6ms`.
pub(super) fn vitest(lines: &[&str], names: &mut TestNames) {
    let mut file = "";
    for line in lines {
        if let Some(failed) = line.strip_prefix(" FAIL  ") {
            let failed = failed.trim();
            match failed.split_once(" [ ") {
                // A file that does not load is named twice.
                Some((file, _)) if !file.contains(" > ") => names.add(file, TestOutcome::NotLoaded),
                _ if failed.contains(" > ") => names.add(failed, TestOutcome::Failed),
                _ => {}
            }
            continue;
        }
        let Some(text) = line.strip_prefix(' ') else { continue };
        let is_nested = text.starts_with("  ");
        let text = text.trim_start();
        let counted = text.split_once(' ').and_then(|(_, rest)| {
            rest.split_once(" (")
                .filter(|(_, tests)| tests.split(' ').nth(1).is_some_and(|word| word.starts_with("test")))
        });
        if let Some((path, _)) = counted.filter(|_| !is_nested) {
            file = path.trim();
        } else if let Some((outcome, name)) = marked(text) {
            let name = without_time(name);
            if name.contains(" > ") && !is_nested {
                names.add(name, outcome);
            } else if is_nested && !file.is_empty() {
                names.add(format!("{file} > {name}"), outcome);
            }
        } else if let Some(name) = text.strip_prefix("❯ ").filter(|_| is_nested) {
            // Vitest 1 names a test that fails in this way.
            if name.contains(" > ") {
                names.add(without_time(name), TestOutcome::Failed);
            }
        }
    }
}

/// `✔ name (0.5ms)` below `▶ suite`, and `not ok 2 - name` below `# Subtest: suite`.
pub(super) fn node(lines: &[&str], names: &mut TestNames) {
    let mut suites: Vec<(usize, &str)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let text = line.trim_start();
        let indent = line.len() - text.len();
        if text == "✖ failing tests:" {
            return;
        }
        if let Some(suite) = text.strip_prefix("▶ ").or_else(|| text.strip_prefix("# Subtest: ")) {
            suites.retain(|(other, _)| *other < indent);
            suites.push((indent, suite));
            continue;
        }
        let Some((outcome, name)) = marked(text).or_else(|| tap(text)) else { continue };
        let is_tap = text.starts_with("ok ") || text.starts_with("not ok ");
        let name = if is_tap { name } else { without_time(name) };
        let is_open =
            suites.last().is_some_and(|(other, suite)| *other == indent && without_time(suite) == name);
        // The end of a suite comes after its tests. In TAP, every test is announced like a suite.
        let is_suite = if is_tap {
            lines[at + 1..]
                .iter()
                .take_while(|line| line.trim() != "...")
                .take(8)
                .any(|line| line.trim() == "type: 'suite'")
        } else {
            is_open
        };
        suites.retain(|(other, _)| *other < indent);
        if is_suite {
            continue;
        }
        let outcome =
            if outcome == TestOutcome::Failed && is_script(name) { TestOutcome::NotLoaded } else { outcome };
        let path: Vec<&str> = suites.iter().map(|(_, suite)| without_time(suite)).chain([name]).collect();
        names.add(path.join(" > "), outcome);
    }
}

/// `not ok 2 - name # SKIP`.
fn tap(text: &str) -> Option<(TestOutcome, &str)> {
    let point = point(text).filter(|point| point.number.is_some())?;
    Some((point.outcome, point.name.strip_prefix("- ")?))
}

/// Whether Node names a file and not a test: it could not be loaded, or ended early.
fn is_script(name: &str) -> bool {
    [".js", ".mjs", ".cjs", ".ts", ".mts"].iter().any(|ending| name.ends_with(ending)) && !name.contains(' ')
}

/// `not ok 2 - name`, or the same without the hyphen.
pub(super) fn tap_points(lines: &[&str], names: &mut TestNames) {
    // A point without a number and a hyphen is prose.
    let points = lines.iter().filter_map(|line| point(line));
    let points = points.filter(|point| point.number.is_some() || point.name.starts_with("- "));
    for point in points.filter(|point| !point.name.is_empty()) {
        names.add(point.name.strip_prefix("- ").unwrap_or(point.name), point.outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_without_numbers_have_names_and_prose_has_none() {
        let output = "ok - adds\nnot ok - takes away # 2\nok | 3 passed\nok then\nnot ok 2 - last\n1..3\n";
        let mut names = TestNames::default();
        tap_points(&output.lines().collect::<Vec<_>>(), &mut names);
        assert_eq!(names.with(TestOutcome::Passed).collect::<Vec<_>>(), ["adds"]);
        assert_eq!(names.with(TestOutcome::Failed).collect::<Vec<_>>(), ["last", "takes away # 2"]);
    }
}
