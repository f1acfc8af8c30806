//! Quotes words of shell commands in advice, so that people can copy them.

/// A word as a POSIX shell reads it, in quotes if necessary.
pub(crate) fn shell_word(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "/._-+@%,=:".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

/// A path from the top of the work tree, as a pathspec that means this path in every folder, without the option
/// `--literal-pathspecs`.
pub(crate) fn pathspec_word(path: &str) -> String {
    let begins_plainly = path.starts_with(|c: char| c.is_alphanumeric() || "._".contains(c));
    let is_pattern = path.contains(['*', '?', '[', '\\']);
    let magic = if begins_plainly && !is_pattern { ":/" } else { ":(top,literal)" };
    shell_word(&format!("{magic}{path}"))
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

    use super::pathspec_word;

    #[test]
    fn a_path_begins_at_the_top_and_is_no_pattern() {
        let cases = [
            ("src/b.rs", ":/src/b.rs"),
            ("a b", "':/a b'"),
            ("x[1]", "':(top,literal)x[1]'"),
            ("!x", "':(top,literal)!x'"),
            (":x", "':(top,literal):x'"),
        ];
        for (path, expected) in cases {
            assert_eq!(pathspec_word(path), expected);
        }
    }
}
