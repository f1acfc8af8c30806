//! Reads the Test Anything Protocol, as bats, tape and other programs print it: the plan `1..3`, and as many lines
//! `ok 1 - name` or `not ok 2 - name`, numbered from 1, before or after it. Tests inside of tests are indented, and their
//! outcome is that of the outer one.

use super::reading::{Place, Session};
use super::{Reading, tally};
use crate::suite::Counts;
use crate::suite::output::{Completeness, Text};

pub(super) fn read(text: &Text) -> Reading {
    let mut sessions = Vec::new();
    let mut run = Run::default();
    let mut is_sure = text.completeness() == Completeness::Whole;
    for (line, said) in text.lines().enumerate() {
        if said.starts_with("Bail out!") {
            is_sure &= run.is_empty();
        } else if let Some(planned) = said.strip_prefix("1..").and_then(planned) {
            is_sure &= run.planned.is_none();
            run.planned = Some(planned);
        } else if let Some((number, counts)) = point(said) {
            run.seen += 1;
            is_sure &= number.is_none_or(|number| number == run.seen);
            run.counts = run.counts + counts;
        } else {
            continue;
        }
        if run.planned == Some(run.seen) {
            let at = Some(Place { stream: text.stream(), line });
            sessions.push(Session { counts: std::mem::take(&mut run).counts, at });
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
struct Run {
    planned: Option<u32>,
    seen: u32,
    counts: Counts,
}

impl Run {
    fn is_empty(&self) -> bool {
        self.planned.is_none() && self.seen == 0
    }
}

/// The number in `1..3`, or in `1..0 # SKIP why`.
fn planned(rest: &str) -> Option<u32> {
    tally::number(rest.split_once(" # ").map_or(rest, |(number, _)| number).trim_end())
}

/// Number and outcome in `not ok 2 - name # TODO why`.
fn point(line: &str) -> Option<(Option<u32>, Counts)> {
    let (rest, is_ok) = match line.strip_prefix("ok") {
        Some(rest) => (rest, true),
        None => (line.strip_prefix("not ok")?, false),
    };
    let rest = if rest.is_empty() { rest } else { rest.strip_prefix(' ')? };
    let number = tally::number(rest.split(' ').next().unwrap_or_default());
    let directive = rest.rsplit_once("# ").map_or("", |(_, directive)| directive).to_ascii_lowercase();
    let is_left_out = ["skip", "todo"].iter().any(|word| directive.starts_with(word));
    let one = match (is_left_out, is_ok) {
        (true, _) => Counts { skipped: 1, ..Counts::ZERO },
        (false, true) => Counts { passed: 1, ..Counts::ZERO },
        (false, false) => Counts { failed: 1, ..Counts::ZERO },
    };
    Some((number, one))
}
