//! Did-you-mean: which known word somebody may have meant.

/// The word among `known` that `wanted` is most likely a slip of; never `wanted` itself.
///
/// Case, separators and leading zeros count least (`t-1` is near `T001`), then single slips of the keyboard.
/// Words that differ only in digits are different numbers, not slips: `T042` is not near `T041`.
pub(super) fn nearest<'k>(wanted: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    let allowed = (wanted.chars().count() / 3).min(3);
    let form = normal(wanted);
    let mut best: Option<(usize, &str)> = None;
    for candidate in known.filter(|candidate| *candidate != wanted) {
        let distance = if normal(candidate) == form {
            0
        } else if candidate.len().abs_diff(wanted.len()) > allowed || other_number(wanted, candidate) {
            continue;
        } else {
            strsim::osa_distance(wanted, candidate)
        };
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The word without what people forget or add: case, separators, leading zeros.
fn normal(word: &str) -> String {
    let mut out = String::with_capacity(word.len());
    let mut in_number = false;
    for c in word.chars().filter(|c| c.is_alphanumeric()) {
        if c != '0' || in_number {
            out.extend(c.to_lowercase());
        }
        in_number = c.is_ascii_digit() && (in_number || c != '0');
    }
    out
}

/// Whether the two differ only in their digits.
fn other_number(a: &str, b: &str) -> bool {
    let letters = |word: &str| word.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    let has_digit = |word: &str| word.bytes().any(|b| b.is_ascii_digit());
    has_digit(a) && has_digit(b) && letters(a) == letters(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_other_numbers_are_not() {
        let known = ["T001", "T010", "phase1", "setup-database", "depends_on"];
        let cases = [
            ("t001", Some("T001")),
            ("T1", Some("T001")),
            ("T-001", Some("T001")),
            ("T0O1", Some("T001")),
            ("T10", Some("T010")),
            ("pahse1", Some("phase1")),
            ("setup-databse", Some("setup-database")),
            ("dependsOn", Some("depends_on")),
            ("T042", None),
            ("phase2", None),
            ("T001", None),
            ("", None),
            ("anything", None),
        ];
        for (wanted, found) in cases {
            assert_eq!(nearest(wanted, known.into_iter()), found, "{wanted}");
        }
    }
}
