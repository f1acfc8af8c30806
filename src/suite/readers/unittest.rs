//! Reads unittest: `Ran 3 tests in 0.001s` under a rule, and below it the verdict `FAILED (failures=1, skipped=1)`.
//!
//! It does not say how many tests passed, and the number that ran is not the sum of the others: a test may fail in
//! several subtests, a class may fail or be skipped before any of its tests starts. So the headings of the failures
//! show which tests failed, and the progress (`..F.` or `... ok`) decides if skipped classes make the answer ambiguous.

use std::collections::HashSet;

use super::reading::FrameworkRun;
use super::{Reading, reading};
use crate::suite::Counts;
use crate::suite::output::{Completeness, Text};

pub(super) fn read(text: &Text) -> Reading {
    let lines: Vec<&str> = text.lines().collect();
    let mut sessions = Vec::new();
    let mut run = UnittestRun::default();
    for (at, line) in lines.iter().enumerate() {
        let previous = if at == 0 { "" } else { lines[at - 1] };
        if is_rule(previous, b'-')
            && let Some(ran) = ran(line)
        {
            let verdict =
                lines.get(at + 2).filter(|_| lines[at + 1].is_empty()).and_then(|line| verdict(line));
            match verdict.and_then(|verdict| run.counts(ran, &verdict, text.completeness())) {
                Some(counts) => {
                    sessions.push(FrameworkRun { counts, at: Some(text.place(at)) });
                }
                None => return Reading::Unsure,
            }
            run = UnittestRun::default();
        } else if is_rule(previous, b'=') {
            run.heading(line);
        } else {
            run.progress(line);
        }
    }
    Reading::of(sessions)
}

/// The lines of one run before its summary.
#[derive(Default)]
struct UnittestRun<'t> {
    /// Headings `FAIL:` and `ERROR:`.
    failures: u32,
    errors: u32,
    /// The tests in these headings; subtests count as one test.
    failed_tests: HashSet<&'t str>,
    /// How many headings are about a test that another one names, too.
    repeated: u32,
    /// Tests whose success was reported as they ran.
    successes: u32,
}

/// The numbers of the verdict.
#[derive(Default)]
struct VerdictCounts {
    failures: u32,
    errors: u32,
    skipped: u32,
    expected_failures: u32,
    unexpected_successes: u32,
}

impl<'t> UnittestRun<'t> {
    /// `FAIL: test_x (module.Class.test_x) (i=1)`, or `ERROR: setUpClass (module.Class)`.
    fn heading(&mut self, line: &'t str) {
        let name = if let Some(name) = line.strip_prefix("FAIL: ") {
            self.failures += 1;
            name
        } else if let Some(name) = line.strip_prefix("ERROR: ") {
            self.errors += 1;
            name
        } else {
            return;
        };
        let fixtures = ["setUpClass (", "tearDownClass (", "setUpModule (", "tearDownModule ("];
        if !fixtures.iter().any(|fixture| name.starts_with(fixture)) {
            let is_new = self.failed_tests.insert(name.find(')').map_or(name, |end| &name[..end]));
            self.repeated += u32::from(!is_new);
        }
    }

    fn progress(&mut self, line: &str) {
        if line.bytes().all(|b| b".FEsxu".contains(&b)) {
            let dots = line.bytes().filter(|&b| b == b'.').count();
            self.successes = self.successes.saturating_add(u32::try_from(dots).unwrap_or(u32::MAX));
        } else if line.ends_with(" ... ok") {
            self.successes = self.successes.saturating_add(1);
        }
    }

    fn counts(&self, ran: u32, verdict: &VerdictCounts, progress: Completeness) -> Option<Counts> {
        if (self.failures, self.errors) != (verdict.failures, verdict.errors) {
            return None;
        }
        let failed_tests = u32::try_from(self.failed_tests.len()).ok()?;
        let settled = [failed_tests, verdict.expected_failures, verdict.unexpected_successes];
        // Every skipped test may or may not have been counted as run.
        let most = settled.into_iter().try_fold(ran, u32::checked_sub)?;
        let least = most.saturating_sub(verdict.skipped);
        let passed = match progress {
            Completeness::Whole if (least..=most).contains(&self.successes) => self.successes,
            // The progress is mixed with other output: most skipped tests do count as run.
            Completeness::Whole => least,
            Completeness::Cut if least == most => most,
            Completeness::Cut => return None,
        };
        let failed = [verdict.failures, verdict.errors, verdict.unexpected_successes];
        Some(Counts {
            passed,
            // A test with subtests was one before it failed in several of them, and is one when it passes again.
            failed: failed.into_iter().fold(0, u32::saturating_add).saturating_sub(self.repeated),
            skipped: verdict.skipped.saturating_add(verdict.expected_failures),
        })
    }
}

fn is_rule(line: &str, of: u8) -> bool {
    line.len() == 70 && line.bytes().all(|b| b == of)
}

/// The number in `Ran 3 tests in 0.001s`.
fn ran(line: &str) -> Option<u32> {
    let (count, time) = line.strip_prefix("Ran ")?.split_once(" in ")?;
    let count = count.strip_suffix(" tests").or_else(|| count.strip_suffix(" test"))?;
    if reading::is_seconds(time.strip_suffix('s')?) { reading::number(count) } else { None }
}

/// Reads `OK`, `OK (skipped=1)`, `FAILED (failures=1, errors=1)`, `NO TESTS RAN`.
fn verdict(line: &str) -> Option<VerdictCounts> {
    let (word, numbers) = match line.split_once(" (") {
        Some((word, numbers)) => (word, numbers.strip_suffix(')')?),
        None => (line, ""),
    };
    if !matches!(word, "OK" | "FAILED" | "NO TESTS RAN") {
        return None;
    }
    let mut verdict = VerdictCounts::default();
    for number in numbers.split(", ").filter(|number| !number.is_empty()) {
        let (what, count) = number.split_once('=')?;
        let slot = match what {
            "failures" => &mut verdict.failures,
            "errors" => &mut verdict.errors,
            "skipped" => &mut verdict.skipped,
            "expected failures" => &mut verdict.expected_failures,
            "unexpected successes" => &mut verdict.unexpected_successes,
            _ => return None,
        };
        *slot = reading::number(count)?;
    }
    Some(verdict)
}
