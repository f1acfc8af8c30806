//! Reads the Test Anything Protocol, as bats, tape and other programs print it: the plan `1..3`, and as many lines
//! `ok 1 - name` or `not ok 2 - name`, numbered from 1, before or after it. Tests inside of tests are indented, and their
//! outcome is that of the outer one.

use super::reading::FrameworkRun;
use super::{Reading, reading};
use crate::suite::output::{Completeness, Text};
use crate::suite::{Counts, TestOutcome};

pub(super) fn read(text: &Text) -> Reading {
    let mut sessions = Vec::new();
    let mut run = TapRun::default();
    let mut is_sure = text.completeness() == Completeness::Whole;
    for (line, said) in text.lines().enumerate() {
        if said.starts_with("Bail out!") {
            is_sure &= run.is_empty();
        } else if let Some(planned) = said.strip_prefix("1..").and_then(planned) {
            is_sure &= run.planned.is_none();
            run.planned = Some(planned);
        } else if let Some(point) =
            // Without a number and a hyphen, such a line is prose, unless the plan was announced: `ok | 3 passed` is one of Deno.
            point(said).filter(|point| {
                point.number.is_some() || point.name.starts_with("- ") || run.planned.is_some()
            })
        {
            run.seen += 1;
            is_sure &= point.number.is_none_or(|number| number == run.seen);
            point.outcome.count_in(&mut run.counts);
        } else {
            continue;
        }
        if run.planned == Some(run.seen) {
            let at = Some(text.place(line));
            sessions.push(FrameworkRun { counts: std::mem::take(&mut run).counts, at });
        }
    }
    match Reading::of(sessions) {
        // Without a plan, such lines are prose.
        Reading::Absent if run.planned.is_none() => Reading::Absent,
        reading if is_sure && run.is_empty() => reading,
        _ => Reading::Unsure,
    }
}

/// The tests since the last complete run.
#[derive(Default)]
struct TapRun {
    planned: Option<u32>,
    seen: u32,
    counts: Counts,
}

impl TapRun {
    fn is_empty(&self) -> bool {
        self.planned.is_none() && self.seen == 0
    }
}

/// The number in `1..3`, or in `1..0 # SKIP why`.
fn planned(rest: &str) -> Option<u32> {
    reading::number(rest.split_once(" # ").map_or(rest, |(number, _)| number).trim_end())
}

/// A line such as `not ok 2 - name # TODO why`.
pub(in crate::suite) struct Point<'l> {
    pub(in crate::suite) number: Option<u32>,
    /// What follows the number, without the directive. Most programs put a hyphen before the name.
    pub(in crate::suite) name: &'l str,
    pub(in crate::suite) outcome: TestOutcome,
}

/// Reads the line of a test. A name may contain `#`, too.
pub(in crate::suite) fn point(line: &str) -> Option<Point<'_>> {
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
    let number = reading::number(word);
    Some(Point { number, name: if number.is_some() { after } else { rest }, outcome })
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
}
