//! Reads the Test Anything Protocol, as bats, tape and other programs print it: the plan `1..3`, and as many lines
//! `ok 1 - name` or `not ok 2 - name`, numbered from 1, before or after it. Tests inside of tests are indented, and their
//! outcome is that of the outer one.

use super::reading::{FrameworkRun, Reading, number};
use crate::suite::output::{Completeness, Text};
use crate::suite::{Counts, TestNames, TestOutcome};

pub(super) fn counts(text: &Text) -> Reading {
    let mut runs = Vec::new();
    let mut is_sure = text.completeness() == Completeness::Whole;
    // What has been read of the run that has not ended.
    let (mut planned, mut seen, mut counts) = (None, 0, Counts::ZERO);
    for (at, line) in text.lines().enumerate() {
        if line.starts_with("Bail out!") {
            is_sure &= planned.is_none() && seen == 0;
        } else if let Some(number) = line.strip_prefix("1..").and_then(number_planned) {
            is_sure &= planned.is_none();
            planned = Some(number);
        } else if let Some(point) = point(line).filter(|point| planned.is_some() || !point.may_be_prose()) {
            seen += 1;
            is_sure &= point.number.is_none_or(|number| number == seen);
            point.outcome.count_in(&mut counts);
        } else {
            continue;
        }
        if planned == Some(seen) {
            runs.push(FrameworkRun { counts, at: Some(text.place(at)) });
            (planned, seen, counts) = (None, 0, Counts::ZERO);
        }
    }
    match Reading::of(runs) {
        // Without a plan, such lines are prose.
        Reading::Absent if planned.is_none() => Reading::Absent,
        reading if is_sure && planned.is_none() && seen == 0 => reading,
        _ => Reading::Unsure,
    }
}

/// The number in `1..3`, or in `1..0 # SKIP why`.
fn number_planned(rest: &str) -> Option<u32> {
    number(rest.split_once(" # ").map_or(rest, |(number, _)| number).trim_end())
}

/// A line such as `not ok 2 - name # TODO why`.
pub(super) struct Point<'l> {
    pub(super) number: Option<u32>,
    /// What follows the number, without the directive. Most programs put a hyphen before the name.
    pub(super) name: &'l str,
    pub(super) outcome: TestOutcome,
}

impl Point<'_> {
    /// Whether such a line has another meaning unless a plan was announced: `ok | 3 passed` is one of Deno.
    fn may_be_prose(&self) -> bool {
        self.number.is_none() && !self.name.starts_with("- ")
    }
}

/// Reads the line of a test. A name may contain `#`, too.
pub(super) fn point(line: &str) -> Option<Point<'_>> {
    let (rest, outcome) = match line.strip_prefix("ok") {
        Some(rest) => (rest, TestOutcome::Passed),
        None => (line.strip_prefix("not ok")?, TestOutcome::Failed),
    };
    let leaves_out = |directive: &str| {
        let word = directive.get(..4).unwrap_or_default();
        ["skip", "todo"].iter().any(|known| word.eq_ignore_ascii_case(known))
    };
    let directive =
        rest.match_indices(" # ").filter(|(at, mark)| leaves_out(&rest[at + mark.len()..])).last();
    let (rest, outcome) = directive.map_or((rest, outcome), |(at, _)| (&rest[..at], TestOutcome::Skipped));
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
    if rest.starts_with(char::is_whitespace) {
        // `ok  \tpackage\t0.1s` is a line of go.
        return None;
    }
    let (word, after) = rest.split_once(' ').unwrap_or((rest, ""));
    let number = number(word);
    Some(Point { number, name: if number.is_some() { after } else { rest }, outcome })
}

/// `not ok 2 - name`, or the same without the hyphen or the number.
pub(super) fn names(lines: &[&str], names: &mut TestNames) {
    let points = lines.iter().filter_map(|line| point(line)).filter(|point| !point.may_be_prose());
    for point in points.filter(|point| !point.name.is_empty()) {
        names.add(point.name.strip_prefix("- ").unwrap_or(point.name), point.outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directive_leaves_a_test_out_and_a_number_sign_in_its_name_does_not() {
        use TestOutcome::{Failed, Passed, Skipped};
        for (line, expected) in [
            ("ok 1 - adds", Some((Some(1), "- adds", Passed))),
            ("not ok 4 C# skips blanks", Some((Some(4), "C# skips blanks", Failed))),
            ("not ok 4 a # b # TODO see # 5", Some((Some(4), "a # b", Skipped))),
            ("ok 2 - waits # Skip no network", Some((Some(2), "- waits", Skipped))),
            ("ok 2 # skip", Some((Some(2), "", Skipped))),
            ("ok # skip", Some((None, "", Skipped))),
            ("ok", Some((None, "", Passed))),
            ("ok - adds", Some((None, "- adds", Passed))),
            ("ok  \texample.com/x\t0.1s", None),
            ("okay 1", None),
            ("not okay", None),
        ] {
            let found = point(line).map(|point| (point.number, point.name, point.outcome));
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn points_without_numbers_have_names_and_prose_has_none() {
        let output = "ok - adds\nnot ok - takes away # 2\nok | 3 passed\nok then\nnot ok 2 - last\n1..3\n";
        let mut named = TestNames::default();
        names(&output.lines().collect::<Vec<_>>(), &mut named);
        assert_eq!(named.with(TestOutcome::Passed).collect::<Vec<_>>(), ["adds"]);
        assert_eq!(named.with(TestOutcome::Failed).collect::<Vec<_>>(), ["last", "takes away # 2"]);
    }
}
