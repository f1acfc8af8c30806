//! Runs the patterns of a framework over an output.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex_lite::{Captures, Regex};

use super::table::{OUTCOMES, ROWS, Row, at_line_start};
use super::{Framework, go, tap, unittest};
use crate::process::Captured;
use crate::suite::output::{Reading, Streams, Text, line_starts};
use crate::suite::{Counts, TestNames, TestOutcome};
use crate::text::clean;

/// The patterns of a row.
struct Patterns {
    runs: Vec<(Option<Regex>, Regex)>,
    tests: Vec<Regex>,
}

static PATTERNS: LazyLock<Vec<Patterns>> = LazyLock::new(|| ROWS.iter().map(Patterns::of).collect());

impl Patterns {
    fn of(row: &Row) -> Self {
        let summary = |pattern: &str| at_line_start(&pattern.replace("OUTCOMES", OUTCOMES));
        let heading = |pattern: &str| (!pattern.is_empty()).then(|| at_line_start(pattern));
        Self {
            runs: row.runs.iter().map(|(begin, end)| (heading(begin), summary(end))).collect(),
            tests: row.tests.iter().map(|pattern| at_line_start(pattern)).collect(),
        }
    }
}

fn group<'t>(found: &Captures<'t>, name: &str) -> Option<&'t str> {
    found.name(name).map(|group| group.as_str())
}

/// The number in a group, or another one if there is no such group; `None` if the number is too large.
fn number_or(found: &Captures<'_>, name: &str, other: u32) -> Option<u32> {
    group(found, name).map_or(Some(other), |digits| digits.parse().ok())
}

impl Framework {
    /// What its reader finds. It reads the stream to which the framework prints, or the other one if the first has no counts
    /// (`pytest >&2`).
    pub(in crate::suite) fn read(self, streams: &Streams) -> Reading {
        let stream = self.row().stream as usize;
        let [text, other] = [&streams.0[stream], &streams.0[1 - stream]];
        let reading = match self.read_in(text, other) {
            Reading::Absent => self.read_in(other, text),
            reading => reading,
        };
        match reading {
            Reading::Sure(runs) if self == Self::CargoTest && !all_there(runs.len(), streams) => {
                Reading::Unsure
            }
            reading => reading,
        }
    }

    fn read_in(self, text: &Text, other: &Text) -> Reading {
        match self {
            Self::Go => go::counts(text),
            Self::Tap => tap::counts(text),
            _ => self.summaries(text, other),
        }
    }

    /// The runs in one text. Headings and summaries have to alternate, and to agree: otherwise a test has printed one of them, or
    /// runs the framework itself, and nothing is certain. The summary of a run that another pattern began is no summary here.
    fn summaries(self, text: &Text, other: &Text) -> Reading {
        let patterns = &PATTERNS[self as usize].runs;
        let (mut runs, mut is_sure, mut begin) = (Vec::new(), true, 0);
        // What began the run whose summary has not come, and how many tests it has announced.
        let mut open: Option<(usize, Option<u32>)> = None;
        for (at, rest) in line_starts(text.as_str()) {
            let mut known = patterns.iter().enumerate().take(open.map_or(usize::MAX, |(form, _)| form + 1));
            let mark = known.find_map(|(form, (heading, summary))| {
                let begin = heading.as_ref().and_then(|heading| heading.captures(rest));
                let is_heading = begin.is_some();
                Some((form, is_heading, begin.or_else(|| summary.captures(rest))?))
            });
            let Some((form, is_heading, found)) = mark else { continue };
            if is_heading {
                // The progress that begins a quiet run of pytest may come again.
                is_sure &= open.is_none() || form > 0;
                open = Some((form, group(&found, "sum").and_then(|sum| sum.parse().ok())));
                continue;
            }
            let read = match self {
                Self::Unittest => unittest::counted(&text.as_str()[begin..at], &found, text.is_cut),
                _ => counted(&found),
            };
            let Some((counts, planned)) = read else {
                is_sure = false;
                continue;
            };
            is_sure &= match open.take() {
                Some((_, announced)) => announced.is_none_or(|announced| announced == planned),
                // The heading may be cut off, as by `| tail`; but tests of cargo print results of cargo.
                None => patterns[form].0.is_none() || runs.is_empty() && self != Self::CargoTest,
            };
            runs.push(counts);
            begin = at;
        }
        // Vitest says on one of the streams that there are no tests.
        let none = "No test files found, exiting with code ";
        let mut lines = text.lines().chain(other.lines());
        if is_sure && runs.is_empty() && open.is_some() && lines.any(|line| line.starts_with(none)) {
            return Reading::of(vec![Counts::ZERO]);
        }
        if is_sure && open.is_none() { Reading::of(runs) } else { Reading::Unsure }
    }

