//! Compares the number of tests that ran with another one: that before the task, or the one that a step recorded.

use crate::record::{Check, Counts, Finding, Severity};
use crate::suite::{TestNames, TestOutcome, TestResults};
use crate::text::one_line;

/// What is wrong with commands that have all passed and none of whose tests ran, as a clause.
#[must_use]
pub fn no_test_ran(now: Counts) -> Option<String> {
    let Counts { passed: 0, failed: 0, skipped } = now else { return None };
    Some(match skipped {
        0 => "No test ran".to_owned(),
        skipped => format!("No test ran, because all were skipped ({skipped} skipped)"),
    })
}

/// What is wrong with the number of tests of commands that have all passed, as a clause. `base` is the number before the
/// task. That no test ran at all is said by [`no_test_ran`].
#[must_use]
pub fn fewer_tests(now: Counts, base: Counts) -> Option<String> {
    if no_test_ran(now).is_some() {
        return None;
    }
    // Where nothing could be loaded before, nothing is known of what was skipped.
    let was_loaded = base.passed > 0 || now.ran() < base.ran();
    let (seen, now, before) = if now.total() < base.total() {
        ("There are fewer tests", now.total(), base.total())
    } else if was_loaded && now.skipped > base.skipped {
        ("More tests are skipped", now.skipped, base.skipped)
    } else {
        return None;
    };
    Some(format!("{seen} than before the task ({now} instead of {before})"))
}

/// What is wrong if commands that have all passed do not say how many tests ran, as a clause. A program that ends the test
/// process with success leaves such a silence.
#[must_use]
pub fn missing_counts(before: Counts) -> String {
    format!("The tests do not say how many of them ran, as they did before the task ({})", before.total())
}

/// How many lost tests are named.
const NAMED: usize = 10;

/// The tests that passed before and do not any more, as far as names tell.
#[must_use]
pub fn passed_before(before: &TestNames, now: &TestNames) -> Vec<String> {
    let passes = |name: &&str| now.outcome_of(name) == Some(TestOutcome::Passed);
    // Without names, nothing is known about single tests.
    let gone = before.with(TestOutcome::Passed).filter(|name| !now.is_empty() && !passes(name));
    gone.take(NAMED).map(one_line).collect()
}

/// What is wrong with the number of tests on a commit: fewer than with the files that judge from before the change (`old`), or fewer
/// that pass than with the source from before it (`red`), as far as these were run. `old_passes` says that no test was weakened: then
/// tests that are gone may have been replaced by others.
#[must_use]
pub fn lost_tests(
    clean: &TestResults,
    old: Option<&TestResults>,
    red: Option<&TestResults>,
    old_passes: bool,
) -> Option<Finding> {
    let Some(now) = clean.counts() else {
        let before = [old, red].into_iter().flatten().filter_map(TestResults::counts);
        let before = before.filter(|counts| counts.total() > 0).max_by_key(|counts| counts.total())?;
        return Some(Finding::new(Check::Counts, Severity::Error, &missing_counts(before)));
    };
    let lost = |seen: &str, severity, before: &TestResults| {
        let names = passed_before(&before.names(), &clean.names());
        Finding::new(Check::FewerTests, severity, seen).at(names)
    };
    let with_red = red.and_then(|red| {
        let before = red.counts()?;
        let fewer = (now.passed < before.passed).then(|| {
            format!(
                "Fewer tests pass than with the source from before the task ({} instead of {})",
                now.passed, before.passed
            )
        });
        let skipped = (now.skipped > before.skipped && before.passed > 0).then(|| {
            format!(
                "More tests are skipped than with the source from before the task ({} instead of {})",
                now.skipped, before.skipped
            )
        });
        Some(lost(&fewer.or(skipped)?, Severity::Error, red))
    });
    with_red.or_else(|| {
        let old = old?;
        let severity = if old_passes { Severity::Warning } else { Severity::Error };
        Some(lost(&fewer_tests(now, old.counts()?)?, severity, old))
    })
}

/// A sentence that says how two counts differ, if both are known and do.
#[must_use]
pub fn counts_differ(recorded: Option<Counts>, clean: Option<Counts>) -> Option<String> {
    let (recorded, clean) = recorded.zip(clean)?;
    let words = |Counts { passed, failed, skipped }: Counts| {
        format!("{passed} passed, {failed} failed, {skipped} skipped")
    };
    (recorded != clean).then(|| {
        format!(
            "The test step recorded {}, but on its commit alone there are {}.",
            words(recorded),
            words(clean)
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u32, failed: u32, skipped: u32) -> Counts {
        Counts { passed, failed, skipped }
    }

    #[test]
    fn a_run_without_tests_is_wrong_however_many_there_were_before() {
        assert_eq!(no_test_ran(counts(0, 0, 0)).unwrap(), "No test ran");
        assert_eq!(
            no_test_ran(counts(0, 0, 4)).unwrap(),
            "No test ran, because all were skipped (4 skipped)"
        );
        assert_eq!(no_test_ran(counts(1, 0, 4)), None);
        assert_eq!(no_test_ran(counts(0, 1, 0)), None);
        assert_eq!(fewer_tests(counts(0, 0, 4), counts(4, 0, 0)), None);
    }

    #[test]
    fn fewer_tests_and_more_skipped_ones_are_wrong() {
        let cases = [
            (counts(5, 0, 0), None),
            (counts(9, 0, 1), None),
            (counts(3, 0, 1), Some("There are fewer tests than before the task (4 instead of 5)")),
            (counts(3, 0, 2), Some("More tests are skipped than before the task (2 instead of 1)")),
            (counts(1, 0, 3), Some("There are fewer tests than before the task (4 instead of 5)")),
        ];
        for (now, expected) in cases {
            assert_eq!(fewer_tests(now, counts(3, 1, 1)).as_deref(), expected, "{now:?}");
        }
    }

    #[test]
    fn only_known_counts_that_differ_are_named() {
        let counts = |passed, failed, skipped| Some(counts(passed, failed, skipped));
        assert_eq!(counts_differ(counts(1, 0, 0), counts(1, 0, 0)), None);
        assert_eq!(counts_differ(None, counts(1, 0, 0)), None);
        assert_eq!(counts_differ(counts(1, 0, 0), None), None);
        let told = counts_differ(counts(12, 0, 0), counts(11, 1, 2)).unwrap();
        let expected = "The test step recorded 12 passed, 0 failed, 0 skipped, but on its commit alone there are 11 passed, 1 failed, 2 skipped.";
        assert_eq!(told, expected);
    }
}
