//! What is measured other than lines: branches and functions.

use std::collections::BTreeMap;
use std::iter::Sum;

/// How many of some things the tests have reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ratio {
    /// How many they have reached; never more than `total`.
    pub covered: u64,
    /// How many there are.
    pub total: u64,
}

impl Ratio {
    /// `covered` of `total`; what is covered and not there does not count.
    #[must_use]
    pub fn new(covered: u64, total: u64) -> Self {
        Self { covered: covered.min(total), total }
    }

    /// One thing that is covered or not.
    #[must_use]
    pub fn one(covered: bool) -> Self {
        Self { covered: u64::from(covered), total: 1 }
    }

    /// The share that is covered, in per cent; unknown if there is nothing to cover.
    #[must_use]
    pub fn percent(self) -> Option<f64> {
        // Counts of code are far below the 2^53 from which on a float is no longer exact.
        #[allow(clippy::cast_precision_loss)]
        (self.total > 0).then(|| self.covered as f64 * 100.0 / self.total as f64)
    }

    /// The same things, measured by two runs. Which of them each run has reached is not known, so this is the least that
    /// both together have reached.
    fn or(self, other: Self) -> Self {
        Self::new(self.covered.max(other.covered), self.total.max(other.total))
    }
}

impl Sum for Ratio {
    fn sum<I: Iterator<Item = Self>>(ratios: I) -> Self {
        ratios.fold(Self::default(), |sum, ratio| Self {
            covered: sum.covered.saturating_add(ratio.covered),
            total: sum.total.saturating_add(ratio.total),
        })
    }
}

/// One branch or function of a file, or several that a report does not tell apart.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Part {
    /// Its line.
    pub line: u32,
    /// What distinguishes it from the others of its line; the same in all reports of one format.
    pub name: Box<str>,
}

/// The branches or the functions of one file; nothing at all if the report does not count them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts(BTreeMap<Part, Ratio>);

impl Parts {
    /// Adds a part, or what another run has found out about it. Code that a tool has generated may be on line 0; it is
    /// counted with the first line.
    pub fn add(&mut self, line: u32, name: impl Into<Box<str>>, ratio: Ratio) {
        self.note(Part { line: line.max(1), name: name.into() }, ratio);
    }

    fn note(&mut self, part: Part, ratio: Ratio) {
        let known = self.0.entry(part).or_default();
        *known = known.or(ratio);
    }

    /// Adds what another report says about the same file.
    pub fn merge(&mut self, other: Self) {
        other.0.into_iter().for_each(|(part, ratio)| self.note(part, ratio));
    }

    /// All parts together; `None` if there are none.
    #[must_use]
    pub fn ratio(&self) -> Option<Ratio> {
        (!self.0.is_empty()).then(|| self.0.values().copied().sum())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_is_a_percentage_unless_there_is_nothing_to_cover() {
        assert_eq!(Ratio::new(3, 4).percent(), Some(75.0));
        assert_eq!(Ratio::new(0, 0).percent(), None);
        assert_eq!(Ratio::new(9, 4), Ratio { covered: 4, total: 4 });
        assert_eq!(
            [Ratio::new(u64::MAX, u64::MAX), Ratio::one(true)].into_iter().sum::<Ratio>().total,
            u64::MAX
        );
    }

    #[test]
    fn two_runs_together_cover_what_either_covers() {
        let run = |first, second| {
            let mut parts = Parts::default();
            parts.add(1, "a", Ratio::one(first));
            parts.add(1, "b", Ratio::one(second));
            parts
        };
        let mut both = run(true, false);
        both.merge(run(false, true));
        assert_eq!(both.ratio(), Some(Ratio::new(2, 2)));
        // Three of four branches in each run may be the same three.
        let mut unnamed = Parts::default();
        unnamed.add(1, "", Ratio::new(3, 4));
        unnamed.merge(unnamed.clone());
        assert_eq!(unnamed.ratio(), Some(Ratio::new(3, 4)));
    }
}
