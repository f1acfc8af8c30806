//! How many tests passed, failed and were skipped.

use std::iter::Sum;
use std::ops::Add;

use serde::{Deserialize, Serialize};

/// Sums over everything that ran; adding saturates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Counts {
    /// Tests that passed.
    pub passed: u32,
    /// Tests that failed, and errors.
    pub failed: u32,
    /// Tests that were not run, or were expected to fail and did.
    pub skipped: u32,
}

impl Counts {
    /// All tests, whether they ran or not.
    #[must_use]
    pub fn total(self) -> u32 {
        self.passed.saturating_add(self.failed).saturating_add(self.skipped)
    }

    /// The tests that ran.
    #[must_use]
    pub fn ran(self) -> u32 {
        self.passed.saturating_add(self.failed)
    }

    /// What is said of the tests that fail in a run. Those that fail although the task is tested are awaited from a later one.
    #[must_use]
    pub fn failing(is_tested: bool) -> &'static str {
        if is_tested { "awaited" } else { "failed" }
    }

    /// No test at all.
    pub const ZERO: Self = Self { passed: 0, failed: 0, skipped: 0 };
}

impl Add for Counts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            passed: self.passed.saturating_add(other.passed),
            failed: self.failed.saturating_add(other.failed),
            skipped: self.skipped.saturating_add(other.skipped),
        }
    }
}

impl Sum for Counts {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up_and_never_overflow() {
        let one = Counts { passed: 1, failed: 2, skipped: 3 };
        let most = Counts { passed: u32::MAX, failed: 0, skipped: u32::MAX - 3 };
        assert_eq!(
            [one, most].into_iter().sum::<Counts>(),
            Counts { passed: u32::MAX, failed: 2, skipped: u32::MAX }
        );
    }
}
