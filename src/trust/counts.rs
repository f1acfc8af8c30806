//! Compares the number of tests that ran with the number before the task.

use crate::record::Counts;

/// Whether the plan allows a task to change tests that the task did change. Then fewer tests, and more skipped ones, are
/// what the plan wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestChanges {
    /// They are allowed.
    Allowed,
    /// Nothing in the plan allows them.
    NotAllowed,
}

/// What is wrong with the number of tests of commands that have all passed, as clauses. `base` is the number before the
/// task, if it is known.
#[must_use]
pub fn wrong_counts(now: Counts, base: Option<Counts>, changes: TestChanges) -> Vec<String> {
    if now.passed == 0 && now.failed == 0 {
        return vec![match now.skipped {
            0 => "No test ran".to_owned(),
            skipped => format!("No test ran, because all were skipped ({skipped} skipped)"),
        }];
    }
    let Some(base) = base.filter(|_| changes == TestChanges::NotAllowed) else { return Vec::new() };
    let fewer = (now.total() < base.total()).then(|| {
        format!("There are fewer tests than before the task ({} instead of {})", now.total(), base.total())
    });
    let skipped = (now.skipped > base.skipped).then(|| {
        format!("More tests are skipped than before the task ({} instead of {})", now.skipped, base.skipped)
    });
    fewer.into_iter().chain(skipped).collect()
}

/// What is wrong if commands that have all passed do not say how many tests ran, as a clause. A program that ends the test
/// process with success leaves such a silence.
#[must_use]
pub fn missing_counts(base: Option<Counts>, changes: TestChanges) -> Option<String> {
    let before = base.filter(|_| changes == TestChanges::NotAllowed)?;
    Some(format!(
        "The tests do not say how many of them ran, as they did before the task ({})",
        before.total()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts(passed: u32, failed: u32, skipped: u32) -> Counts {
        Counts { passed, failed, skipped }
    }

    #[test]
    fn silence_is_wrong_where_there_was_a_count() {
        assert_eq!(missing_counts(None, TestChanges::NotAllowed), None);
        assert_eq!(missing_counts(Some(counts(3, 1, 1)), TestChanges::Allowed), None);
        let missing = missing_counts(Some(counts(3, 1, 1)), TestChanges::NotAllowed).unwrap();
        assert!(missing.ends_with("before the task (5)"), "{missing}");
    }

    #[test]
    fn fewer_tests_and_more_skipped_ones_are_wrong_unless_the_plan_allows_it() {
        let base = Some(counts(3, 1, 1));
        let cases = [
            (counts(5, 0, 0), base, TestChanges::NotAllowed, vec![]),
            (counts(9, 0, 1), base, TestChanges::NotAllowed, vec![]),
            (
                counts(3, 0, 1),
                base,
                TestChanges::NotAllowed,
                vec!["There are fewer tests than before the task (4 instead of 5)"],
            ),
            (
                counts(3, 0, 2),
                base,
                TestChanges::NotAllowed,
                vec!["More tests are skipped than before the task (2 instead of 1)"],
            ),
            (counts(1, 0, 2), base, TestChanges::Allowed, vec![]),
            (counts(1, 0, 2), None, TestChanges::NotAllowed, vec![]),
            (counts(0, 0, 0), None, TestChanges::Allowed, vec!["No test ran"]),
            (
                counts(0, 0, 4),
                base,
                TestChanges::Allowed,
                vec!["No test ran, because all were skipped (4 skipped)"],
            ),
        ];
        for (now, base, changes, expected) in cases {
            assert_eq!(wrong_counts(now, base, changes), expected, "{now:?}");
        }
    }
}
