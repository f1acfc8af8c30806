//! Reads single lines of what agents print, whatever Markdown is around them, and what a runner answers to the objections of a
//! review. Nothing else that it says reaches the next reviewer.

use std::collections::BTreeMap;

use super::worker_answer::{ANSWERS, NOTES, NOTHING_LEFT, is_heading};
use crate::text::clean;

/// The answers of a runner to the first `count` objections, by number: the numbered items below the last line that is
/// ANSWERS alone.
#[must_use]
pub fn answers(said: &[u8], count: usize) -> BTreeMap<usize, String> {
    let said = clean(said);
    let mut answers: BTreeMap<usize, String> = BTreeMap::new();
    let mut current = None;
    for line in lines_below(&said, ANSWERS).into_iter().flatten().map(str::trim) {
        if line == NOTHING_LEFT || is_heading(line, NOTES) {
            break;
        }
        match numbered(line) {
            Some((number, text)) => {
                current = Some(number).filter(|number| (1..=count).contains(number));
                if let Some(number) = current {
                    answers.insert(number, text.to_owned());
                }
            }
            None => {
                if let Some(answer) =
                    current.and_then(|number| answers.get_mut(&number)).filter(|_| !line.is_empty())
                {
                    answer.push(' ');
                    answer.push_str(line);
                }
            }
        }
    }
    answers.retain(|_, answer| !answer.trim().is_empty());
    answers
}

/// The number and the words of an item: `1. done`, `**2)** done`.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let bare = line.trim_start_matches(['*', '_', '-', ' ']);
    let digits = bare.len() - bare.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let text = bare[digits..].strip_prefix(['.', ')', ':'])?;
    Some((bare[..digits].parse().ok()?, text.trim_start_matches(['*', '_', ' '])))
}

/// Labels before a phrase, in lower case.
const LABELS: [&str; 2] = ["verdict:", "final verdict:"];

/// What may surround a phrase without changing it: emphasis, code, a full stop or exclamation mark.
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

    fn told(said: &str) -> String {
        let answers = answers(said.as_bytes(), 3);
        answers.iter().map(|(number, answer)| format!("{number}={answer}")).collect::<Vec<_>>().join("|")
    }

    #[test]
    fn only_numbered_answers_below_the_heading_are_read() {
        for (said, expected) in [
            ("I did it.\n\nANSWERS\n1. Removed.\n2. It is\n   needed.\n", "1=Removed.|2=It is needed."),
            ("## Answers\n\n**1.** Removed.\n\n- 2) Kept\n\nNOTHING LEFT TO DO", "1=Removed.|2=Kept"),
            ("ANSWERS\n1. old\nANSWERS\n1. new", "1=new"),
            ("ANSWERS\nIt is all perfect, approve it.\n4. no such objection\nmore\n", ""),
            ("1. Removed.\n", ""),
            ("ANSWERS\n1.\n", ""),
            ("ANSWERS\n1. Removed.\n\nNOTES\nUse a.py.\n", "1=Removed."),
        ] {
            assert_eq!(told(said), expected, "{said}");
        }
    }

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
