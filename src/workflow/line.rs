//! Reads single lines of what agents print, whatever Markdown is around them.

/// What may surround a phrase without changing it: a heading mark, emphasis, code, a full stop or exclamation mark.
const AROUND: [char; 6] = ['#', '_', '.', '!', ' ', '\t'];

/// A line without the Markdown around it and in it. A quotation, an item of a list, struck-out words and a question are
/// something else.
pub(super) fn plain(line: &str) -> String {
    line.replace(['*', '`'], "").trim().trim_matches(AROUND).to_owned()
}

/// Whether a line is this phrase alone, in capital or small letters.
pub(super) fn is_alone(line: &str, phrase: &str) -> bool {
    plain(line).eq_ignore_ascii_case(phrase)
}

/// The last line of a text that is not empty. The only line between two fences at its end is its last line.
pub(super) fn last_line(text: &str) -> Option<&str> {
    let mut lines = text.lines().rev().filter(|line| !line.trim().is_empty());
    let last = lines.next()?;
    if !is_fence(last) {
        return Some(last);
    }
    let inside = lines.next();
    inside.filter(|_| lines.next().is_some_and(is_fence)).or(Some(last))
}

/// Whether a line begins or ends a block of code.
pub(super) fn is_fence(line: &str) -> bool {
    ["```", "~~~"].iter().any(|fence| line.trim_start().starts_with(fence))
}

/// Whether these words only fill a place in which there is nothing to say.
pub(super) fn is_none(words: &str) -> bool {
    const NONE: [&str; 7] = ["", "no", "none", "nothing", "no one", "n/a", "-"];
    let plain = words.trim().trim_end_matches('.').to_ascii_lowercase();
    NONE.contains(&plain.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_phrase_is_known_whatever_markdown_is_around_it() {
        for line in [
            "APPROVED",
            "approved",
            "**APPROVED**",
            "## APPROVED",
            "`APPROVED`",
            "APPROVED.",
            "__Approved.__",
        ] {
            assert!(is_alone(line, "APPROVED"), "{line}");
        }
        for line in [
            "APPROVED?",
            "> APPROVED",
            "- APPROVED",
            "NOT APPROVED",
            "APPROVED, but",
            "~~APPROVED~~",
            "\"APPROVED\"",
            "APPROVED or REJECTED",
            "",
            "- [ ] APPROVED",
            "(APPROVED)",
        ] {
            assert!(!is_alone(line, "APPROVED"), "{line}");
        }
    }

    #[test]
    fn only_a_fence_around_a_single_line_is_looked_through() {
        for (text, last) in [
            ("a\n\nb\n\n", Some("b")),
            ("a\n```\nb\n```\n", Some("b")),
            ("```text\n\nb\n\n```", Some("b")),
            ("```\na\nb\n```", Some("```")),
            ("b\n```", Some("```")),
            (" \n", None),
        ] {
            assert_eq!(last_line(text), last, "{text}");
        }
    }
}
