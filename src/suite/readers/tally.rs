//! Reads lists of numbers with words strictly, as in `2 failed, 1 skipped`.

/// The items of `list`, each a number and what it counts; `None` if any item is something else.
pub(super) fn items<'t>(list: &'t str, separator: &str) -> Option<Vec<(u32, &'t str)>> {
    list.split(separator).map(item).collect()
}

/// One item: digits, one space, words.
pub(super) fn item(text: &str) -> Option<(u32, &str)> {
    let (count, what) = text.split_once(' ')?;
    let worded = what.starts_with(|c: char| c.is_alphabetic());
    if worded { Some((number(count)?, what)) } else { None }
}

/// A number that consists only of digits.
pub(super) fn number(text: &str) -> Option<u32> {
    let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// A duration in seconds, as in `0.012`: digits, a point, digits.
pub(super) fn is_seconds(text: &str) -> bool {
    text.split_once('.').is_some_and(|(whole, part)| [whole, part].iter().all(|digits| is_digits(digits)))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_read_only_if_every_item_is_a_number_and_words() {
        assert_eq!(items("2 failed, 1 not run", ", "), Some(vec![(2, "failed"), (1, "not run")]));
        for bad in
            ["", "2", "failed", "2  failed", "-1 failed", "+1 failed", "2 failed, ", "99999999999 failed"]
        {
            assert_eq!(items(bad, ", "), None, "{bad:?}");
        }
    }

    #[test]
    fn seconds_have_a_point_between_digits() {
        assert!(is_seconds("0.01") && is_seconds("12.345"));
        for bad in ["", "1", "1.", ".5", "1.2.3", "1.2s", "-1.0"] {
            assert!(!is_seconds(bad), "{bad:?}");
        }
    }
}
