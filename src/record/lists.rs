//! Lists and values in the body of a message. Everything that a later step reads back from a body is written in this form and
//! read here: one item on each line, below a heading or in a line of its own.
//!
//! ```text
//! Awaited:
//! - tests/test_login.py::test_rejects_a_wrong_password
//! - "a name with \"\u0009\" or other characters that a message does not keep"
//! ```
//!
//! Where lines must be short, an item that is too long goes on in the next line: after four blanks in the place of one, or, if
//! it is quoted, after two blanks as a further string.
//!
//! Nothing here is read from the output of other programs, which comes below a label of its own ([`own_lines`]).

use super::quote::own_lines;
use super::words::words;
use crate::text::{defuse, ellipsis, one_line};

words! {
    /// A list that the body of a step records, with the line above it, in the order in which a body has them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum List {
        /// Why the step has failed, as clauses; of tests, the commands, each with its status.
        Failed "Failed:",
        /// The files that kept the step from being committed as a whole.
        NotCommitted "Not committed:",
        /// The changed lines that no test runs.
        NotCovered "Not covered:",
        /// The tests that pass with the change of the task and fail without it, or where what it adds gives empty values.
        Noticing "Tests that notice this change:",
        /// The tests that passed before the task and are gone.
        TookOut "Took out:",
        /// The tests of the task that fail, and that a later task has to make pass.
        Awaited "Awaited:",
        /// The tests that were awaited and pass now.
        NoLongerAwaited "No longer awaited:",
        /// The tests that fail and were awaited before this task.
        StillAwaited "Still awaited:",
        /// The commit of the branch of the run that the step merges.
        Merges "This step merges the branch of the run at:",
        /// The commit of the branch of the run into which the finished task could not be merged.
        NotMergedInto "The finished task could not be merged into the branch of the run at:",
        /// Why the finished task could not be merged.
        WhyNotMerged "Why the finished task could not be merged:",
        /// The commits that a runner has made itself.
        OwnCommits "The runner made commits of its own:",
        /// The commits in which somebody committed files of the step after it had ended.
        CommittedLater "Files of this step were committed after it had ended:",
        /// The commit on top of which the commits of one of the two lists before it were made.
        OnTopOf "On top of:",
        /// The answers of a runner to the objections with these numbers, in the implement step that follows.
        Answers "The runner answers the objections of the last review:",
        /// The objections of a review, numbered.
        Objections "Objections:",
        /// What a reviewer has found in a change that it approves, numbered.
        Remarks "Open remarks:",
    }
}

/// How many characters of a numbered item are kept.
const LENGTH: usize = 400;

impl List {
    /// Whether its items have numbers. They are remarks of one line each.
    fn is_numbered(self) -> bool {
        matches!(self, Self::Answers | Self::Objections | Self::Remarks)
    }

    /// The item in a line below the heading, with its number if it has one; `None` if the line is none.
    pub(super) fn item_in(self, line: &str) -> Option<(usize, String)> {
        if !self.is_numbered() {
            return read_item(line).map(|item| (0, item));
        }
        let (number, text) = line.split_once(". ")?;
        Some((number.parse().ok()?, read_value(text)))
    }

    /// The list in a paragraph of a message; `None` if the paragraph is anything else.
    pub(super) fn in_paragraph(self, paragraph: &str) -> Option<Vec<String>> {
        let mut lines = paragraph.lines().map(str::trim_end);
        lines.next().filter(|line| *line == self.word())?;
        let items: Option<Vec<String>> = lines.map(read_item).collect();
        items.filter(|items| !items.is_empty())
    }

    /// The list in lines; empty without items.
    pub(super) fn lines(self, items: impl IntoIterator<Item = (usize, String)>) -> Vec<Line> {
        let line = |(number, text): (usize, String)| match self.is_numbered() {
            true => Line::with_value(&format!("{number}. "), &ellipsis(&one_line(&text), LENGTH)),
            false => Line::item(&text),
        };
        let mut lines = vec![Line::words(self.word())];
        lines.extend(items.into_iter().map(line));
        if lines.len() > 1 { lines } else { Vec::new() }
    }

    /// The body of a message without this list.
    #[must_use]
    pub fn removed_from(self, body: &str) -> String {
        let is_list = |paragraph: &str| paragraph.lines().next() == Some(self.word());
        let mut paragraphs: Vec<&str> = body.split("\n\n").collect();
        if let Some(at) = paragraphs.iter().position(|paragraph| is_list(paragraph)) {
            paragraphs.remove(at);
        }
        paragraphs.join("\n\n")
    }
}

