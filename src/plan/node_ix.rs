//! Defines the place of a node in its tree, and sets of such places.

/// The place of a node in its tree, depth first: a parent comes before its children, and everything below a
/// node follows it without a gap. Comparing two of them compares their places. Only valid for the tree it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeIx(u32);

impl NodeIx {
    /// The place with this number. A file would have to exceed 100 GB for this to overflow.
    pub(super) fn new(position: usize) -> Self {
        Self(u32::try_from(position).unwrap_or(u32::MAX))
    }

    /// The position in the list of all nodes, from 0 and without gaps, so that it can be the index of another list.
    pub fn position(self) -> usize {
        self.0 as usize
    }
}

/// A set of small numbers, such as the positions of nodes.
#[derive(Clone, Debug, Default)]
pub struct NumberSet(Vec<u64>);

impl NumberSet {
    /// Adds a number.
    pub fn insert(&mut self, number: usize) {
        if self.0.len() <= number / 64 {
            self.0.resize(number / 64 + 1, 0);
        }
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// Adds all numbers of another set.
    pub fn extend(&mut self, other: &Self) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (own, other) in self.0.iter_mut().zip(&other.0) {
            *own |= other;
        }
    }

    /// Whether it has a number.
    pub fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|bits| bits >> (number % 64) & 1 == 1)
    }

    /// Its numbers, the largest first.
    pub fn descending(&self) -> impl Iterator<Item = usize> {
        (0..self.0.len() * 64).rev().filter(|number| self.contains(*number))
    }
}
