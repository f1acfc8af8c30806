//! Paths in git commands, for advice that people copy.

use super::shell::shell_word;

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