    /// The tests that it names in both streams.
    pub(in crate::suite) fn names_printed(self, streams: &Streams) -> TestNames {
        let [mut names, more] = streams.0.each_ref().map(|text| self.names_in(text.as_str()));
        names.extend(more);
        names
    }
}

/// Reads the counts of a summary, and how many tests had been planned.
fn counted(found: &Captures<'_>) -> Option<(Counts, u32)> {
    let (mut counts, sum) = match group(found, "list")? {
        "" => (Counts::ZERO, 0),
        list => outcomes(list)?,
    };
    let is_right =
        number_or(found, "sum", sum)? == sum && number_or(found, "ran", counts.ran())? == counts.ran();
    let planned = number_or(found, "planned", number_or(found, "ran", sum)?)?;
    // A file that did not load has no failed test.
    counts.failed =
        counts.failed.max(number_or(found, "files", 0)?).checked_add(number_or(found, "errors", 0)?)?;
    is_right.then_some((counts, planned))
}

/// Reads a list such as `2 failed, 1 skipped` or `pass 1\n# fail 2`: the counts, and how many tests there are. `None` if any item
/// is something else.
///
/// An expected failure is skipped with pytest and passed with Vitest, as in their own `JUnit` reports.
pub(super) fn outcomes(list: &str) -> Option<(Counts, u32)> {
    static IN_BRACKETS: LazyLock<Regex> = LazyLock::new(|| Regex::new(r" \([^)]*\)").expect("it is valid"));
    if list.starts_with("no tests") {
        return Some((Counts::ZERO, 0));
    }
    let (mut counts, mut sum) = (Counts::ZERO, 0_u32);
    for item in IN_BRACKETS.replace_all(list, "").split([',', ';', '|', '\n']) {
        let item = item.trim_start_matches(['#', 'ℹ', ' ']).trim_end();
        let (first, rest) = item.split_once(' ')?;
        let (count, what) =
            if let Ok(count) = first.parse::<u32>() { (count, rest) } else { (rest.parse().ok()?, first) };
        let counted = match what {
            "passed" | "xpassed" | "expected fail" | "pass" => &mut counts.passed,
            "failed" | "error" | "errors" | "exec failed" | "timed out" | "fail" | "cancelled" => {
                &mut counts.failed
            }
            "skipped" | "xfailed" | "ignored" | "todo" => &mut counts.skipped,
            "measured" => &mut 0,
            "warning" | "warnings" | "deselected" | "rerun" | "subtests passed" | "subtests skipped"
            | "filtered out" => continue,
            _ => return None,
        };
        *counted = counted.checked_add(count)?;
        sum = sum.checked_add(count)?;
    }
    Some((counts, sum))
}

