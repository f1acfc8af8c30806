//! Counts the tests of unittest. It does not say how many tests passed, and the number that ran is not the sum of the others: a test
//! may fail in several subtests, a class may fail or be skipped before any of its tests starts. So the headings of the failures show
//! which tests failed, and the progress (`..F.` or `... ok`) decides if skipped classes make the answer ambiguous.

use std::collections::HashSet;

use regex_lite::Captures;

use crate::suite::Counts;

/// The counts of a run with these lines before its summary, and how many tests ran.
pub(super) fn counted(lines: &str, summary: &Captures<'_>, is_cut: bool) -> Option<(Counts, u32)> {
    let list = summary.name("list")?.as_str().trim_start_matches(" (").trim_end_matches(')');
    let said = |what: &str| -> Option<u32> {
        let count = list.split(", ").find_map(|item| item.strip_prefix(what)?.strip_prefix('='));
        count.map_or(Some(0), |count| count.parse().ok())
    };
    let (skipped, expected, unexpected) =
        (said("skipped")?, said("expected failures")?, said("unexpected successes")?);
    let ran: u32 = summary["ran"].parse().ok()?;

    let (mut headings, mut repeated, mut successes, mut above) = (0, 0, 0_u32, "");
    let mut failed_tests = HashSet::new();
    for line in lines.lines() {
        let heading = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "));
        if let Some(name) = heading.filter(|_| above.len() == 70 && above.bytes().all(|b| b == b'=')) {
            headings += 1;
            let is_fixture = ["setUp", "tearDown"].iter().any(|word| {
                name.starts_with(&format!("{word}Class (")) || name.starts_with(&format!("{word}Module ("))
            });
            // Subtests count as one test.
            if !is_fixture && !failed_tests.insert(name.split(')').next()) {
                repeated += 1;
            }
        } else if line.bytes().all(|b| b".FEsxu".contains(&b)) {
            let dots = line.bytes().filter(|&b| b == b'.').count();
            successes = successes.saturating_add(u32::try_from(dots).unwrap_or(u32::MAX));
        } else if line.ends_with(" ... ok") {
            successes = successes.saturating_add(1);
        }
        above = line;
    }
    if headings != said("failures")?.checked_add(said("errors")?)? {
        return None;
    }
    // Every skipped test may or may not have been counted as run.
    let failed_tests = u32::try_from(failed_tests.len()).ok()?;
    let most = [failed_tests, expected, unexpected].into_iter().try_fold(ran, u32::checked_sub)?;
    let least = most.saturating_sub(skipped);
    let passed = match is_cut {
        false if (least..=most).contains(&successes) => successes,
        true if least < most => return None,
        // The progress is mixed with other output: most skipped tests do count as run.
        _ => least,
    };
    // A test with subtests was one before it failed in several of them, and is one when it passes again.
    let failed = headings.checked_add(unexpected)?.saturating_sub(repeated);
    Some((Counts { passed, failed, skipped: skipped.checked_add(expected)? }, ran))
}
