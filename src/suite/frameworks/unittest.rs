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

    let all: Vec<&str> = lines.lines().collect();
    let is_rule = |line: &str| line.len() == 70 && line.bytes().all(|byte| byte == b'=');
    let below_rule = all.windows(2).filter(|pair| is_rule(pair[0])).map(|pair| pair[1]);
    let headings =
        below_rule.filter_map(|line| line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: ")));
    let (fixtures, of_tests): (Vec<&str>, Vec<&str>) = headings.partition(|name| {
        let starts = ["setUpClass (", "setUpModule (", "tearDownClass (", "tearDownModule ("];
        starts.iter().any(|start| name.starts_with(start))
    });
    let count = |number: usize| u32::try_from(number).ok();
    if count(fixtures.len() + of_tests.len())? != said("failures")?.checked_add(said("errors")?)? {
        return None;
    }
    // Subtests count as one test.
    let failed_tests: HashSet<_> = of_tests.iter().map(|name| name.split(')').next()).collect();
    let failed_tests = count(failed_tests.len())?;
    let successes = all.iter().map(|line| match line.bytes().all(|byte| b".FEsxu".contains(&byte)) {
        true => line.matches('.').count(),
        false => usize::from(line.ends_with(" ... ok")),
    });
    let successes = count(successes.sum())?;
    // Every skipped test may or may not have been counted as run.
    let most = [failed_tests, expected, unexpected].into_iter().try_fold(ran, u32::checked_sub)?;
    let least = most.saturating_sub(skipped);
    let passed = match is_cut {
        false if (least..=most).contains(&successes) => successes,
        true if least < most => return None,
        // The progress is mixed with other output: most skipped tests do count as run.
        _ => least,
    };
    let failed = failed_tests.checked_add(unexpected)?.checked_add(count(fixtures.len())?)?;
    Some((Counts { passed, failed, skipped: skipped.checked_add(expected)? }, ran))
}