/// Whether the number of results is the one that cargo announced on standard error (`Running ...`, `Doc-tests ...`). Otherwise that
/// of a binary is missing that died, has its own harness, or whose output was cut off. With `--quiet`, nothing is announced.
fn all_there(ended: usize, Streams([stdout, stderr]): &Streams) -> bool {
    let announced = |status: &str| {
        let texts = if stdout.is_cut { &[stderr][..] } else { &[stdout, stderr] };
        texts.iter().flat_map(|text| text.lines()).filter(|line| line.starts_with(status)).count()
    };
    match (announced("     Running "), announced("   Doc-tests ")) {
        _ if stderr.is_cut => false,
        (0, 0) => !stdout.is_cut,
        (binaries, 0) => ended == binaries,
        // The documentation of one crate may be tested in several batches.
        (binaries, crates) => !stdout.is_cut && ended >= binaries + crates,
    }
}

/// Reads what `framework` has printed on standard output and on standard error; `None` if there are no counts or they are uncertain.
///
/// If output was cut, summaries at its end are read, but not counts that would have to include the missing part.
#[must_use]
pub fn read_counts(framework: Framework, output: [&Captured; 2]) -> Option<Counts> {
    framework.read(&Streams::new(output)).counts()
}

/// The tests that `framework` names in what it has printed.
///
/// Many print only the names of the tests that fail, unless they are asked for more. So the names are for people, and a
/// sentence like "3 of 7 new tests" is only written if the names agree with the counts ([`TestNames::agree_with`]).
#[must_use]
pub fn read_names(framework: Framework, printed: &[u8]) -> TestNames {
    framework.names_in(&clean(printed))
}

/// A suite, or a test with others in it, around the lines that follow.
struct Suite<'t> {
    indent: usize,
    name: &'t str,
    /// Whether its name comes again at its end, in a line like that of a test.
    comes_again: bool,
}

impl Framework {
    /// The tests that it names in a text.
    ///
    /// The groups of a pattern say what it has found: a `test` and what is `said` of it, perhaps on a later line; a `suite` around the
    /// lines that are indented further, or one that `begins` and ends; a file that is `unloaded`; a list of tests that have `failed`;
    /// and the `end`.
    pub(in crate::suite) fn names_in(self, text: &str) -> TestNames {
        let text = if self == Self::Go {
            Cow::Owned(go::lines(text).unwrap_or_default())
        } else {
            Cow::Borrowed(text)
        };
        let patterns = &PATTERNS[self as usize].tests;
        let (mut names, mut suites, mut waits) = (TestNames::default(), Vec::<Suite<'_>>::new(), None);
        for (_, rest) in line_starts(&text) {
            let Some(found) = patterns.iter().find_map(|pattern| pattern.captures(rest)) else { continue };
            let group = |name| group(&found, name);
            let indent = group("indent").map_or(0, str::len);
            if let Some(name) = group("suite").or(group("begins")) {
                suites.retain(|suite| suite.indent < indent);
                suites.push(Suite { indent, name: name.trim_end(), comes_again: group("begins").is_some() });
            } else if let Some(file) = group("unloaded") {
                names.add(file, TestOutcome::NotLoaded);
            } else if let Some(list) = group("failed") {
                list.lines().for_each(|name| names.add(name.trim(), TestOutcome::Failed));
            } else if group("end").is_some() {
                break;
            }
            if let Some(test) = group("test") {
                suites.retain(|suite| suite.indent <= indent);
                let ended = suites.pop_if(|suite| suite.indent == indent);
                if ended.is_some_and(|suite| suite.comes_again && suite.name == test) {
                    continue;
                }
            }
            let named = group("test").map(|test| match group("class") {
                // Before Python 3.11, what is in brackets does not contain the method.
                Some(class) if class.ends_with(&format!(".{test}")) => class.to_owned(),
                Some(class) => format!("{class}.{test}"),
                None => {
                    let path: Vec<&str> = suites.iter().map(|suite| suite.name).chain([test]).collect();
                    path.join(if self == Self::Jest { " › " } else { " > " })
                }
            });
            match (named.or_else(|| waits.take()), group("said").map(TestOutcome::of_word)) {
                (Some(name), Some(Some(outcome))) => names.add(name, outcome),
                (name, None) => waits = name,
                _ => {}
            }
        }
        names
    }
}
