//! What other programs have said, in the body of a step: each below a label, after everything that is ours.
//!
//! A quote is data. No line of it begins another one, because the writer indents lines that look like a label. Messages of earlier
//! versions do not have that, so the reader relies on the order as well: nothing follows the words of a runner or a reviewer.

use serde::{Deserialize, Serialize};

use super::block::locate;
use crate::text::{CUT_MARK, clean, tail};

/// How many characters of a runner's output or a review a body keeps.
const RUNNER_LIMIT: usize = 2000;
/// How many characters of a test command's stream a body keeps.
const TEST_LIMIT: usize = 1000;
/// How many characters of a question a body keeps.
const QUESTION_LIMIT: usize = 4000;
/// How many characters of notes a body keeps: the first ones, as those who wrote them put what matters there.
const NOTES_LIMIT: usize = 1500;

/// Whose words a quote has. Quotes are ordered like this.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum QuoteKind {
    /// What an agent asks.
    Question,
    /// What a hook has said that refused the work.
    Hook,
    /// What a test command has printed.
    Test,
    /// What an agent leaves for later tasks.
    Notes,
    /// What a reviewer has said.
    Review,
    /// What a runner has said.
    Runner,
    /// What was taken in from a request.
    Request,
}

impl QuoteKind {
    const ALL: [Self; 7] =
        [Self::Question, Self::Hook, Self::Test, Self::Notes, Self::Review, Self::Runner, Self::Request];

    /// How its label begins; without an end, it is the whole label.
    fn label(self) -> &'static [&'static str] {
        match self {
            Self::Question => &["Question:"],
            Self::Hook => &["Failed: the hook "],
            Self::Test => &["Test ("],
            Self::Notes => &["Notes:"],
            Self::Review => &["Review:", "Review ("],
            Self::Runner => &["Runner output ("],
            Self::Request => &["From the request:"],
        }
    }

    /// The kind of the quote that this line begins.
    #[must_use]
    pub fn of_label(line: &str) -> Option<Self> {
        let is_label =
            |label: &str| if label.ends_with(':') { line == label } else { line.starts_with(label) };
        // This is asked of every line of a message.
        let may_be = line.starts_with(['Q', 'F', 'T', 'N', 'R']);
        Self::ALL.into_iter().find(|kind| may_be && kind.label().iter().any(|label| is_label(label)))
    }
}

/// Whether what comes below this line are the words of others.
pub(super) fn is_label(line: &str) -> bool {
    QuoteKind::of_label(line).is_some()
}

/// The lines of a message above the words of a runner, a reviewer or a hook and the output of tests.
pub(super) fn own_lines(message: &[u8]) -> impl Iterator<Item = &str> {
    let lines =
        message.split(|byte| *byte == b'\n').map(|line| std::str::from_utf8(line).unwrap_or_default());
    lines.take_while(|line| !is_label(line))
}

/// A part of another program's output, with its label.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quote {
    /// Whose words it has.
    pub kind: QuoteKind,
    /// The line above the text, for example `Test (unit) stderr (last 1000 chars):`.
    pub label: String,
    /// The words, cleaned.
    pub text: String,
    /// How many characters of it a message keeps.
    limit: usize,
}

impl Quote {
    fn new(kind: QuoteKind, label: String, text: &[u8], limit: usize) -> Self {
        Self { kind, label, text: clean(text), limit }
    }

    /// The output of a runner.
    #[must_use]
    pub fn runner(text: &[u8]) -> Self {
        let label = format!("Runner output (truncated to {RUNNER_LIMIT} chars):");
        Self::new(QuoteKind::Runner, label, text, RUNNER_LIMIT)
    }

    /// The words of a reviewer, with its name if there were several.
    #[must_use]
    pub fn review(reviewer: Option<&str>, text: &[u8]) -> Self {
        let label = reviewer.map_or_else(|| "Review:".to_owned(), |name| format!("Review ({name}):"));
        Self::new(QuoteKind::Review, label, text, RUNNER_LIMIT)
    }

