//! How much information a text carries (Shannon, 1948).

use std::collections::HashMap;

/// The information of all characters of a text, in bits: nothing if they are all the same.
pub(crate) fn information(text: &str) -> f64 {
    let mut counts = HashMap::new();
    text.chars().for_each(|c| *counts.entry(c).or_insert(0_u32) += 1);
    let total = counts.values().sum();
    counts.values().map(|count| f64::from(*count) * (log2(total) - log2(*count))).sum()
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
        for (text, bits) in
            [("", 0.0), ("aaaaaaa", 0.0), ("abcdefgh", 24.0), ("aaaaabbbbb", 10.0), ("aabc", 6.0)]
        {
            assert!((information(text) - bits).abs() < 1e-9, "{text}");
        }
    }
}
