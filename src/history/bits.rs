//! A set of small numbers, stored as a bitmap that grows on demand.

/// A set of numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Bits(Vec<u64>);

impl Bits {
    pub(super) fn contains(&self, number: usize) -> bool {
        self.0.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    pub(super) fn insert(&mut self, number: usize) {
        if self.0.len() <= number / 64 {
            self.0.resize(number / 64 + 1, 0);
        }
        self.0[number / 64] |= 1 << (number % 64);
    }

    /// The union of both sets, stored in the memory of the larger one.
    #[must_use]
    pub(super) fn union(self, other: Self) -> Self {
        let (mut all, few) = if self.0.len() < other.0.len() { (other, self) } else { (self, other) };
        all.0.iter_mut().zip(few.0).for_each(|(word, more)| *word |= more);
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_union_has_what_either_has_and_nothing_else() {
        let set = |numbers: &[usize]| {
            let mut bits = Bits::default();
            numbers.iter().for_each(|&number| bits.insert(number));
            bits
        };
        let union = set(&[0, 63, 64]).union(set(&[1, 1000]));
        let found: Vec<_> = (0..2000).filter(|&number| union.contains(number)).collect();
        assert_eq!(found, [0, 1, 63, 64, 1000]);
        assert!(!Bits::default().contains(5));
    }
}
