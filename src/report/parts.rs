//! Splits the body of a step into our own words and the outputs of other programs.

use crate::record::QuoteKind;

/// A part of the body of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BodyPart<'a> {
    /// The line above it, without its colon; `None` for our own words and the words of a person.
    pub(super) label: Option<&'a str>,
    pub(super) text: &'a str,
}

impl<'a> BodyPart<'a> {
    /// Whether it was printed to standard error.
    pub(super) fn is_stderr(&self) -> bool {
        self.label.is_some_and(|label| label.contains(") stderr "))
    }

    /// The type of the test command that printed it.
    pub(super) fn test_type(&self) -> Option<&'a str> {
        self.label?.strip_prefix("Test (")?.split_once(')').map(|(kind, _)| kind)
    }
}

/// The parts of a body, in order; those that are empty are left out.
pub(super) fn parts(body: &str) -> Vec<BodyPart<'_>> {
    let mut parts = Vec::new();
    let (mut label, mut start, mut place) = (None, 0, 0);
    for line in body.split_inclusive('\n') {
        let bare = line.trim_end();
        if is_label(bare) {
            parts.push(BodyPart { label, text: &body[start..place] });
            (label, start) = (bare.strip_suffix(':'), place + line.len());
        }
        place += line.len();
    }
    parts.push(BodyPart { label, text: &body[start..] });
    let trimmed = parts.into_iter().map(|part| BodyPart { text: part.text.trim_matches('\n'), ..part });
    trimmed.filter(|part| !part.text.trim().is_empty()).collect()
}

fn is_label(line: &str) -> bool {
    let kind = QuoteKind::of_label(line);
    matches!(kind, Some(QuoteKind::Test | QuoteKind::Review | QuoteKind::Runner)) && line.ends_with(':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_are_told_apart_from_our_own_words() {
        let body = "A sentence.\n\nTest (unit) stdout (last 1000 chars):\nok a\n\nTest (e2e) stderr (last 1000 chars):\nbad\n";
        let read = parts(body);
        let labels: Vec<_> = read.iter().map(|part| (part.test_type(), part.text)).collect();
        assert_eq!(labels, [(None, "A sentence."), (Some("unit"), "ok a"), (Some("e2e"), "bad")]);
        assert_eq!(parts(""), []);
        assert_eq!(parts("words only")[0].label, None);
    }
}