/// The beginning of the line of an item, so that no item can be read as anything else.
const ITEM: &str = "- ";
/// The beginnings of the lines in which a plain value and a quoted one go on.
const GOES_ON: &str = "    ";
const GOES_ON_QUOTED: &str = "  \"";

/// A line of a message: words of ours, and perhaps a value behind them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Line {
    start: String,
    value: Option<String>,
}

impl Line {
    /// A line of our own words.
    pub(super) fn words(words: &str) -> Self {
        Self { start: words.to_owned(), value: None }
    }

    /// An item of a list.
    pub(super) fn item(value: &str) -> Self {
        Self::with_value(ITEM, value)
    }

    /// A value behind words of ours.
    pub(super) fn with_value(start: &str, value: &str) -> Self {
        Self { start: start.to_owned(), value: Some(value.to_owned()) }
    }

    /// The line as a message has it, broken where it would be longer than `width`.
    pub(super) fn written(&self, width: usize) -> String {
        let Self { start, value: Some(value) } = self else { return self.start.clone() };
        let plain = format!("{start}{value}");
        let is_kept = read_value(value) == *value
            && !value.is_empty()
            && one_line(value) == *value
            && defuse(&plain) == plain;
        match is_kept.then(|| in_words(&plain, start.chars().count(), width)).flatten() {
            Some(lines) => lines.join(&format!("\n{GOES_ON}")),
            None => quoted(start, value, width),
        }
    }
}

/// A plain line in pieces between blanks, if each has room.
fn in_words(plain: &str, start: usize, width: usize) -> Option<Vec<&str>> {
    let mut pieces = Vec::new();
    let (mut rest, mut room, mut keep) = (plain, width, start);
    while let Some((end, _)) = rest.char_indices().nth(room) {
        let blank = rest[..end].rfind(' ').filter(|at| rest[..*at].chars().count() > keep)?;
        pieces.push(&rest[..blank]);
        rest = &rest[blank + 1..];
        (room, keep) = (width.checked_sub(GOES_ON.len())?, 0);
    }
    pieces.push(rest);
    Some(pieces)
}

/// A value as JSON strings of printable ASCII characters, none of which is a bracket that git might take for a mark.
fn quoted(start: &str, value: &str, width: usize) -> String {
    let mut text = format!("{start}\"");
    let mut length = text.chars().count();
    for unit in value.encode_utf16() {
        let next = match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() || b" ._-/:[](),=+*'#".contains(&byte) => {
                char::from(byte).to_string()
            }
            _ => format!("\\u{unit:04x}"),
        };
        if length + next.len() + 1 > width {
            text.push_str(&format!("\"\n{GOES_ON_QUOTED}"));
            length = GOES_ON_QUOTED.len();
        }
        length += next.len();
        text.push_str(&next);
    }
    text.push('"');
    text
}

/// A value as a line has it. What only looks as if it was quoted is the value itself.
pub(super) fn read_value(text: &str) -> String {
    let quoted = text.starts_with('"').then(|| serde_json::from_str(text).ok()).flatten();
    quoted.unwrap_or_else(|| text.to_owned())
}

/// An item of a list; `None` if the line is none.
pub(super) fn read_item(line: impl AsRef<str>) -> Option<String> {
    line.as_ref().strip_prefix(ITEM).map(read_value)
}

/// Our own lines in a message, each as if there had been room for all of it.
pub(super) fn own_values(message: &[u8]) -> Vec<String> {
    let mut whole: Vec<String> = Vec::new();
    for line in own_lines(message) {
        match whole.last_mut().filter(|last| has_value(last)) {
            Some(last) if line.starts_with(GOES_ON_QUOTED) && last.ends_with('"') => {
                last.pop();
                last.push_str(&line[GOES_ON_QUOTED.len()..]);
            }
            Some(last) if line.starts_with(GOES_ON) && !line.trim().is_empty() => {
                last.push_str(&line[GOES_ON.len() - 1..]);
            }
            _ => whole.push(line.to_owned()),
        }
    }
    whole
}

/// Whether a line can go on in the next one, as only values do: items, and what a finding has seen and says. Whoever indents words in
/// a note makes no fact of them.
fn has_value(line: &str) -> bool {
    let is_number = |start: &str| !start.is_empty() && start.bytes().all(|byte| byte.is_ascii_digit());
    let is_word = |start: &str| !start.is_empty() && start.bytes().all(|byte| byte.is_ascii_lowercase());
    [ITEM, "  = "].iter().any(|start| line.starts_with(start))
        || line.split_once(". ").is_some_and(|(start, _)| is_number(start))
        || line.split_once('[').is_some_and(|(start, rest)| is_word(start) && rest.contains("]: "))
}
