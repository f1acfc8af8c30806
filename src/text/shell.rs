//! Quotes words of shell commands in advice, so that people can copy them.

/// A word as a POSIX shell reads it, in quotes if necessary.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%,=:".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::shell_word;

    #[test]
    fn a_word_is_quoted_only_if_a_shell_would_change_it() {
        let cases = [
            ("src/a-b_c.rs", "src/a-b_c.rs"),
            (":/a", ":/a"),
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", r"'it'\''s'"),
            ("$(x)", "'$(x)'"),
            ("ü", "'ü'"),
        ];
        for (word, expected) in cases {
            assert_eq!(shell_word(word), expected);
        }
    }
}
