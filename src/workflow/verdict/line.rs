//! Reads a single line of a review.

use super::sign::without_yes;

/// A line of a review, without the blanks around it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a>(pub(super) &'a str);

/// The kinds of rejection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Rejected,
    TestsRejected,
}

/// Lines that reject if they say nothing else, from reviewers that do not keep to the two words. They are in lower
/// case, with one blank between the words.
const REJECTIONS: &[&str] = &[
    "rejected",
    "reject",
    "i reject this",
    "not approved",
    "not yet approved",
    "do not approve",
    "cannot approve",
    "disapproved",
    "unapproved",
    "changes requested",
    "change requested",
    "request changes",
    "requesting changes",
    "requested changes",
    "changes required",
    "needs changes",
    "needs work",
    "needs revision",
    "do not merge",
    "nack",
    "denied",
    "declined",
];

/// Labels before a verdict, in lower case.
const LABELS: &[&str] = &["verdict", "final verdict"];

impl Line<'_> {
    /// Whether the line is only the word APPROVED, apart from Markdown emphasis, a heading mark, a label, a full stop
    /// or exclamation mark, and signs such as ✅.
    pub(super) fn is_approval(&self) -> bool {
        self.is_alone("approved")
    }

    /// Whether the line is only this phrase, with the same exceptions.
    pub(super) fn is_alone(&self, phrase: &str) -> bool {
        bare(self.0).eq_ignore_ascii_case(phrase)
    }

    /// Whether the word APPROVED is anywhere in the line, or the line is an approval in lower case.
    pub(super) fn speaks_of_approval(&self) -> bool {
        self.is_approval() || words(self.0).any(|word| word == "APPROVED")
    }

    /// Whether the line rejects. Reasons may follow the word.
    pub(super) fn rejects(&self) -> Option<Word> {
        if self.is_box_without_tick() {
            return None;
        }
        let words: Vec<&str> = words(self.0).collect();
        let words = without_label(&words);
        if self.rejects_tests(words) {
            return Some(Word::TestsRejected);
        }
        let rejects = self.is_rejection_alone(words)
            || self.begins_with_rejection(words)
            || self.ends_with_rejection(words)
            || denies(words);
        rejects.then_some(Word::Rejected)
    }

    fn rejects_tests(&self, words: &[&str]) -> bool {
        let together = self.0.to_lowercase().contains("tests rejected");
        together && (words.len() == 2 || words.starts_with(&["TESTS", "REJECTED"]))
    }

    fn is_rejection_alone(&self, words: &[&str]) -> bool {
        let said = words.join(" ").to_lowercase();
        REJECTIONS.contains(&said.as_str()) && !self.0.ends_with('?')
    }

    /// `REJECTED because the key is missing`, or `Rejected: the key is missing`. A choice between two words is not a
    /// rejection.
    fn begins_with_rejection(&self, words: &[&str]) -> bool {
        match words {
            ["REJECTED", "or" | "OR" | "APPROVED", ..] | [] => false,
            ["REJECTED", ..] => !self.0.contains("REJECTED?"),
            [first, ..] => is(first, "rejected") && self.has_reasons_behind(first),
        }
    }

    /// `The key is missing. REJECTED.`
    fn ends_with_rejection(&self, words: &[&str]) -> bool {
        let before = self.0.rsplit_once("REJECTED").map_or("", |(before, _)| before);
        let before = before.trim_end_matches(['*', '_', '`', '"', '(', ' ']);
        let is_a_clause = before.ends_with(['.', '!', ':', ';', '-', '–', '—', '→', '|']);
        words.ends_with(&["REJECTED"]) && is_a_clause && !words.contains(&"APPROVED")
    }

    /// Whether the line is an unticked box, `- [ ] something`: such an option was not chosen.
    pub(super) fn is_box_without_tick(&self) -> bool {
        self.0.trim_start_matches(['-', '*', '+', ' ']).starts_with("[ ]")
    }

    /// Whether a punctuation mark follows the first word, as in `Rejected: the key is missing`, so that the sentence
    /// does not continue.
    fn has_reasons_behind(&self, first: &str) -> bool {
        let behind = self.0.split_once(first).map_or("", |(_, behind)| behind);
        let behind = behind.trim_start_matches(['*', '_', '`', ' ']);
        behind.starts_with([':', ';', '.', ',', '!', '-', '–', '—', '('])
    }
}

