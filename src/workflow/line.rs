//! Reads single lines of what agents print: whether a line is a given phrase and nothing else, whatever Markdown is around it.

/// Labels before a phrase, in lower case.
const LABELS: [&str; 2] = ["verdict:", "final verdict:"];

/// What may stand around a phrase without changing it: emphasis, code, a full stop or exclamation mark.
const AROUND: [char; 7] = ['*', '_', '`', '.', '!', ' ', '\t'];

/// Whether a line is this phrase alone, in capital or small letters. Emphasis, a heading mark, the label `Verdict:`, a full
/// stop and an exclamation mark do not count. A quotation, an item of a list or a question is something else.
pub(super) fn is_alone(line: &str, phrase: &str) -> bool {
    let line = line.trim().trim_start_matches('#').trim_matches(AROUND);
    let label = LABELS.iter().find_map(|label| {
        let (head, rest) = line.split_at_checked(label.len())?;
        head.eq_ignore_ascii_case(label).then_some(rest)
    });
    let bare = label.unwrap_or(line).trim_matches(AROUND);
    bare.eq_ignore_ascii_case(phrase)
}

/// The last line of a text that is not empty.
pub(super) fn last_line(text: &str) -> Option<&str> {
    text.lines().rev().find(|line| !line.trim().is_empty())
}

/// Whether the last line of a text is this phrase alone.
pub(crate) fn last_line_is(text: &[u8], phrase: &str) -> bool {
    last_line(&crate::text::clean(text)).is_some_and(|last| is_alone(last, phrase))
}

/// The lines of a text after the last one that is this phrase alone.
pub(super) fn lines_below<'t>(text: &'t str, phrase: &str) -> Option<impl Iterator<Item = &'t str>> {
    let lines: Vec<&str> = text.lines().collect();
    let heading = lines.iter().rposition(|line| is_alone(line.trim_end_matches(':'), phrase))?;
    Some(lines.into_iter().skip(heading + 1))
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
            "APPROVED!",
            "__Approved.__",
            "Verdict: APPROVED",
            "**Verdict:** APPROVED",
            "**Verdict: APPROVED**",
            "### Final verdict: **APPROVED**.",
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
            "Verdicts: APPROVED",
            "",
            "- [ ] APPROVED",
            "(APPROVED)",
        ] {
            assert!(!is_alone(line, "APPROVED"), "{line}");
        }
    }
}
