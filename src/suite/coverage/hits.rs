//! The executable lines of a file, and how often the tests have run them.

use std::collections::BTreeMap;

use super::measured::Ratio;

/// The executable lines of a file with the number of times that they have run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hits(BTreeMap<u32, u64>);

impl Hits {
    /// The greatest line that counts. No person has written a file of code with more lines, and a report of a few bytes
    /// must not make us note four billion lines.
    pub const LAST_LINE: u32 = 1_000_000;

    /// Adds runs of a line. There is no line 0, which some tools give to code that they have generated.
    pub fn add(&mut self, line: u32, runs: u64) {
        if (1..=Self::LAST_LINE).contains(&line) {
            let known = self.0.entry(line).or_default();
            *known = known.saturating_add(runs);
        }
    }

    /// Notes that a line has run at least this often: a line on which several things begin has run as often as the one that
    /// ran most often.
    pub fn at_least(&mut self, line: u32, runs: u64) {
        if (1..=Self::LAST_LINE).contains(&line) {
            let known = self.0.entry(line).or_default();
            *known = runs.max(*known);
        }
    }

    /// Adds the runs of another report.
    pub fn merge(&mut self, other: Self) {
        if self.0.is_empty() {
            *self = other;
        } else {
            other.0.into_iter().for_each(|(line, runs)| self.add(line, runs));
        }
    }

    /// The executable lines of a range, in order, each with the number of its runs.
    pub fn within(&self, range: std::ops::RangeInclusive<u32>) -> impl Iterator<Item = (u32, u64)> {
        let range = (!range.is_empty()).then(|| self.0.range(range));
        range.into_iter().flatten().map(|(line, runs)| (*line, *runs))
    }

    /// How many lines have run, of all executable ones; `None` if there are none.
    #[must_use]
    pub fn ratio(&self) -> Option<Ratio> {
        (!self.0.is_empty()).then(|| self.0.values().map(|runs| Ratio::one(*runs > 0)).sum())
    }
}

/// How many ranges of lines are shown of one file.
const SHOWN: usize = 20;

/// Lines of a file for people: `src/a.py:3-5,9`. The lines are in increasing order.
pub(super) fn shown_lines(path: &str, lines: &[u32]) -> String {
    let runs = || lines.chunk_by(|one, next| one.checked_add(1) == Some(*next));
    let range = |run: &[u32]| match run {
        [only] => only.to_string(),
        [first, .., last] => format!("{first}-{last}"),
        [] => String::new(),
    };
    let shown: Vec<String> = runs().take(SHOWN).map(range).collect();
    let more = if runs().nth(SHOWN).is_some() { ",..." } else { "" };
    format!("{path}:{}{more}", shown.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_shown_as_ranges_and_long_lists_are_cut() {
        assert_eq!(shown_lines("a b.py", &[3, 4, 5, 9]), "a b.py:3-5,9");
        let many: Vec<u32> = (1..100).map(|number| number * 2).collect();
        let shown = shown_lines("a", &many);
        assert!(shown.ends_with("38,40,..."), "{shown}");
    }

    #[test]
    fn runs_add_up_and_lines_out_of_range_do_not_count() {
        let mut hits = Hits::default();
        for (line, runs) in [(0, 1), (3, u64::MAX), (3, 1), (5, 0), (u32::MAX, 1)] {
            hits.add(line, runs);
        }
        hits.at_least(5, 0);
        assert_eq!(hits.within(1..=u32::MAX).collect::<Vec<_>>(), [(3, u64::MAX), (5, 0)]);
        assert_eq!(hits.ratio(), Some(Ratio::new(1, 2)));
        assert_eq!(Hits::default().ratio(), None);
        #[allow(clippy::reversed_empty_ranges)]
        let none = hits.within(5..=3).count();
        assert_eq!(none, 0);
    }
}
