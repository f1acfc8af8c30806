//! Counts the tests of the Test Anything Protocol, as bats, tape and other programs print it: the plan `1..3`, and as many lines
//! `ok 1 - name` or `not ok 2 - name`, numbered from 1, before or after it. Tests inside of tests are indented, and their
//! outcome is that of the outer one.

use std::sync::LazyLock;

use regex_lite::Regex;

use super::table::at_line_start;
use crate::suite::output::{Reading, Text, line_starts};
use crate::suite::{Counts, TestOutcome};

static PLAN: LazyLock<Regex> = LazyLock::new(|| at_line_start(r"1\.\.(?<planned>\d+) *(?: # .*)?$"));

/// `ok  \tpackage\t0.1s` is a line of go.
static POINT: LazyLock<Regex> = LazyLock::new(|| {
    at_line_start(
        r"(?<not>not )?ok(?: (?<number>\d+))?(?: (?<dash>- )?\S.*?)??(?<skip> # (?i:skip|todo).*)?$",
    )
});

pub(super) fn counts(text: &Text) -> Reading {
    let mut runs = Vec::new();
    let mut is_sure = !text.is_cut;
    // What has been read of the run that has not ended.
    let (mut planned, mut seen, mut counts) = (None, 0, Counts::ZERO);
    for (_, rest) in line_starts(text.as_str()) {
        if rest.starts_with("Bail out!") {
            is_sure &= planned.is_none() && seen == 0;
        } else if let Some(number) = PLAN.captures(rest).and_then(|plan| plan["planned"].parse().ok()) {
            is_sure &= planned.is_none();
            planned = Some(number);
        } else if let Some(point) = POINT.captures(rest)
            // `ok | 3 passed` has another meaning unless a plan was announced.
            && (planned.is_some() || point.name("number").or(point.name("dash")).is_some())
        {
            seen += 1;
            is_sure &= point.name("number").is_none_or(|number| number.as_str().parse() == Ok(seen));
            let outcome = match (point.name("skip"), point.name("not")) {
                (Some(_), _) => TestOutcome::Skipped,
                (None, Some(_)) => TestOutcome::Failed,
                (None, None) => TestOutcome::Passed,
            };
            outcome.count_in(&mut counts);
        } else {
            continue;
        }
        if planned == Some(seen) {
            // Node's own reporter ends with a plan right above its summary, which another row of the table reads.
            let mut remarks = rest.lines().skip(1).take_while(|line| line.starts_with("# "));
            if !remarks.any(|line| line.starts_with("# duration_ms ")) {
                runs.push(counts);
            }
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
