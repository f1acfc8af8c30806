//! Lines that were added to others.

use std::ops::Range;

/// Ranges of the lines of the new version that the old one does not have.
pub(super) struct Hunks {
    ranges: Vec<Range<usize>>,
}

impl Hunks {
    /// None if a line of the old version is missing. Blank lines do not matter.
    pub(super) fn between(old: &[Vec<u8>], new: &[Vec<u8>]) -> Option<Self> {
        let mut ranges: Vec<Range<usize>> = Vec::new();
        let mut old = old.iter().filter(|line| !line.is_empty()).peekable();
        for (at, line) in new.iter().enumerate() {
            if old.next_if(|next| *next == line).is_some() {
                continue;
            }
            match ranges.last_mut().filter(|range| range.end == at) {
                Some(range) => range.end += 1,
                None => ranges.push(at..at + 1),
            }
        }
        ranges.retain(|range| new[range.clone()].iter().any(|line| !line.is_empty()));
        old.next().is_none().then_some(Self { ranges })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Range<usize>> {
        self.ranges.iter()
    }
}
