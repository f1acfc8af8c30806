//! How much information a text carries (Shannon, 1948).

/// The information of a text in bits, given how often each of its characters occurs. For a bit per character, divide by
/// their number.
pub(crate) fn information(counts: impl Iterator<Item = u32> + Clone) -> f64 {
    let total = counts.clone().sum();
    let bits = |count| f64::from(count) * (log2(total) - log2(count));
    counts.filter(|count| *count > 0).map(bits).sum()
}

/// The binary logarithm. The one of the standard library would be the only reason to load the system's library of
/// mathematics at every start.
fn log2(number: u32) -> f64 {
    let whole = number.ilog2();
    let mut rest = f64::from(number) / f64::from(1_u32 << whole);
    let (mut log, mut digit) = (f64::from(whole), 1.0);
    for _ in 0..40 {
        digit /= 2.0;
        rest *= rest;
        if rest >= 2.0 {
            rest /= 2.0;
            log += digit;
        }
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_are_those_of_the_standard_library() {
        for number in (1..5000).chain([u32::MAX - 1, u32::MAX, 1 << 31]) {
            assert!((log2(number) - f64::from(number).log2()).abs() < 1e-9, "{number}");
        }
    }

    #[test]
    fn equally_frequent_characters_carry_the_logarithm_of_their_number() {
        assert_eq!(information([].into_iter()), 0.0);
        assert_eq!(information([7, 0].into_iter()), 0.0);
        assert_eq!(information([1; 8].into_iter()), 24.0);
        assert_eq!(information([5, 5].into_iter()), 10.0);
        assert_eq!(information([2, 1, 1].into_iter()), 6.0);
    }
}