    /// The whole review of a person.
    #[must_use]
    pub fn users_review(words: &str) -> Self {
        Self { limit: usize::MAX, ..Self::review(None, words.as_bytes()) }
    }

    /// What was taken in from a request, all of it.
    #[must_use]
    pub fn request(words: &str) -> Self {
        Self::new(QuoteKind::Request, "From the request:".to_owned(), words.as_bytes(), usize::MAX)
    }

    /// What an agent asks.
    #[must_use]
    pub fn question(text: &str) -> Self {
        Self::new(QuoteKind::Question, "Question:".to_owned(), text.as_bytes(), QUESTION_LIMIT)
    }

    /// What an agent leaves for later tasks.
    #[must_use]
    pub fn notes(text: &str) -> Self {
        Self::new(QuoteKind::Notes, "Notes:".to_owned(), text.as_bytes(), NOTES_LIMIT)
    }

    /// What a hook has said that refused the work of a step.
    #[must_use]
    pub fn hook(hook: &str, output: &str) -> Self {
        let label =
            format!("Failed: the hook {hook} refused the commit. It said (last {RUNNER_LIMIT} chars):");
        let text = if output.trim().is_empty() { "(nothing)" } else { output };
        Self::new(QuoteKind::Hook, label, text.as_bytes(), RUNNER_LIMIT)
    }

    /// What a test command has printed; `what` names the kind of test, and `stream` says where.
    #[must_use]
    pub fn test(what: &str, stream: &str, text: &[u8]) -> Self {
        let label = format!("Test ({what}) {stream} (last {TEST_LIMIT} chars):");
        Self::new(QuoteKind::Test, label, text, TEST_LIMIT)
    }

    /// The same without secrets, and only then as short as a message keeps it.
    pub(super) fn masked(&self, mask: impl Fn(&str) -> String) -> Self {
        let text = mask(&self.text);
        let text = match self.kind {
            QuoteKind::Notes => head(&text, self.limit),
            _ => tail(&text, self.limit),
        };
        Self { label: mask(&self.label), text, ..self.clone() }
    }

    /// The words of others in the message of a step.
    #[must_use]
    pub fn all_in(message: &[u8]) -> Vec<Self> {
        let end = locate(message).map_or(message.len(), |found| found.bytes().start);
        let body = String::from_utf8_lossy(&message[..end]);
        let mut found: Vec<(QuoteKind, &str, Vec<&str>)> = Vec::new();
        for line in body.lines() {
            let open = found.last().map(|(kind, ..)| *kind);
            let begins = QuoteKind::of_label(line).filter(|kind| match open {
                Some(open @ (QuoteKind::Test | QuoteKind::Review)) => *kind >= open,
                // No step has a review below notes, and older messages have them as they were written.
                Some(QuoteKind::Notes) => *kind >= QuoteKind::Runner,
                Some(open) => *kind > open && open != QuoteKind::Runner,
                None => true,
            });
            match (begins, found.last_mut()) {
                (Some(kind), _) => found.push((kind, line, Vec::new())),
                (None, Some((.., lines))) => lines.push(line),
                (None, None) => {}
            }
        }
        let quote = |(kind, label, lines): (QuoteKind, &str, Vec<&str>)| Self {
            kind,
            label: label.to_owned(),
            text: lines.join("\n").trim().to_owned(),
            limit: usize::MAX,
        };
        found.into_iter().map(quote).collect()
    }

    /// The first words of this kind in the message of a step.
    #[must_use]
    pub fn first_in(kind: QuoteKind, message: &[u8]) -> Option<Self> {
        Self::all_in(message).into_iter().find(|quote| quote.kind == kind)
    }

    /// The label and the words.
    #[must_use]
    pub fn whole(&self) -> String {
        format!("{}\n{}", self.label, self.text)
    }
}

/// The first `limit` characters of a text, before a mark if anything was cut.
fn head(text: &str, limit: usize) -> String {
    let whole = text.strip_suffix(CUT_MARK).unwrap_or(text);
    let kept: String = whole.chars().take(limit).collect();
    if kept.len() == text.len() { kept } else { format!("{}\n{CUT_MARK}", kept.trim_end()) }
}
