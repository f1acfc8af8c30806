//! Lists and numbers of things in messages.

/// How many names are shown.
const SHOWN: usize = 8;

/// A few of these names, and how many more there are.
pub(crate) fn listed(names: &[String]) -> String {
    let first =
        names.iter().take(SHOWN).map(|name| crate::text::one_line(name)).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// A number of things: `1 task`, `2 tasks`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::listed;

    #[test]
    fn a_long_list_is_shortened_and_says_how_many_are_missing() {
        let names: Vec<String> = (1..=10).map(|number| number.to_string()).collect();
        assert_eq!(listed(&names), "1, 2, 3, 4, 5, 6, 7, 8 and 2 more");
        assert_eq!(listed(&names[..2]), "1, 2");
    }
}