fn is(word: &str, other: &str) -> bool {
    word.eq_ignore_ascii_case(other)
}

/// The text of a line without a heading mark, emphasis around all of it, and a label before it.
fn bare(line: &str) -> &str {
    let line = without_heading(line);
    let value = value_of_label(line).or_else(|| value_of_label(without_marks(line)));
    without_marks(value.unwrap_or(line))
}

fn without_heading(line: &str) -> &str {
    let rest = line.trim_start_matches('#');
    let level = line.len() - rest.len();
    if (1..=6).contains(&level) && rest.starts_with(' ') {
        rest.trim_start().trim_end_matches('#').trim_end()
    } else {
        line
    }
}

/// Marks of emphasis, longest first.
const EMPHASIS: &[&str] = &["***", "___", "**", "__", "*", "_", "`"];

/// A text without emphasis around all of it, without a full stop or exclamation mark inside or after the emphasis, and
/// without the signs of approval around it.
fn without_marks(mut text: &str) -> &str {
    let mut stopped = false;
    loop {
        let end = if stopped { None } else { text.strip_suffix(['.', '!']) };
        if let Some(rest) = end {
            (text, stopped) = (rest, true);
            continue;
        }
        let inside = |mark: &&str| text.strip_prefix(*mark)?.strip_suffix(*mark);
        match without_yes(text).or_else(|| EMPHASIS.iter().find_map(inside)) {
            Some(inner) => text = inner,
            None => return text,
        }
    }
}

/// The text after `Verdict:`, whose own emphasis may end before or after the colon.
fn value_of_label(line: &str) -> Option<&str> {
    let around = EMPHASIS.iter().find(|mark| line.starts_with(**mark)).copied().unwrap_or("");
    let (label, value) = line[around.len()..].split_once(':')?;
    let inside = label.strip_suffix(around).filter(|_| !around.is_empty());
    let value = match inside {
        Some(_) => value,
        None => value.strip_prefix(around)?,
    };
    let label = inside.unwrap_or(label).to_lowercase();
    LABELS.contains(&label.as_str()).then(|| value.trim_start())
}

/// The words of a line, split at every character that is not part of a word.
pub(super) fn words(line: &str) -> impl Iterator<Item = &str> {
    let inside = |c: char| c.is_alphanumeric() || c == '\'' || c == '’';
    line.split(move |c: char| !inside(c)).filter(|word| !word.is_empty())
}

fn without_label<'w, 'a>(words: &'w [&'a str]) -> &'w [&'a str] {
    match words {
        // The tick of `[x]`.
        ["x" | "X", rest @ ..] => without_label(rest),
        [last, verdict, rest @ ..] if is(last, "final") && is(verdict, "verdict") => rest,
        [verdict, rest @ ..] if is(verdict, "verdict") => rest,
        _ => words,
    }
}

/// Whether the words negate an approval directly: `NOT APPROVED`, `DISAPPROVED`, `cannot be APPROVED`.
fn denies(words: &[&str]) -> bool {
    words.iter().enumerate().any(|(place, word)| match *word {
        "APPROVED" => is_negated(&words[..place]),
        "UNAPPROVED" | "DISAPPROVED" => true,
        _ => false,
    })
}

/// Whether one of the last few words before a verdict negates it directly.
fn is_negated(before: &[&str]) -> bool {
    /// Words that may come between a negation and the verdict: `cannot yet be APPROVED`.
    const BETWEEN: &[&str] =
        &["be", "been", "yet", "to", "it", "is", "this", "currently", "fully", "being", "get"];
    for word in before.iter().rev() {
        let lower = word.to_lowercase().replace('’', "'");
        if is_denial(&lower) {
            return true;
        }
        if !BETWEEN.contains(&lower.as_str()) {
            return false;
        }
    }
    false
}

/// Whether a word in lower case is a negation.
pub(super) fn is_denial(word: &str) -> bool {
    const DENIALS: &[&str] = &["not", "cannot", "never", "without", "no", "non", "un", "neither", "nor"];
    DENIALS.contains(&word) || word.ends_with("n't")
}
